"""One case of the suite: answered before anything of the finding is shown, then beside it.

A disagreement leads on: to an edit of a rule that would mend it, to a rule's editor, to
another answer, or to a comment on the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from policies.access import MemberRequest, may, policy_view
from policies.composing import Composition, compose
from policies.editing import DraftMovedError
from policies.models import Policy, Rule
from policies.roles import Action
from policywright.english import render_sentence
from policywright.model import Kind
from policywright.normal import normal_form
from policywright.smtlib import print_term
from policywright.terms import TRUE, Term
from vetting.cases_answered import (
    CaseReview,
    CaseState,
    Repair,
    answer_case,
    case_states,
    repairs_of,
    reveal,
)
from vetting.decisions import english_of
from vetting.english import read_english
from vetting.lint_fixes import without_scopes
from vetting.refusals import ReadingError, RefusedError
from vetting.suites import suite_now
from vetting.threads import comment_on
from vetting.views.acting import sent
from vetting.views.cards import as_sentence
from vetting.views.case_shown import answers_offered, case_shown, say_found, say_said
from vetting.views.comments import may_comment, threads_shown
from vetting.views.places import sources_shown
from vetting.views.review import FROM_CASE, card_url
from vetting.views.suite import NAMES
from vetting.written import Language

GONE = "This case is asked no more: the rules changed since. What was answered is kept."
# Sentences that a comment may be about, where the finding has no rules.
MAX_OWNERS = 8
Reviews = Mapping[str, CaseReview]


@policy_view(Action.VIEW)
@require_GET
def next_case(request: MemberRequest, policy: Policy) -> HttpResponse:
    """To the first case that nobody answered, from the one named `after` on."""
    _, reviews = _asked_now(policy)
    key = _next(reviews, request.GET.get("after", ""))
    if not key:
        messages.info(request, "No case is left to answer.")
        return redirect("suite", policy.slug)
    return redirect("suite-case", policy.slug, key)


@policy_view(Action.VIEW)
@require_GET
def case(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """The question; for a case that is answered the finding, unless it is asked `again`."""
    composition, reviews = _asked_now(policy)
    review = reviews.get(key)
    if review is None:
        messages.info(request, GONE)
        return redirect("suite", policy.slug)
    if review.state is CaseState.NEW or "again" in request.GET:
        return _question(request, policy, composition, reviews, review)
    return _answered(request, policy, composition, reviews, review)


@policy_view(Action.DECIDE)
@require_POST
def answer(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    composition, reviews = _asked_now(policy)
    review = reviews.get(key)
    if review is None:
        messages.error(request, GONE)
        return redirect("suite", policy.slug)
    said, before = sent(request, "said"), review.scenario
    others = before is not None and before.by != request.user
    if others and before is not None and before.uid != sent(request, "seen"):
        if before.expected != said:
            words = _words(composition, review, said)
            messages.info(
                request,
                f"{before.by} answered this case while you read it, so yours was not kept"
                f"{f' (‘{words}’)' if words else ''}. Answer again if it is otherwise.",
            )
        return redirect("suite-case", policy.slug, key)
    try:
        answer_case(policy, request.user, key, said, shown=sent(request, "shown"))
    except (RefusedError, DraftMovedError) as error:
        problem = as_sentence(str(error))
        return _question(request, policy, composition, reviews, review, problem=problem)
    return redirect("suite-case", policy.slug, key)


@policy_view(Action.DECIDE)
@require_GET
def repairs(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """The edits with which the rules would say what the person said; takes seconds."""
    composition, reviews = _asked_now(policy)
    review = reviews.get(key)
    if review is None or review.state is not CaseState.DISAGREES:
        messages.info(request, "You and the rules do not disagree about this any more.")
        return redirect("suite", policy.slug)
    try:
        found, why = repairs_of(policy, composition, review), ""
    except RefusedError as error:
        found, why = [], as_sentence(str(error))
    more = {
        "repairs": [_repair(policy, composition, one) for one in found],
        "no_repairs": why
        or "No single edit of a rule makes the rules say what you said. Edit a rule by hand.",
    }
    if request.htmx:
        context = {"policy": policy, "case": {"key": key}, **more}
        return render(request, "vetting/_repairs.html", context)
    return _answered(request, policy, composition, reviews, review, more=more)


@policy_view(Action.COMMENT)
@require_POST
def comment(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """Kept with the sentence, the rule and the case."""
    composition, reviews = _asked_now(policy)
    review = reviews.get(key)
    uid, _, lineage = sent(request, "lineage").partition(":")
    rule = policy.rules.filter(uid=uid).first() if uid else None
    scenario = review.scenario if review else None
    text = sent(request, "text")
    try:
        comment_on(policy, request.user, lineage=lineage, rule=rule, scenario=scenario, text=text)
    except RefusedError as error:
        if review is None or review.state is CaseState.NEW:
            messages.error(request, as_sentence(str(error)))
            return redirect("suite", policy.slug)
        typed = {"text": text, "lineage": sent(request, "lineage")}
        more = {"problem_comment": as_sentence(str(error)), "typed": typed}
        return _answered(request, policy, composition, reviews, review, more=more, status=422)
    messages.success(request, "Kept: the comment is on the cards of the sentence and its rules.")
    return redirect("suite-case", policy.slug, key)


def _asked_now(policy: Policy) -> tuple[Composition, Reviews]:
    composition = compose(policy)
    return composition, case_states(policy, composition, suite_now(policy, composition))


def _question(
    request: MemberRequest,
    policy: Policy,
    composition: Composition,
    reviews: Reviews,
    review: CaseReview,
    *,
    problem: str = "",
) -> HttpResponse:
    """Nothing on this page depends on what the rules say of the case."""
    model = composition.model
    context = {
        **_frame(request, policy, reviews, review),
        "case": case_shown(model, review.case),
        "answers": answers_offered(model, review.case.claim),
        "shown": review.case.shown,
        "seen": review.scenario.uid if review.scenario else "",
        "problem": problem,
    }
    status = 409 if problem else 200
    return render(request, "vetting/suite_case.html", context, status=status)


def _answered(
    request: MemberRequest,
    policy: Policy,
    composition: Composition,
    reviews: Reviews,
    review: CaseReview,
    *,
    more: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    review = reveal(policy, composition, review)
    model, claim, row = composition.model, review.case.claim, review.scenario
    assert row is not None
    assert review.finding is not None
    frame = _frame(request, policy, reviews, review)
    rules = list(rules_shown(policy, composition, review.rules))
    waiting = _next(reviews, review.case.key)
    context = {
        **frame,
        "case": case_shown(model, review.case),
        "agrees": review.state is CaseState.AGREED,
        "undecided": review.state is CaseState.UNDECIDED,
        "said": {"by": row.by, "words": say_said(model, claim, row.expected)},
        "found": say_found(model, claim, review.finding),
        "rules": rules,
        "why_none": as_sentence(review.why) or "No rule decides it.",
        "again": f"{reverse('suite-case', args=[policy.slug, review.case.key])}?again=yes",
        "next": reverse("suite-case", args=[policy.slug, waiting]) if waiting else "",
        "left": any(one.state is CaseState.DISAGREES for one in reviews.values()),
        "lineages": _lineages(policy, composition, review, rules),
        "threads": threads_shown(policy, request.user, scenarios=[row.uid]),
        "repairs": None,
        **(more or {}),
    }
    return render(request, "vetting/suite_answered.html", context, status=status)


def _frame(
    request: MemberRequest, policy: Policy, reviews: Reviews, review: CaseReview
) -> dict[str, Any]:
    keys = [key for key, one in reviews.items() if one.case.tier == review.case.tier]
    every, at = list(reviews), list(reviews).index(review.case.key)
    later = _next(reviews, review.case.key)
    name = NAMES[review.case.tier][0]
    place = f"{name}: case {keys.index(review.case.key) + 1} of {len(keys)}"

    def url(key: str) -> str:
        return reverse("suite-case", args=[policy.slug, key])

    return {
        "policy": policy,
        "tab": "suite",
        "place": place,
        "previous": url(every[at - 1]) if at else "",
        "skip": url(later) if later else "",
        "may_decide": may(request.user, policy, Action.DECIDE),
        "may_comment": may_comment(request, policy),
    }


def _next(reviews: Reviews, after: str) -> str:
    """The key of the next case that nobody answered, behind one and then from the start."""
    keys = list(reviews)
    at = keys.index(after) + 1 if after in reviews else 0
    waiting = (
        key
        for key in (*keys[at:], *keys[:at])
        if key != after and reviews[key].state is CaseState.NEW
    )
    return next(waiting, "")


def _words(composition: Composition, review: CaseReview, said: str) -> str:
    offered = {one["value"] for one in answers_offered(composition.model, review.case.claim)}
    return say_said(composition.model, review.case.claim, said) if said in offered else ""


def rules_shown(
    policy: Policy, composition: Composition, uids: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The rules of a finding in English, each with its sentences."""
    rows = Rule.objects.filter(policy=policy, retired_at=None, uid__in=uids)
    by_uid = {row.uid: row for row in rows.prefetch_related("sources")}
    for uid in uids:
        row = by_uid.get(uid)
        if row is None:
            continue
        yield {
            "uid": uid,
            "name": row.name,
            "url": f"{card_url(policy, uid)}?from={FROM_CASE}#here",
            "english": english_of(row, composition),
            "sources": sources_shown(policy, row),
            "without": _WITHOUT.get(row.kind, "No sentence is named as its source."),
            "is_editable": row.kind != Kind.DEFAULT,
        }


