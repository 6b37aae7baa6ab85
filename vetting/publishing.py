"""Publishes a version: refused, with each reason and what it is about, until all is said.

The only caller of `policies.versions`. Publishing takes the draft's lock and
the revision that the page showed, so a publication that races an edit loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from policies.approving import Missing
from policies.composing import Composition, compose
from policies.editing import DraftMovedError
from policies.models import Policy, User, Version
from policies.scoping import Scope
from policies.version_record import (
    Accounted,
    DecisionSaid,
    QuestionSaid,
    Said,
    SentenceSaid,
    VersionRecord,
)
from policies.versions import FreezeRefusedError, freeze_version
from policywright.lint import Severity
from policywright.model import Kind
from vetting.approvers import names_of, what_is_missing
from vetting.lint import LintNow, lint_made
from vetting.lock import locked
from vetting.models import Decision, Origin, ValuesQuestion
from vetting.questions import QuestionReview, question_states
from vetting.refusals import RefusedError
from vetting.review import ReviewState, RuleReview, rule_states
from vetting.scenarios import InForce, Result, Run, run_in_force, scenarios_in_force
from vetting.scopes import ScopeReview, scope_states
from vetting.sentences import UNACCOUNTED, SentenceReview, SentenceState, sentence_states
from vetting.values import ValuesReview, values_states

# A person waits; what was run is kept, so publishing again goes on.
PUBLISH_S = 20.0
NOT_RUN = (
    "{count:,} of the scenarios were not run in time. What was found is kept: publish again, and "
    "the rest is run."
)
NOT_CHECKED = "The rules could not be checked in time; open Lint, and publish once it is done."


@dataclass(frozen=True)
class Blocker:
    """Why nothing can be published yet: one sentence, and what to open.

    `kind` is `rule`, `question`, `scope`, `datatype`, `scenario`, `sentence`, `lint`, `suite` or
    `policy`; `id` the uid of one of the first five, a sentence's lineage, or empty.
    """

    sentence: str
    kind: str
    id: str


class PublishRefusedError(RefusedError):
    """The draft is not ready; `blockers` say why, each with what to open."""

    def __init__(self, blockers: Sequence[Blocker]) -> None:
        super().__init__("\n".join(blocker.sentence for blocker in blockers))
        self.blockers = tuple(blockers)


@dataclass(frozen=True)
class Standing:
    """How the whole draft stands: what a page shows and what publishing rests on."""

    composition: Composition
    rules: Mapping[str, RuleReview]
    sentences: Sequence[SentenceReview]
    questions: Sequence[QuestionReview]
    scopes: Sequence[ScopeReview] = ()

    @property
    def approved(self) -> int:
        return sum(1 for one in self.rules.values() if one.state is ReviewState.APPROVED)


def standing(policy: Policy, composition: Composition | None = None) -> Standing:
    """The draft as it stands now; a number of queries that does not grow with it."""
    found = composition or compose(policy)
    questions = question_states(policy, found)
    rules = rule_states(policy, found, questions=questions)
    return Standing(
        found,
        rules,
        sentence_states(policy, found, rules),
        questions,
        scope_states(policy, found),
    )


def blockers(
    policy: Policy,
    now: Standing | None = None,
    runs: Mapping[str, Run] | None = None,
    lint: LintNow | None = None,
) -> list[Blocker]:
    """Everything that keeps the draft from being published, in the order to work through.

    `runs` are those of the scenarios in force, `lint` is what was found in the draft; without
    them nothing is said of scenarios, or of what lint finds.
    """
    now = now or standing(policy)
    found = [
        *_policy(now),
        *_scopes(now),
        *_rules(now),
        *_questions(now),
        *values_blockers(values_states(policy, now.composition)),
        *_sentences(now),
    ]
    if runs is not None:
        in_force = scenarios_in_force(policy, now.composition, now.questions)
        found += scenario_blockers(in_force, runs)
    return found if lint is None else [*found, *_errors(now, lint)]


def publish(user: User, policy: Policy, *, shown_revision: int) -> Version:
    """Freeze the draft as the next version, or give the version that it is already.

    Raises DraftMovedError if the draft changed since the page was shown, and
    PublishRefusedError with each reason.
    """
    # The solver is asked before the lock is taken; the revision says that nothing moved since.
    composition = compose(policy)
    runs = run_in_force(policy, composition, seconds=PUBLISH_S)
    late = sum(run.is_late for run in runs.values())
    if late:
        raise PublishRefusedError([Blocker(NOT_RUN.format(count=late), "suite", "")])
    lint = lint_made(policy, composition)
    if lint.report is None:
        raise PublishRefusedError([Blocker(NOT_CHECKED, "lint", "")])
    with locked(policy) as row:
        if row.revision != shown_revision:
            raise DraftMovedError(shown_revision, row.revision)
        now = standing(row)
        found = blockers(row, now, runs, lint)
        if found:
            raise PublishRefusedError(found)
        try:
            return freeze_version(_record(user, row, now))
        except FreezeRefusedError as error:
            raise PublishRefusedError([Blocker(r, "policy", "") for r in error.reasons]) from error


def _policy(now: Standing) -> Iterator[Blocker]:
    if not any(rule.kind in (Kind.RULE, Kind.DEFINITION) for rule in now.composition.model.rules):
        yield Blocker("This policy has no rules; write or draft at least one.", "policy", "")


_VALUES_REASONS = {
    ValuesQuestion.COMPLETE: "nobody said whether they are all that there are",
    ValuesQuestion.EXCLUSIVE: "nobody said whether two can hold at once",
}


def values_blockers(reviews: Iterable[ValuesReview]) -> Iterator[Blocker]:
    """A choice of one value rules out two at once, and what is not listed: a person's word."""
    for review in reviews:
        named = f"The values of `{review.datatype.name}` ({review.listed})"
        for question in review.asks:
            yield Blocker(f"{named}: {_VALUES_REASONS[question]}.", "datatype", review.datatype.id)
        if review.can_hold_at_once:
            reason = "two can hold at once; make each a fact of its own"
            yield Blocker(f"{named}: {reason}.", "datatype", review.datatype.id)


