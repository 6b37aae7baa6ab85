"""What the two kinds of cards show: a rule beside its sentence, and a sentence without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import formats

from policies.models import Policy, Rule, RuleRevision
from policies.models import Variable as VariableRow
from policywright.english import draft_phrases, render_case
from policywright.english.phrases import value_phrase
from policywright.english.values import is_currency
from policywright.lint import Severity
from policywright.model import PolicyModel, Variable
from policywright.model import Rule as ModelRule
from policywright.smtlib import print_term
from policywright.sorts import BOOL, INT
from policywright.terms import Term, symbols
from translation.tried import was_tried
from vetting.checking import is_being_checked
from vetting.decisions import english_of
from vetting.edges import EdgeCase, edge_cases
from vetting.feedback import open_proposals
from vetting.hidden import unread_in
from vetting.lint import found_in, last_report, silences_of
from vetting.models import Decision, SentenceMark
from vetting.queue import Card, Queue
from vetting.reading import pieces
from vetting.scopes import ScopeReview
from vetting.sentences import SentenceReview
from vetting.views.answers import answers_shown, question_shown
from vetting.views.comments import threads_shown
from vetting.views.places import path_shown, sources_shown
from vetting.views.translators import translators_shown
from vetting.views.values_asked import values_asked

# A rule longer than this is set smaller, so that it stays in view.
LONG = 320
# The history on a card; all of it is in the audit rows.
MAX_HISTORY = 20

MARK_CHOICES = [
    {
        "kind": "not_binding",
        "key": "n",
        "label": "Not binding",
        "ask": "Why does this sentence bind nobody?",
        "help": "A greeting, a reason, an example. Kept beside your name.",
        "submit": "Mark as not binding",
    },
    {
        "kind": "binding",
        "key": "b",
        "label": "Binding, not expressed",
        "ask": "Why can logic not carry it?",
        "help": "It is listed as ‘subject to’ with every answer on the outcomes it limits.",
        "submit": "Mark as binding",
    },
    {
        "kind": "definition",
        "key": "d",
        "label": "A definition",
        "ask": "What does it define? (may be left empty)",
        "help": "The sentence says what a word means; variables or values come from it.",
        "submit": "Mark as a definition",
    },
]


def rule_card(policy: Policy, queue: Queue, card: Card) -> dict[str, Any]:
    """The context of `_rule_card.html`."""
    row = policy.rules.prefetch_related("sources").get(uid=card.key)
    review, model = queue.rules[card.key], queue.composition.model
    rule = model.rule_by_id.get(card.key)
    english = english_of(row, queue.composition)
    sentence = None if card.sentence is None else queue.sentences[card.sentence]
    own = [one.sentence for one in queue.sentences if card.key in one.rules]
    unread = unread_in(policy, own)
    asked = [one for one in queue.questions if card.key in one.rules]
    answers = answers_shown(policy, queue.composition, asked)
    sources = sources_shown(policy, row, {one.lineage: one for one in own})
    return {
        "key": card.key,
        "is_rule": True,
        "label": card.label,
        "kind": card.kind,
        "state": card.state,
        "name": row.name,
        "hash": review.hash,
        "review": review,
        "questions": [question_shown(one, queue.composition) for one in review.questions],
        "values": values_asked(policy, queue.composition, card.key),
        "contradicted": [one for one in answers if one["fails"]],
        "held": [one for one in answers if not one["fails"]],
        "may_be_approved": bool(review.hash) and not review.questions and not unread,
        "unread": unread,
        "english": english,
        "is_long": len(english) > LONG,
        "sources": sources,
        "ranked": len({source["rank"] for source in sources if source.get("rank")}) > 1,
        "scopes": _scopes(queue, card.key),
        "source_moved": sentence is None,
        "edges": edges_shown(model, edge_cases(model, rule)) if rule else [],
        "told": translators_shown(policy, row, queue.composition),
        "not_carried": _not_carried(sentence),
        "meanings": list(_meanings(model, rule)) if rule else [],
        "smt2": smtlib_of(row, rule, model),
        "history": list(_rule_history(row)),
        "lineage": sentence.sentence.lineage if sentence else "",
        "sentence_hash": sentence.hash if sentence else "",
        "lint": lint_shown(policy, card.key),
        "proposed": open_proposals(row, review.hash),
        "threads": threads_shown(policy, rules=[card.key], lineages=[one.lineage for one in own]),
    }


def lint_shown(policy: Policy, uid: str) -> dict[str, Any]:
    """What lint found of a rule and nobody silenced; `is_known` where the draft was checked."""
    report = last_report(policy)
    if report is None:
        return {"is_known": False, "is_under_way": is_being_checked(policy)}
    found = [
        one
        for one in found_in(report, silences_of(policy))
        if uid in one.rules and not one.silenced
    ]
    return {
        "is_known": True,
        "errors": [one for one in found if one.severity is Severity.ERROR],
        "rest": [one for one in found if one.severity is not Severity.ERROR],
    }


def sentence_card(policy: Policy, queue: Queue, card: Card) -> dict[str, Any]:
    """The context of `_sentence_card.html`."""
    assert card.sentence is not None
    review = queue.sentences[card.sentence]
    history = SentenceMark.objects.filter(policy=policy, lineage=card.key).select_related("by")
    limited = review.mark.outcomes if review.mark else []
    return {
        "key": card.key,
        "is_rule": False,
        "label": card.label,
        "kind": card.kind,
        "state": card.state,
        "hash": review.hash,
        "path": path_shown(
            review.sentence.revision.document.title,
            [*review.sentence.headings, *review.sentence.context],
        ),
        "pieces": pieces(review.sentence.text, review.words),
        "reason": as_sentence(review.reason),
        "was_tried": was_tried(policy, card.key),
        "mark": review.mark,
        "mark_lapsed": review.mark is None and any(m.content_hash != review.hash for m in history),
        "limits": [said(queue.composition.model, uid) for uid in limited],
        "threads": threads_shown(policy, lineages=[card.key]),
        "history": [
            as_sentence(f"{mark.by} said {mark.get_kind_display()}, {_day(mark.at)}")
            + (f" {mark.reason}" if mark.reason else "")
            for mark in history.order_by("-pk")[:MAX_HISTORY]
        ],
    }


def outcomes_of(policy: Policy, model: PolicyModel) -> list[dict[str, Any]]:
    rows = VariableRow.objects.filter(policy=policy, role="outcome")
    known = [row.uid for row in rows if row.uid in model.variable_by_id]
    return [{"uid": uid, "label": said(model, uid)} for uid in known]


def said(model: PolicyModel, uid: str) -> str:
    """How a variable is said; for one that is gone, that it is."""
    variable = model.variable_by_id.get(uid)
    return draft_phrases(variable).text if variable else "a variable that is gone"


def variable_kind(model: PolicyModel, variable: Variable) -> str:
    """`fact, an amount in EUR`: role, sort and unit in words."""
    if variable.sort == BOOL:
        sort = "yes or no"
    elif variable.sort.is_enumeration:
        datatype = model.datatype_by_id[variable.sort.key]
        sort = "one of " + ", ".join(value_phrase(value) for value in datatype.values)
    else:
        sort = _number_kind(variable)
    return f"{variable.role.value}, {sort}"


def _number_kind(variable: Variable) -> str:
    unit = variable.unit
    if unit == "date":
        return "a date"
    if unit in ("percent", "share"):
        return "a percentage"
    if is_currency(unit):
        return f"an amount in {unit}"
    whole = "a whole number" if variable.sort == INT else "a number"
    return f"{whole} of {unit}" if unit else whole


def _scopes(queue: Queue, key: str) -> list[ScopeReview]:
    """The scopes that are part of a rule, with where each stands."""
    taken = queue.composition.scope_of.get(key, ())
    return [one for one in queue.scopes if one.scope.uid in taken]


def smtlib_of(row: Rule, rule: ModelRule | None, model: PolicyModel) -> str:
    """The rule's condition in SMT-LIB; empty for one that does not fit its declarations."""
    return print_term(model, rule.term) if rule else ""