_WITHOUT = {
    Kind.ASSUMPTION.value: "An assumption: it stands in no sentence.",
    Kind.DEFAULT.value: "A default: it says what holds where no rule decides.",
}


def _lineages(
    policy: Policy,
    composition: Composition,
    review: CaseReview,
    rules: Sequence[Mapping[str, Any]],
) -> list[dict[str, str]]:
    """The sentences that a comment may be about: of the finding's rules, else of those asked."""
    shown = list(rules)
    if not any(rule["sources"] for rule in shown):
        owners = list(dict.fromkeys(str(one["owner"]) for one in review.case.tells))
        shown = list(rules_shown(policy, composition, owners[:MAX_OWNERS]))
    return [
        {"value": f"{rule['uid']}:{source['lineage']}", "label": source["quote"]}
        for rule in shown
        for source in rule["sources"]
        if not source["is_gone"]
    ]


def _repair(policy: Policy, composition: Composition, repair: Repair) -> dict[str, Any]:
    """A button that opens the rule's editor with the text filled in."""
    model = composition.model
    term = without_scopes(composition, repair.rule, repair.term)
    english = text = render_sentence(model, term)
    language = Language.ENGLISH
    if not _reads_back(english, term, composition):
        text, language = print_term(model, term), Language.SMTLIB
    of = repair.of
    keeps = f"It keeps {repair.keeps} of {of} other answer{'s' if of != 1 else ''}." if of else ""
    return {
        "english": repair.english,
        "after": "" if repair.term == TRUE else english,
        "keeps": keeps,
        "language": language.value,
        "text": text,
        "shown": composition.hashes.get(repair.rule, ""),
        "url": f"{reverse('read-rule', args=[policy.slug, repair.rule])}?from={FROM_CASE}",
        "leaves": repair.term == TRUE,
        "card": f"{card_url(policy, repair.rule)}?from={FROM_CASE}#here",
    }


def _reads_back(english: str, term: Term, composition: Composition) -> bool:
    """Whether the text is read as this very condition, and as no other."""
    try:
        return normal_form(read_english(english, composition.model)) == normal_form(term)
    except ReadingError:
        return False
