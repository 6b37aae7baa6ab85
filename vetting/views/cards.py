"""What the two kinds of cards show: a rule beside its sentence, and a sentence without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import formats, timezone

from policies.composing import Composition
from policies.models import Policy, Rule, RuleRevision
from policywright.english import draft_phrases, render_case
from policywright.english.phrases import value_phrase
from policywright.english.values import is_currency
from policywright.lint import Severity
from policywright.model import PolicyModel, Role, Variable
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
from vetting.in_hand import InHand
from vetting.lint import LintHint, found_of_rule
from vetting.models import Decision, SentenceMark
from vetting.reading import pieces
from vetting.review import rule_states
from vetting.scopes import ScopeReview, scope_states
from vetting.sentences import sentence_state
from vetting.views.answers import answers_shown, question_shown
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


def rule_card(hand: InHand, hint: LintHint | None) -> dict[str, Any]:
    """The context of `_rule_card.html`."""
    policy, row, review, composition = hand.policy, hand.row, hand.review, hand.composition
    assert row is not None
    assert review is not None
    model = composition.model
    rule = model.rule_by_id.get(row.uid)
    english = english_of(row, composition)
    own, sentence = hand.sentences, hand.sentence
    unread = unread_in(policy, own.values())
    answered = [one for one in hand.questions if not one.is_open]
    answers = answers_shown(policy, hand.whole, answered) if answered else []
    sources = sources_shown(policy, row, own)
    return {
        "key": row.uid,
        "is_rule": True,
        "label": hand.queue.label(hand.card),
        "kind": row.kind,
        "state": review.state,
        "name": row.name,
        "hash": review.hash,
        "review": review,
        "questions": [question_shown(one, composition) for one in review.questions],
        "values": values_asked(policy, composition, row.uid),
        "contradicted": [one for one in answers if one["fails"]],
        "held": [one for one in answers if not one["fails"]],
        "may_be_approved": bool(review.hash) and not review.questions and not unread,
        "unread": unread,
        "english": english,
        "is_long": len(english) > LONG,
        "sources": sources,
        "ranked": len({source["rank"] for source in sources if source.get("rank")}) > 1,
        "scopes": _scopes(policy, composition, row.uid),
        "source_moved": sentence is None,
        "edges": edges_shown(model, edge_cases(model, rule)) if rule else [],
        "told": translators_shown(policy, row, composition) if hand.is_told else None,
        "not_carried": [sentence.text[start:end] for start, end in hand.words] if sentence else [],
        "meanings": list(_meanings(model, rule)) if rule else [],
        "smt2": smtlib_of(row, rule, model),
        "history": list(_rule_history(row, hand.decisions)),
        "lineage": sentence.lineage if sentence else "",
        "sentence_hash": hand.sentence_hash,
        "lint": lint_shown(policy, row.uid, hint),
        "proposed": open_proposals(row, review.hash) if hand.is_proposed else [],
    }


def lint_shown(policy: Policy, uid: str, hint: LintHint | None) -> dict[str, Any]:
    """What lint found of a rule and nobody silenced; `is_known` where the draft was checked."""
    if hint is None:
        return {"is_known": False, "is_under_way": is_being_checked(policy)}
    found = [one for one in found_of_rule(hint, uid, policy) if not one.silenced]
    return {
        "is_known": True,
        "errors": [one for one in found if one.severity is Severity.ERROR],
        "rest": [one for one in found if one.severity is not Severity.ERROR],
    }


def sentence_card(hand: InHand) -> dict[str, Any]:
    """The context of `_sentence_card.html`."""
    policy, sentence, model = hand.policy, hand.sentence, hand.composition.model
    assert sentence is not None
    rules = rule_states(policy, hand.composition, some=True) if model.rules else {}
    history = SentenceMark.objects.filter(policy=policy, lineage=sentence.lineage)
    marks = list(history.select_related("by").order_by("-pk"))
    review = sentence_state(policy, sentence, rules, marks)
    limited = review.mark.outcomes if review.mark else []
    return {
        "key": sentence.lineage,
        "is_rule": False,
        "label": hand.queue.label(hand.card),
        "kind": hand.card.kind,
        "state": review.state,
        "hash": review.hash,
        "path": path_shown(
            sentence.revision.document.title, [*sentence.headings, *sentence.context]
        ),
        "pieces": pieces(sentence.text, review.words),
        "reason": as_sentence(review.reason),
        "was_tried": was_tried(policy, sentence.lineage),
        "mark": review.mark,
        "mark_lapsed": review.mark is None and any(m.content_hash != review.hash for m in marks),
        "limits": [said(model, uid) for uid in limited],
        "history": [
            as_sentence(f"{mark.by} said {mark.get_kind_display()}, {_day(mark.at)}")
            + (f" {mark.reason}" if mark.reason else "")
            for mark in marks[:MAX_HISTORY]
        ],
    }


def outcomes_of(model: PolicyModel) -> list[dict[str, Any]]:
    outcomes = (one.id for one in model.variables if one.role is Role.OUTCOME)
    return [{"uid": uid, "label": said(model, uid)} for uid in outcomes]


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


def _scopes(policy: Policy, composition: Composition, key: str) -> list[ScopeReview]:
    """The scopes that are part of a rule, with where each stands."""
    taken = composition.scope_of.get(key, ())
    states = scope_states(policy, composition) if taken else []
    return [one for one in states if one.scope.uid in taken]


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


def _rule_history(row: Rule, decisions: Sequence[Decision]) -> Iterator[str]:
    revisions = RuleRevision.objects.filter(rule=row).select_related("author").defer("content")
    lines = [
        (
            one.at,
            f"{one.by}: {one.verdict}, {_day(one.at)}" + (f". {one.reason}" * bool(one.reason)),
        )
        for one in decisions[-MAX_HISTORY:]
    ]
    lines += [
        (one.created_at, f"{one.author or 'The formalizer'}: {one.cause}, {_day(one.created_at)}")
        for one in revisions.order_by("-pk")[:MAX_HISTORY]
    ]
    for _, line in sorted(lines, key=lambda pair: pair[0], reverse=True)[:MAX_HISTORY]:
        yield line


def _day(moment: Any) -> str:
    return str(formats.date_format(timezone.localtime(moment), "j F Y, H:i"))


def as_sentence(text: str) -> str:
    """The first letter large and a full stop at the end; nothing stays nothing."""
    text = text.strip()
    return _capital(text) + ("" if not text or text.endswith((".", "!", "?")) else ".")
