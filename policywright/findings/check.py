"""Judges a claim: two questions, then the evidence a person is shown.

The evidence comes from one fresh session built in document order, so it never
depends on what was asked before. Witnesses are replayed through `evaluate`; a
core is asked again alone.

Source: the paper's section 3.2; SMT-LIB 2.6, check-sat and get-unsat-core.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policywright.checks import divisors
from policywright.errors import DivisionByZeroError, PolicywrightError
from policywright.evaluate import holds
from policywright.finding_kinds import FindingKind
from policywright.findings.finding import Finding, Scenarios
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.findings.scenarios import near_scenarios
from policywright.model import PolicyModel
from policywright.smtlib import Answer, Fact
from policywright.solver import DEFAULT_RLIMIT, Session, Status, compiled, open_session
from policywright.terms import Term, eq, not_, real
from policywright.witness import Witness

_BY_ANSWERS = {
    (Status.SAT, Status.SAT): FindingKind.SATISFIABLE,
    (Status.SAT, Status.UNSAT): FindingKind.VALID,
    (Status.UNSAT, Status.SAT): FindingKind.INVALID,
    (Status.UNSAT, Status.UNSAT): FindingKind.IMPOSSIBLE,
}


class EvidenceError(PolicywrightError):
    """A solver's evidence did not survive being checked again: a fault of the product."""


def find(model: PolicyModel, answer: Answer, *, rlimit: int = DEFAULT_RLIMIT) -> Finding:
    """The finding for an answer."""
    return check_claim(model, answer.facts, answer.claim, rlimit=rlimit)


def check_claim(
    model: PolicyModel,
    facts: Sequence[Fact],
    claim: Term,
    *,
    rlimit: int = DEFAULT_RLIMIT,
) -> Finding:
    """Judge a claim against the rules that it and the facts touch.

    VALID if they entail it, INVALID if they entail its negation, SATISFIABLE if
    neither (one scenario a side), IMPOSSIBLE if they clash on their own. Once
    `rlimit` is spent on a question that matters, UNDECIDED. Rules that share no
    variable with the question, however indirectly, have no part in it.
    """
    terms = [*(fact.term for fact in facts), claim, not_(claim)]
    session = open_session(model, terms, rlimit=rlimit)
    return Check(model, facts, claim, session, session.added).finding()