RULE_REASONS = {
    ReviewState.WAITING: "waits for a decision",
    ReviewState.NOT_ENOUGH: "waits for another person's approval",
    ReviewState.REJECTED: "was rejected as it stands; change it or take it out",
    ReviewState.BROKEN: "does not fit its declarations; edit it or reject it",
    ReviewState.LAPSED: "changed after it was approved; read it again",
}


def _scopes(now: Standing) -> Iterator[Blocker]:
    def is_there(scope: Scope) -> bool:
        return any(scope.covers(one.sentence) for one in now.sentences)

    return scope_blockers(now.scopes, is_there)


def scope_blockers(
    reviews: Iterable[ScopeReview], is_there: Callable[[Scope], bool]
) -> Iterator[Blocker]:
    """Before the rules: each of theirs is read with the scopes of its section."""
    for review in reviews:
        section, uid = review.scope.section, review.row.uid
        if not is_there(review.scope):
            reason = "is of a section that the document does not hold any more; take it back"
            yield Blocker(f"The scope of '{section}' {reason}.", "scope", uid)
        elif not review.is_approved:
            what = "waits for approval" if review.scope.term is not None else "no longer fits"
            yield Blocker(f"The scope of '{section}' {what}.", "scope", uid)


def _rules(now: Standing) -> Iterator[Blocker]:
    names = names_of(review.missing for review in now.rules.values())
    for uid, review in now.rules.items():
        if review.state in RULE_REASONS:
            rule = now.composition.model.rule_by_id.get(uid)
            named = f"{rule.kind.value.capitalize()} `{rule.name}`" if rule else "A rule"
            reason = rule_reason(review.state, review.missing, names)
            yield Blocker(f"{named} {reason}.", "rule", uid)


def rule_reason(state: ReviewState, missing: Missing, names: Mapping[int, str]) -> str:
    """Why a rule of that state is not published; `names` are of the people that are missing."""
    return what_is_missing(missing, names) if missing else RULE_REASONS[state]


def _questions(now: Standing) -> Iterator[Blocker]:
    for review in now.questions:
        if review.is_open:
            question = review.question
            yield Blocker(f"A question is open: {question.text}", "question", question.uid)


def scenario_blockers(in_force: Iterable[InForce], runs: Mapping[str, Run]) -> Iterator[Blocker]:
    """What a person said is not contradicted unseen: the rules change, or the word does."""
    for one in in_force:
        run = runs.get(one.scenario.uid)
        named = f"{'An answer' if one.question else 'A scenario'}{{}}: '{one.scenario.english}'."
        if run is None:
            yield _of(one, named.format(" is new") + " Try again.")
        elif run.result is Result.FAILS:
            yield _of(one, named.format(" does not hold any more"))


