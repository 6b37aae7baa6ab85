"""Judges a claim: two questions, then the evidence a person is shown.

The evidence comes from one fresh session built in document order, so it never
depends on what was asked before. Witnesses are replayed through `evaluate`; a
core is asked again alone in a session of its own.

Source: the paper's section 3.2; SMT-LIB 2.6, check-sat and get-unsat-core.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policywright.checks import divisors
from policywright.errors import DivisionByZeroError, PolicywrightError
from policywright.evaluate import holds
from policywright.findings.finding import Finding, FindingKind
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.findings.scenarios import near_scenarios
from policywright.model import PolicyModel
from policywright.smtlib import Answer, Fact
from policywright.solver import DEFAULT_RLIMIT, Session, Status
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
    """Judge a claim against the rules and facts.

    VALID if they entail it, INVALID if they entail its negation, SATISFIABLE if
    neither (one scenario a side), IMPOSSIBLE if they clash on their own. Once
    `rlimit` is spent on a question that matters, UNDECIDED.
    """
    return _Check(model, facts, claim, rlimit).finding()


class _Check:
    def __init__(self, model: PolicyModel, facts: Sequence[Fact], claim: Term, rlimit: int) -> None:
        self.model, self.facts, self.claim, self.rlimit = model, facts, claim, rlimit
        terms = [*(rule.term for rule in model.rules), *(fact.term for fact in facts)]
        self.session = Session(model, terms, rlimit=rlimit)
        self.rules = range(len(model.rules))
        self.given = range(len(model.rules), len(terms))
        self.claimed = self.session.add(claim)
        self.denied = self.session.add(not_(claim))
        self.terms = [*terms, claim]
        self.guarded: list[int] = []

    def finding(self) -> Finding:
        can_hold, can_fail = self._ask(self.claimed), self._ask(self.denied)
        kind = _BY_ANSWERS.get((can_hold, can_fail))
        try:
            if kind is None:
                return self._undecided(can_hold, can_fail)
            if kind is FindingKind.SATISFIABLE:
                return self._satisfiable()
            return self._decided(kind)
        except DivisionByZeroError:
            return self._with_guards()
        except NotDecidedError:
            return Finding(FindingKind.UNDECIDED, notes=("a limit was reached on the way",))

    def _ask(self, number: int) -> Status:
        return self.session.check([*self.rules, *self.given, *self.guarded, number])

    def _decided(self, kind: FindingKind) -> Finding:
        sides = {
            FindingKind.VALID: [self.denied],
            FindingKind.INVALID: [self.claimed],
            FindingKind.IMPOSSIBLE: [],
        }
        side = sides[kind]
        rules = minimal_core(self.rules, [*side, *self.given], self._clash)
        given = minimal_core(self.given, [*side, *rules], self._clash)
        self._recheck([*side, *rules, *given])
        rules_clash = kind is FindingKind.IMPOSSIBLE and not given and bool(rules)
        return Finding(
            kind,
            tuple(sorted(self.model.rules[number].name for number in rules)),
            tuple(sorted(self.facts[number - len(self.model.rules)].name for number in given)),
            rules_clash=rules_clash,
            notes=tuple(self._logic_notes(kind, rules, given)),
        )

    def _logic_notes(
        self, kind: FindingKind, rules: Sequence[int], given: Sequence[int]
    ) -> Iterable[str]:
        if kind is FindingKind.IMPOSSIBLE:
            if not rules:
                yield "the facts contradict each other, whatever the policy says"
            elif not given:
                yield "the rules contradict each other, whatever the facts are"
        elif not rules:
            outcome = "true" if kind is FindingKind.VALID else "false"
            yield f"the claim is {outcome} whatever the policy says"

    def _satisfiable(self) -> Finding:
        scenarios, depends_on, silent = near_scenarios(
            self.session, self.model, self.terms, (self.claimed, self.denied), self._base()
        )
        self._replay(scenarios.holds, True)
        self._replay(scenarios.fails, False)
        names = tuple(self.model.name_of(variable_id) for variable_id in depends_on)
        notes = []
        if any(variable.role_guessed for variable in self.model.variables):
            notes.append("which variables are facts was guessed: this file gives no roles")
        return Finding(
            FindingKind.SATISFIABLE,
            scenarios=scenarios,
            depends_on=names,
            silent=silent,
            notes=tuple(notes),
        )

    def _base(self) -> list[int]:
        return [*self.rules, *self.given, *self.guarded]

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
        for divisor in divisors(self.model, self.terms):
            self.guarded.append(self.session.add(not_(eq(divisor, real(0)))))
        can_hold, can_fail = self._ask(self.claimed), self._ask(self.denied)
        if (can_hold, can_fail) == (Status.SAT, Status.SAT):
            return self._satisfiable()
        note = "a rule divides by something that can be zero in this case; guard the division"
        return Finding(FindingKind.UNDECIDED, notes=(note,))

    def _clash(self, numbers: Sequence[int]) -> frozenset[int] | None:
        status = self.session.check(numbers)
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return self.session.core() if status is Status.UNSAT else None

    def _recheck(self, numbers: Sequence[int]) -> None:
        """The core alone, in a session that knows nothing else, must clash as well."""
        terms = {**dict(enumerate(self.terms)), self.denied: not_(self.claim)}
        alone = Session(self.model, [terms[number] for number in numbers], rlimit=self.rlimit)
        if alone.check(range(len(numbers))) is not Status.UNSAT:
            raise EvidenceError("a set of rules and facts was reported that does not clash alone")

    def _replay(self, witness: Witness, claim_holds: bool) -> None:
        """Every rule and fact, and the claim, must come out as the solver said."""
        if not witness.exact:
            return
        assignment = witness.assignment()
        for term in self.terms[:-1]:
            if not holds(term, assignment, self.model):
                raise EvidenceError("a scenario was reported that breaks a rule or a fact")
        if holds(self.claim, assignment, self.model) is not claim_holds:
            raise EvidenceError("a scenario was reported in which the claim comes out otherwise")
