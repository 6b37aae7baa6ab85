"""Marks: what a person says of a sentence that no rule carries, or not in full.

A definition, binding but not expressed, or not binding. Bound to the sentence's
text and context: a changed sentence asks again. Marking the same twice gives one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policies.audit import record
from policies.models import Policy, RuleSource, Sentence, User
from policies.models import Variable as VariableRow
from policies.present import sentence_hash
from policies.sources import sentences_by_lineage
from policywright.model import Role
from vetting.lock import locked
from vetting.models import MarkKind, SentenceMark
from vetting.refusals import MovedError, RefusedError
from vetting.texts import check_text

NEEDS_REASON = (MarkKind.BINDING, MarkKind.NOT_BINDING)


def mark_sentence(
    policy: Policy,
    user: User,
    sentence: Sentence,
    *,
    kind: MarkKind,
    reason: str = "",
    outcomes: Sequence[str] = (),
    shown_hash: str,
) -> SentenceMark:
    """Say what a sentence is. `shown_hash` is `sentence_hash` as the page showed it.

    `outcomes` are the uids of the outcomes that a binding sentence limits: it is
    listed as 'subject to' with them. Raises MovedError if the sentence changed or
    is gone, RefusedError without the reason that binding and not binding need.
    """
    if kind not in (MarkKind.DEFINITION, *NEEDS_REASON):
        raise RefusedError("choose: a definition, binding but not expressed, or not binding.")
    reason = check_text(reason, "the reason", required=kind in NEEDS_REASON)
    if outcomes and kind is not MarkKind.BINDING:
        raise RefusedError("only a binding sentence limits outcomes; leave them out.")
    with locked(policy) as row:
        _check_outcomes(row, outcomes)
        present = _present(row, sentence, shown_hash)
        return _mark(row, user, present, kind, reason, sorted(set(outcomes)))


def mark_not_binding(
    policy: Policy, user: User, shown: Mapping[str, str], *, reason: str
) -> list[SentenceMark]:
    """Say of several sentences at once that they bind nobody, each with a mark of its own.

    `shown` maps lineages to the hashes that the page showed. All or nothing: raises
    MovedError if one of them changed, RefusedError if one has a rule.
    """
    reason = check_text(reason, "the reason", required=True)
    if not shown:
        raise RefusedError("no sentence is ticked; tick those that bind nobody.")
    with locked(policy) as row:
        present = sentences_by_lineage(row, shown)
        with_rules = RuleSource.objects.filter(
            rule__policy=row, rule__retired_at=None, lineage__in=shown
        )
        if with_rules.exists():
            raise RefusedError(
                "a rule was made of one of these sentences since you opened the page; "
                "nothing was saved. Open the section again."
            )
        for lineage, present_hash in shown.items():
            sentence = present.get(lineage)
            if sentence is None or sentence_hash(sentence) != present_hash:
                raise MovedError(
                    "one of these sentences changed after you opened the page; nothing was saved. "
                    "Open the section again.",
                    present=sentence.text if sentence else "",
                    present_hash=sentence_hash(sentence) if sentence else "",
                )
        in_order = sorted(present.values(), key=lambda one: (one.revision_id, one.ordinal))
        return [_mark(row, user, one, MarkKind.NOT_BINDING, reason, []) for one in in_order]


def withdraw_mark(
    policy: Policy, user: User, sentence: Sentence, *, shown_hash: str
) -> SentenceMark:
    """Take back what was said of a sentence; it is open again."""
    with locked(policy) as row:
        present = _present(row, sentence, shown_hash)
        last = _last(row, present)
        if last is None:
            raise RefusedError("nothing was said of this sentence; there is nothing to undo.")
        return _mark(row, user, present, MarkKind.WITHDRAWN, "", [])


def mark_that_counts(marks: Iterable[SentenceMark], present_hash: str) -> SentenceMark | None:
    """The latest mark on that very text; none if it was withdrawn."""
    found = [mark for mark in marks if mark.content_hash == present_hash]
    last = max(found, key=lambda mark: mark.pk, default=None)
    return None if last is None or last.kind == MarkKind.WITHDRAWN else last


def _mark(
    policy: Policy,
    user: User,
    sentence: Sentence,
    kind: MarkKind,
    reason: str,
    outcomes: list[str],
) -> SentenceMark:
    last = _last(policy, sentence)
    if last is not None and (last.kind, last.reason, last.outcomes) == (kind, reason, outcomes):
        return last
    mark = SentenceMark.objects.create(
        policy=policy,
        lineage=sentence.lineage,
        sentence=sentence,
        kind=kind,
        content_hash=sentence_hash(sentence),
        reason=reason,
        outcomes=outcomes,
        by=user,
    )
    record(
        policy,
        user,
        f"mark-{kind.value}",
        f"sentence:{sentence.lineage}",
        old_hash=last.content_hash if last else "",
        new_hash=mark.content_hash,
    )
    return mark


def _last(policy: Policy, sentence: Sentence) -> SentenceMark | None:
    marks = SentenceMark.objects.filter(policy=policy, lineage=sentence.lineage)
    return marks.filter(content_hash=sentence_hash(sentence)).order_by("-pk").first()


def _present(policy: Policy, sentence: Sentence, shown_hash: str) -> Sentence:
    present = sentences_by_lineage(policy, [sentence.lineage]).get(sentence.lineage)
    if present is None:
        raise MovedError(
            "this sentence is no longer in the document; nothing was saved.",
            present="",
            present_hash="",
            sent=sentence.text,
        )
    if sentence_hash(present) != shown_hash:
        raise MovedError(
            "this sentence changed after you opened the page; read it as it is now.",
            present=present.text,
            present_hash=sentence_hash(present),
            sent=sentence.text,
        )
    return present


def _check_outcomes(policy: Policy, outcomes: Sequence[str]) -> None:
    known = VariableRow.objects.filter(policy=policy, role=Role.OUTCOME.value)
    if not set(outcomes) <= set(known.values_list("uid", flat=True)):
        raise RefusedError("choose the outcomes that the sentence limits from the policy's own.")