def edges_shown(model: PolicyModel, cases: Sequence[EdgeCase]) -> list[dict[str, Any]]:
    """Cases that differ in one value only are rows of one table, so that the values align."""
    shown: list[dict[str, Any]] = []
    rest = list(cases)
    while rest:
        first, second = rest[0], rest[1] if len(rest) > 1 else None
        bound = _differing(first, second) if second is not None and first.at else ""
        if second is None or not bound:
            shown.append({"subject": _capital(first.english), "follows": first.follows})
            rest = rest[1:]
            continue
        others = {uid: value for uid, value in first.values.items() if uid != bound}
        subject = said(model, bound)
        subject += f", where {render_case(model, others)}" if others else ""
        rows = [{"at": case.at, "follows": case.follows} for case in (first, second)]
        shown.append({"subject": f"{_capital(subject)}:", "rows": rows})
        rest = rest[2:]
    return shown


def _differing(first: EdgeCase, second: EdgeCase) -> str:
    """The one variable in which two cases differ; empty if they differ otherwise."""
    found = [uid for uid in first.values if second.values.get(uid) != first.values[uid]]
    same = first.values.keys() == second.values.keys()
    return found[0] if same and len(found) == 1 and second.at else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _not_carried(sentence: SentenceReview | None) -> list[str]:
    if sentence is None:
        return []
    return [sentence.sentence.text[start:end] for start, end in sentence.words]


def _meanings(model: PolicyModel, rule: ModelRule) -> Iterator[dict[str, str]]:
    pending: list[Term] = [rule.term]
    seen: set[str] = set()
    while pending:
        for symbol in symbols(pending.pop()):
            if symbol.id in seen:
                continue
            seen.add(symbol.id)
            declared = model.declared(symbol.id)
            kind = variable_kind(model, declared) if isinstance(declared, Variable) else "defined"
            phrase = draft_phrases(declared).text
            yield {"phrase": phrase, "meaning": declared.description, "kind": kind}
            if not isinstance(declared, Variable):
                pending.append(declared.term)


def _rule_history(row: Rule) -> Iterator[str]:
    decisions = Decision.objects.filter(rule=row).select_related("by").defer("content", "english")
    revisions = RuleRevision.objects.filter(rule=row).select_related("author").defer("content")
    lines = [
        (
            one.at,
            f"{one.by}: {one.verdict}, {_day(one.at)}" + (f". {one.reason}" * bool(one.reason)),
        )
        for one in decisions.order_by("-pk")[:MAX_HISTORY]
    ]
    lines += [
        (one.created_at, f"{one.author or 'The formalizer'}: {one.cause}, {_day(one.created_at)}")
        for one in revisions.order_by("-pk")[:MAX_HISTORY]
    ]
    for _, line in sorted(lines, key=lambda pair: pair[0], reverse=True)[:MAX_HISTORY]:
        yield line


def _day(moment: Any) -> str:
    return str(formats.date_format(moment, "j F Y, H:i"))


def as_sentence(text: str) -> str:
    """The first letter large and a full stop at the end; nothing stays nothing."""
    text = text.strip()
    return _capital(text) + ("" if not text or text.endswith((".", "!", "?")) else ".")
