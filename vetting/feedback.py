"""What a model proposed upon feedback: shown beside the rules, accepted or declined by a person.

A proposal changes nothing. Accepted, it is an edit like one by hand, whose author is the
person who accepted it; a rule that moved since is refused with both texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from documents import WordChange, word_diff
from policies.audit import record
from policies.composing import Composition, compose
from policies.editing import editing
from policies.models import Policy, Rule, RuleRevision, User
from policywright.english import render_sentence
from policywright.model import Variable
from policywright.smtlib import print_term
from policywright.termjson import term_to_json
from policywright.terms import Term
from translation.feedback.declares import declare, drafted, with_drafted
from translation.models import ChangeChoice, Chosen, Feedback, ProposedChange
from vetting.consequences import Consequences, consequences_of_edits
from vetting.edits import editable, is_said_by, rule_text
from vetting.lock import locked
from vetting.questions import reading_term
from vetting.refusals import MovedError, RefusedError
from vetting.written import Language

_SPACED_WORD = re.compile(r"(\s*)(\S+)")
# Of the feedback in a revision's cause, which has 200 characters.
_QUOTED = 90


@dataclass(frozen=True)
class Said:
    """A piece of a text; `differs` where the other text has other words."""

    text: str
    differs: bool


@dataclass(frozen=True)
class ChangeShown:
    """A proposed change beside the rule it is of.

    `before` and `after` are the English of both, laid out as it is. `moved` is the rule's
    present English where it is no longer what was sent. `choice` is the latest, None while
    nobody chose; `may_be_taken` says that it can be accepted. `new` are the variables that
    it declares.
    """

    change: ProposedChange
    rule: Rule
    before: tuple[Said, ...]
    after: tuple[Said, ...]
    smtlib: str
    scopes: tuple[str, ...]
    moved: str
    choice: ChangeChoice | None
    may_be_taken: bool
    problem: str
    new: tuple[Variable, ...]


@dataclass(frozen=True)
class ProposalsShown:
    """`refused` are rows that propose nothing that could be taken; `chosen` those ticked.

    `consequences` are of the ticked ones together. `composition` has what they declare.
    """

    composition: Composition
    changes: tuple[ChangeShown, ...]
    refused: tuple[ProposedChange, ...]
    chosen: tuple[str, ...]
    consequences: Consequences | None

    @property
    def open(self) -> tuple[ChangeShown, ...]:
        return tuple(one for one in self.changes if one.may_be_taken)


def show_proposals(
    policy: Policy, feedback: Feedback, chosen: Collection[str] | None = None
) -> ProposalsShown:
    """Each proposed change, and what would come of those chosen, or of all that can be taken."""
    rows = list(feedback.changes.select_related("rule").prefetch_related("choices__by"))
    composition = with_drafted(compose(policy), [row.declares for row in rows])
    taken = [row for row in rows if row.term is not None and row.rule is not None]
    shown = tuple(_shown(policy, row, row.rule, composition) for row in taken if row.rule)
    may = [one for one in shown if one.may_be_taken]
    ticked = [one for one in may if chosen is None or one.change.uid in chosen]
    edits = [(one.rule, _fitting(one.change, composition)) for one in ticked]
    return ProposalsShown(
        composition,
        shown,
        tuple(row for row in rows if row not in taken),
        tuple(one.change.uid for one in ticked),
        consequences_of_edits(policy, composition, edits) if edits else None,
    )


def open_proposals(rule: Rule, present_hash: str) -> list[ProposedChange]:
    """Changes of the rule as it stands of which nobody has chosen yet; one query."""
    rows = ProposedChange.objects.filter(
        rule=rule, base_hash=present_hash, term__isnull=False, choices__isnull=True
    )
    return list(rows.select_related("feedback__by")) if present_hash else []


def accept_changes(
    policy: Policy, user: User, feedback: Feedback, uids: Sequence[str]
) -> list[Rule]:
    """Give rules the conditions proposed, all or none, as edits of this person.

    What was accepted before stays as it is. Raises MovedError with both texts where a
    rule is not the one that was sent, RefusedError where nothing can be accepted.
    """
    changes = _changes(feedback, uids)
    said = feedback.text if len(feedback.text) <= _QUOTED else f"{feedback.text[:_QUOTED]}..."
    model = changes[0].model[:60]
    cause = f"accepted what {model} proposed on the feedback ‘{' '.join(said.split())}’"
    with editing(policy, user, cause=cause) as edit:
        waiting = [one for one in changes if _latest(one) != Chosen.ACCEPTED]
        if not waiting:
            edit.unchanged = True
            return [one.rule for one in changes if one.rule]
        declare(edit, [one.declares for one in waiting])
        composition = compose(edit.policy)
        for change in waiting:
            _take(edit.policy, user, change, composition)
    return [one.rule for one in changes if one.rule]


def decline_changes(policy: Policy, user: User, feedback: Feedback, uids: Sequence[str]) -> None:
    """Say no to changes; the rows stay. One that was accepted is changed back by an edit."""
    changes = _changes(feedback, uids)
    with locked(policy) as row:
        for change in changes:
            latest = _latest(change)
            if latest == Chosen.ACCEPTED:
                raise RefusedError(
                    "a change that was accepted is part of its rule; edit the rule instead."
                )
            if latest != Chosen.DECLINED:
                _choose(row, user, change, Chosen.DECLINED)


def _changes(feedback: Feedback, uids: Sequence[str]) -> list[ProposedChange]:
    rows = feedback.changes.filter(uid__in=uids, term__isnull=False, rule__isnull=False)
    found = list(rows.select_related("rule"))
    if not found or len(found) != len(set(uids)):
        raise RefusedError("choose one or more of the changed rules.")
    return found


def _take(policy: Policy, user: User, change: ProposedChange, composition: Composition) -> None:
    assert change.rule is not None
    present = editable(policy, change.rule)
    term = _fitting(change, composition)
    if not is_said_by(composition, present, term):
        if composition.hashes.get(present.uid, "") != change.base_hash:
            raise MovedError(
                f"`{present.name}` was changed after the model was asked; nothing was saved. "
                "Say what is wrong with it as it is now, or edit it.",
                present=rule_text(present, composition, Language.ENGLISH),
                present_hash=composition.hashes.get(present.uid, ""),
                sent=render_sentence(composition.model, term),
            )
        present.term, present.author = term_to_json(term), user
        present.save(update_fields=["term", "author"])
    _choose(policy, user, change, Chosen.ACCEPTED)


def _choose(policy: Policy, user: User, change: ProposedChange, chosen: Chosen) -> None:
    ChangeChoice.objects.create(change=change, chosen=chosen, by=user)
    record(policy, user, f"{chosen}-change", f"change:{change.uid}", old_hash=change.base_hash)


def latest_choice(change: ProposedChange) -> ChangeChoice | None:
    """The one that counts; no query where the choices are prefetched."""
    return max(change.choices.all(), key=lambda one: one.pk, default=None)


def _latest(change: ProposedChange) -> str:
    """What the latest choice is, empty where there is none."""
    last = latest_choice(change)
    return last.chosen if last else ""


def _fitting(change: ProposedChange, composition: Composition) -> Term:
    found = reading_term(change.term, composition, what="the rule")
    if isinstance(found, str):
        raise RefusedError(f"this change does not fit any more: {found}.")
    return found


def _shown(
    policy: Policy, change: ProposedChange, rule: Rule, composition: Composition
) -> ChangeShown:
    model = composition.model
    term = reading_term(change.term, composition, what="the rule")
    problem = f"this change does not fit any more: {term}." if isinstance(term, str) else ""
    after = "" if isinstance(term, str) else render_sentence(model, term)
    before = _as_sent(change, rule, composition)
    was, will = words_marked(before, after)
    present = rule_text(rule, composition, Language.ENGLISH) if rule.retired_at is None else ""
    if rule.retired_at is not None:
        problem = "this rule left the draft since."
    stands = composition.hashes.get(rule.uid, "") == change.base_hash
    choice = latest_choice(change)
    accepted = choice is not None and choice.chosen == Chosen.ACCEPTED
    return ChangeShown(
        change,
        rule,
        was,
        will,
        "" if isinstance(term, str) else print_term(model, term),
        tuple(render_sentence(model, s.term) for s in composition.scopes_of(rule.uid) if s.term),
        "" if stands or accepted or problem else present,
        choice,
        stands and choice is None and not problem,
        problem,
        tuple(_new(change, composition)),
    )


def words_marked(before: str, after: str) -> tuple[tuple[Said, ...], tuple[Said, ...]]:
    """Two texts in pieces, the words marked that the other does not have."""
    words = word_diff(before, after)
    return _marked(before, words, "removed"), _marked(after, words, "added")


def _marked(text: str, words: Sequence[WordChange], kind: str) -> tuple[Said, ...]:
    """The text in pieces, laid out as it is, with the words of that kind marked."""
    own = [run for run in words if run.kind in ("same", kind)]
    marks = [run.kind == kind for run in own for _ in run.words.split()]
    found: list[Said] = []
    for word, differs in zip(_SPACED_WORD.finditer(text), marks, strict=True):
        space, letters = word.groups()
        goes_on = bool(found) and found[-1].differs == differs
        if differs and not (goes_on and "\n" not in space):
            found += [Said(space, False), Said(letters, True)]
        elif goes_on:
            found[-1] = Said(found[-1].text + space + letters, differs)
        else:
            found.append(Said(space + letters, False))
    return tuple(found)


def _as_sent(change: ProposedChange, rule: Rule, composition: Composition) -> str:
    """The rule's English as it was when the model was asked."""
    own = composition.own_term(rule.uid)
    if own is not None and composition.hashes.get(rule.uid, "") == change.base_hash:
        return render_sentence(composition.model, own)
    sent = RuleRevision.objects.filter(rule=rule, content_hash=change.base_hash).last()
    term = reading_term(sent.term, composition) if sent is not None else ""
    return "" if isinstance(term, str) else render_sentence(composition.model, term)


def _new(change: ProposedChange, composition: Composition) -> Sequence[Variable]:
    """What the change would declare, under the names that it would get."""
    own = {variable.id for variable in drafted([change.declares])[1]}
    return [one for one in composition.model.variables if one.id in own]