class Check:
    """One check in one session over the slice; `added` numbers facts, claim and denial."""

    def __init__(
        self,
        model: PolicyModel,
        facts: Sequence[Fact],
        claim: Term,
        session: Session,
        added: Sequence[int],
    ) -> None:
        self.model, self.facts, self.claim, self.session = model, facts, claim, session
        self.rules = list(session.rules)
        self.given, self.claimed, self.denied = list(added[:-2]), added[-2], added[-1]
        self.guards: list[Term] = []
        self.guarded: list[int] = []
        self.cores: dict[int, frozenset[int]] = {}

    def finding(self) -> Finding:
        kind, answers = self.kind()
        try:
            if kind is None:
                return self._undecided(*answers)
            if kind is FindingKind.SATISFIABLE:
                return self._satisfiable()
            return self.decided(kind)
        except DivisionByZeroError:
            return self._with_guards()
        except NotDecidedError:
            return Finding(FindingKind.UNDECIDED, notes=("a limit was reached on the way",))

    def kind(self) -> tuple[FindingKind | None, tuple[Status, Status]]:
        """The finding's kind, None if undecided, and whether the claim can hold, can fail."""
        can_hold = self._ask(self.claimed)
        if can_hold is Status.UNSAT and self.claimed not in self.cores[self.claimed]:
            # Rules and facts clash on their own: the other side has no chance either.
            return FindingKind.IMPOSSIBLE, (can_hold, can_hold)
        answers = (can_hold, self._ask(self.denied))
        return _BY_ANSWERS.get(answers), answers

    def proof(self, kind: FindingKind) -> tuple[list[int], list[int]]:
        """Numbers of the rules and of the facts behind a decided finding, both minimal.

        What is left is asked again in a solver that holds nothing but these rules and
        the facts given.
        """
        side = _side(kind, self.claimed, self.denied)
        core = self.cores[side[0] if side else self.claimed]
        if not side and self.claimed in core:
            found = self._clash([*self.rules, *self.given])
            assert found is not None, "claim and denial both clash, and what is left does not"
            core = found
        rules, core = minimal_core(self.rules, [*side, *self.given], core, self._clash)
        with self.session.alone([*side, *rules, *self.given]) as check:

            def clash(numbers: Sequence[int]) -> frozenset[int] | None:
                return self._core_after(check(numbers))

            given, _ = minimal_core(self.given, [*side, *rules], core, clash)
            if clash([*side, *rules, *given]) is None:
                raise EvidenceError("rules and facts were reported that do not clash alone")
        return rules, given

    def _ask(self, number: int) -> Status:
        status = self.session.check([*self.rules, *self.given, *self.guarded, number])
        if status is Status.UNSAT:
            self.cores[number] = self.session.core()
        return status

    def _first_cases(self) -> Scenarios:
        """A case of each side, once both are known to be possible.

        Read only now: most checks end otherwise, and a model is dear to read.
        """
        fails = self.session.witness()
        if self._ask(self.claimed) is not Status.SAT:
            raise EvidenceError("a claim could hold when asked first, and not when asked again")
        return Scenarios(self.session.witness(), fails)

    def decided(self, kind: FindingKind) -> Finding:
        """VALID, INVALID or IMPOSSIBLE with the rules and facts behind it, both minimal."""
        rules, given = self.proof(kind)
        return Finding(
            kind,
            tuple(sorted(self.model.rules[number].name for number in rules)),
            tuple(sorted(self.facts[self.given.index(number)].name for number in given)),
            rules_clash=kind is FindingKind.IMPOSSIBLE and not given and bool(rules),
            notes=tuple(_logic_notes(kind, rules, given)),
        )

    def cases(self) -> Finding:
        """SATISFIABLE with the first case of each side, replayed."""
        first = self._first_cases()
        self._replay(first.holds, True)
        self._replay(first.fails, False)
        return Finding(FindingKind.SATISFIABLE, scenarios=first)

    def _satisfiable(self) -> Finding:
        first = self.cases().scenarios
        assert first is not None
        scenarios, depends_on, silent = near_scenarios(
            self.session,
            self.model,
            [*self._premises(), *self.guards, self.claim],
            (self.claimed, self.denied),
            [*self.rules, *self.given, *self.guarded],
            first,
        )
        self._replay(scenarios.holds, True)
        self._replay(scenarios.fails, False)
        names = tuple(self.model.name_of(variable_id) for variable_id in depends_on)
        guessed = any(variable.role_guessed for variable in self.model.variables)
        note = "which variables are facts was guessed: this file gives no roles"
        return Finding(
            FindingKind.SATISFIABLE,
            scenarios=scenarios,
            depends_on=names,
            silent=silent,
            notes=(note,) if guessed else (),
        )

    def _undecided(self, can_hold: Status, can_fail: Status) -> Finding:
        excluded: set[FindingKind] = set()
        for (holds_, fails), kind in _BY_ANSWERS.items():
            answered = ((can_hold, holds_), (can_fail, fails))
            if any(got not in (Status.UNKNOWN, needed) for got, needed in answered):
                excluded.add(kind)
        return Finding(
            FindingKind.UNDECIDED,
            excluded=tuple(kind for kind in FindingKind if kind in excluded),
            notes=("the solver gave no answer within its limit",),
        )

    def _with_guards(self) -> Finding:
        """Again with every divisor not zero: no finding may rest on an invented quotient."""
        if self.guarded:
            raise EvidenceError("a divisor is zero although it was required not to be")
        used = divisors(self.model, [*self._premises(), self.claim])
        self.guards = [not_(eq(divisor, real(0))) for divisor in used]
        self.guarded = self.session.add_all(self.guards)
        if self.kind()[0] is FindingKind.SATISFIABLE:
            return self._satisfiable()
        note = "a rule divides by something that can be zero in this case; guard the division"
        return Finding(FindingKind.UNDECIDED, notes=(note,))

    def _premises(self) -> list[Term]:
        return [*(self.model.rules[n].term for n in self.rules), *(f.term for f in self.facts)]

    def _clash(self, numbers: Sequence[int]) -> frozenset[int] | None:
        return self._core_after(self.session.check(numbers))

    def _core_after(self, status: Status) -> frozenset[int] | None:
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return self.session.core() if status is Status.UNSAT else None

    def _replay(self, witness: Witness, claim_holds: bool) -> None:
        """Every rule and fact, and the claim, must come out as the solver said."""
        if not witness.exact:
            return
        assignment, prepared = witness.assignment(), compiled(self.model)
        if not all(prepared.meaning(number)(assignment) for number in self.rules):
            raise EvidenceError("a scenario was reported that breaks a rule")
        if not all(holds(fact.term, assignment, self.model) for fact in self.facts):
            raise EvidenceError("a scenario was reported that breaks a fact")
        if holds(self.claim, assignment, self.model) is not claim_holds:
            raise EvidenceError("a scenario was reported in which the claim comes out otherwise")


def _side(kind: FindingKind, claimed: int, denied: int) -> list[int]:
    """The number of what was refuted, besides rules and facts, by a decided finding."""
    return {FindingKind.VALID: [denied], FindingKind.INVALID: [claimed]}.get(kind, [])


def _logic_notes(kind: FindingKind, rules: Sequence[int], given: Sequence[int]) -> Iterable[str]:
    if kind is FindingKind.IMPOSSIBLE:
        if not rules:
            yield "the facts contradict each other, whatever the policy says"
        elif not given:
            yield "the rules contradict each other, whatever the facts are"
    elif not rules:
        outcome = "true" if kind is FindingKind.VALID else "false"
        yield f"the claim is {outcome} whatever the policy says"