def untold(policy: Policy, now: Standing, runs: Mapping[str, Run]) -> Iterator[Blocker]:
    """What nobody can tell whether it still holds.

    They keep nothing from being published, and are named to whoever publishes; those of the
    suite in one sentence, since the suite asks about them again.
    """
    of_suite = 0
    for one in scenarios_in_force(policy, now.composition, now.questions):
        run = runs.get(one.scenario.uid)
        if run is None or run.result not in (Result.UNDECIDED, Result.UNFIT):
            continue
        if one.scenario.origin == Origin.SUITE and run.result is Result.UNFIT:
            of_suite += 1
        else:
            yield _of(one, f"'{one.scenario.english}': {run.why.rstrip('.')}.")
    if of_suite:
        cases = "answer to a case" if of_suite == 1 else "answers to cases"
        changed = "what the words mean has changed since"
        yield Blocker(f"{of_suite:,} {cases} of the suite: {changed}.", "suite", "")


def _of(one: InForce, sentence: str) -> Blocker:
    if one.question:
        return Blocker(sentence, "rule", one.rule)
    return Blocker(sentence, "scenario", one.scenario.uid)


def _errors(now: Standing, lint: LintNow) -> Iterator[Blocker]:
    """Nothing is proved by rules that clash. A rule that fits no declarations is named above."""
    for one in lint.of(Severity.ERROR):
        if not set(one.rules) & now.composition.broken.keys():
            yield Blocker(one.message, "lint", "")


SENTENCE_REASONS = {
    SentenceState.ABSTAINED: "has no rule: the formalizer abstained",
    SentenceState.FAILED: "has no rule: formalizing it failed",
    SentenceState.UNTOUCHED: "has no rule, and nothing is said of it",
}


def _sentences(now: Standing) -> Iterator[Blocker]:
    for review in now.sentences:
        if review.state in UNACCOUNTED:
            yield sentence_blocker(review.sentence.lineage, review.sentence.text, review.state)


def sentence_blocker(lineage: str, text: str, state: SentenceState) -> Blocker:
    short = text if len(text) <= 80 else f"{text[:79]}…"
    return Blocker(f"'{short}' {SENTENCE_REASONS[state]}.", "sentence", lineage)


def _record(user: User, policy: Policy, now: Standing) -> VersionRecord:
    rows = Decision.objects.filter(policy=policy).select_related("by", "on_behalf_of", "rule")
    rows = rows.order_by("pk")
    decisions = list(rows.defer("content", "rule__term"))
    said = {decision.pk: _decision(decision) for decision in decisions}
    return VersionRecord(
        policy=policy,
        published_by=user,
        approvals={
            uid: said[review.decision.pk].decision
            for uid, review in now.rules.items()
            if review.decision is not None
        },
        sentences=[_sentence(review) for review in now.sentences],
        questions=[_question(review) for review in now.questions],
        decisions=[said[decision.pk] for decision in decisions],
        scopes={review.row.uid: _scope(review) for review in now.scopes},
        approved_by={
            uid: [said[one.pk].decision for one in review.approvals]
            for uid, review in now.rules.items()
        },
    )


def _scope(review: ScopeReview) -> Said:
    decision = review.decision
    assert decision is not None
    said = (decision.verdict, decision.content_hash, decision.by, decision.at)
    return Said(*said, english=decision.english)


def _decision(row: Decision) -> DecisionSaid:
    own = (row.verdict, row.content_hash, row.by, row.at, row.reason, row.english)
    said = Said(*own, on_behalf_of=row.on_behalf_of)
    return DecisionSaid(row.rule.uid, row.rule.name, said)


def _sentence(review: SentenceReview) -> SentenceSaid:
    mark = review.mark
    said = Said(mark.kind, mark.content_hash, mark.by, mark.at, mark.reason) if mark else None
    outcomes = tuple(mark.outcomes) if mark else ()
    state = Accounted(review.state.value)
    return SentenceSaid(review.sentence.lineage, state, review.rules, said, outcomes)


def _question(review: QuestionReview) -> QuestionSaid:
    question, answer = review.question, review.answer
    assert answer is not None
    chosen = review.label_of(answer.reading)
    said = Said(chosen, answer.content_hash, answer.by, answer.at)
    return QuestionSaid(
        question.uid,
        question.rule.uid,
        question.text,
        question.boundary,
        question.readings,
        chosen,
        said,
    )
