"""Cases of facts that decide: searched among the rules that reach an outcome.

Once every fact is fixed, only rules that reach the outcome through variables that are no
facts have a say. A case is proposed by one question, and confirmed by another with exactly
those facts. Where the second finds values of the undecided variables that do hold, every
case in which the same values would do is ruled out, and the next one proposed.

Source: counterexample-guided search for exists-forall questions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from policywright.definitions import written_out
from policywright.errors import EvaluationError
from policywright.evaluate import Value, evaluate, holds
from policywright.findings.conditions import as_number
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.lint.chains import MAX_CHAIN, Chains
from policywright.lint.growing import equation
from policywright.lint.pieces import Piece, Way
from policywright.lint.reduced import reduced
from policywright.lint.scan import LintEvidenceError, Scan
from policywright.model import Role, Variable
from policywright.solver import Session, Status
from policywright.sorts import REAL
from policywright.terms import FALSE, TRUE, Literal, Term, and_, not_, substitute, symbols
from policywright.witness import Rounded

MAX_ROUNDS = 6
"""Cases proposed for one question before it is given up as undecided."""

MAX_RULES = 150
"""Rules of one region. Of a larger one only the NEAR_RULES nearest to the variable are held."""

NEAR_RULES = 50

KEPT = 32
"""Regions kept at once, each with its session."""

MAX_DEPTH = 4
MAX_LIMITS = 8


@dataclass(frozen=True)
class Proposal:
    """What a case has to meet to be proposed, and what must then be impossible.

    `needed` and `refuted` are numbers of rules, the terms are over the model.
    """

    needed: tuple[int, ...]
    terms: tuple[Term, ...]
    refuted: tuple[int, ...]
    refuted_terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Found:
    """Facts of a case, the minimal rules that exclude it, and the facts that these need."""

    facts: dict[str, Value]
    rules: tuple[int, ...]
    least: dict[str, Value]


class Region:
    """The rules that reach a variable, and the facts that they read."""

    def __init__(self, scan: Scan, rules: tuple[int, ...], *, is_cut: bool = False) -> None:
        self.scan, self.rules, self.is_cut = scan, rules, is_cut
        ordered = scan.read_by(self.rules)
        self.facts = [variable for variable in ordered if variable.role is Role.FACT]
        self.others = [variable for variable in ordered if variable.role is not Role.FACT]

    @cached_property
    def session(self) -> Session:
        return self.scan.session(self.rules)

    def find(self, proposal: Proposal, rounds: int = MAX_ROUNDS) -> Found | None:
        """A confirmed case; None if there is none. Raises NotDecidedError."""
        scan, session = self.scan, self.session
        if scan.observe is not None:
            scan.observe((frozenset(self.rules) - frozenset(proposal.needed), proposal.terms))
        with session.question([*proposal.terms, *proposal.refuted_terms]) as added:
            proposing = [*proposal.needed, *added[: len(proposal.terms)]]
            denied = added[len(proposal.terms) :]
            for _ in range(rounds):
                if self._check(proposing) is Status.UNSAT:
                    return None
                facts = self._facts_found()
                fixed = session.add_all(self.equations(facts))
                if self._check([*proposal.refuted, *denied, *fixed]) is Status.SAT:
                    proposing.append(session.add(self._ruled_out(proposal, facts)))
                    continue
                outside = self._not_admitted(facts)
                if outside is None:
                    return self._found(proposal, facts, denied, fixed)
                proposing.append(session.add(outside))
        raise NotDecidedError

    def _found(
        self,
        proposal: Proposal,
        facts: dict[str, Value],
        denied: Sequence[int],
        fixed: Sequence[int],
    ) -> Found:
        """The case with the minimal rules that exclude it, then the minimal facts."""
        rules = self.scan.minimal(self.session, proposal.refuted, [*denied, *fixed])
        if rules is None:
            raise NotDecidedError

        def clash(numbers: Sequence[int]) -> frozenset[int] | None:
            status = self._check(numbers)
            return self.session.core() if status is Status.UNSAT else None

        core = clash([*denied, *fixed, *rules])
        if core is None:
            raise LintEvidenceError("minimal rules do not clash with their facts")
        kept, _ = minimal_core(fixed, [*denied, *rules], core, clash)
        listed = [v for v in self.facts if v.id in facts]
        least = {
            v.id: facts[v.id] for v, number in zip(listed, fixed, strict=True) if number in kept
        }
        return Found(facts, rules, least)

    def _not_admitted(self, facts: Mapping[str, Value]) -> Term | None:
        """Excludes facts that rules about other facts do not allow; None if the case can be."""
        prepared, held = self.scan.prepared, set(self.rules)
        farther = {
            n for uid in facts for n in prepared.rules_of.get(uid, ()) if n not in held
        } & self.scan.facts_alone
        read = {uid for n in farther for uid in prepared.rule_symbols[n]}
        terms = self.equations({uid: value for uid, value in facts.items() if uid in read})
        if not terms:
            return None
        background = self.scan.component(self.rules[0]).background
        with background.question(terms) as added:
            status = background.check([*background.rules, *added])
            if status is Status.UNKNOWN:
                raise NotDecidedError
            if status is Status.SAT:
                return None
            core = background.core()
            return not_(and_(*(t for t, n in zip(terms, added, strict=True) if n in core)))

    def plain(self, found: Found, proposal: Proposal) -> dict[str, Value]:
        """The needed facts at values that the document itself names, or one beside them."""
        chosen = dict(found.least)
        conditions = self._of_facts_alone(proposal)
        for uid in found.least:
            variable = self.scan.model.variable_by_id[uid]
            if not variable.sort.is_number:
                continue
            for value in self.plain_values(variable):
                tried = {**chosen, uid: value}
                if not all(self._replays(term, {**found.facts, **tried}) for term in conditions):
                    continue
                if self._still_clashes(tried, found.rules, proposal):
                    chosen = tried
                    break
        return chosen

    def whole_case(self, facts: Mapping[str, Value], proposal: Proposal) -> dict[str, Value]:
        """A value for every fact of the region; some are given. Replayed through `evaluate`."""
        terms = [*proposal.terms, *self.equations(facts)]
        with self.session.question(terms) as added:
            if self._check([*proposal.needed, *added]) is not Status.SAT:
                raise LintEvidenceError("a case that was possible is not so when asked again")
            witness = self.session.witness()
        if not witness.exact:
            return dict(facts)
        case = witness.assignment()
        asked = [*(self.scan.prepared.rule_terms[n] for n in proposal.needed), *terms]
        if not all(self._replays(term, case) for term in asked):
            raise LintEvidenceError("a case was reported that evaluation does not confirm")
        return {variable.id: case[variable.id] for variable in self.facts}

    def _of_facts_alone(self, proposal: Proposal) -> list[Term]:
        """What a proposed case has to meet that speaks of facts alone."""
        rules = [n for n in proposal.needed if n in self.scan.facts_alone]
        terms = [*(self.scan.prepared.rule_terms[n] for n in rules), *proposal.terms]
        return [t for t in terms if self.scan.prepared.symbols(t).isdisjoint(self.scan.decided)]

    def equations(self, facts: Mapping[str, Value]) -> list[Term]:
        return [equation(v, facts[v.id]) for v in self.facts if v.id in facts]

    def _replays(self, term: Term, case: Mapping[str, Value]) -> bool:
        try:
            return holds(term, case, self.scan.model)
        except EvaluationError:
            return True  # A zero divisor has a diagnostic of its own.

    def _still_clashes(
        self, facts: Mapping[str, Value], rules: Sequence[int], proposal: Proposal
    ) -> bool:
        with self.session.question([*proposal.terms, *self.equations(facts)]) as added:
            fixed = added[len(proposal.terms) :]
            if self._check([*proposal.needed, *added]) is not Status.SAT:
                return False
            return self._check([*rules, *fixed]) is Status.UNSAT

    def plain_values(self, variable: Variable) -> list[Value]:
        limits = set().union(
            *(self.scan.prepared.rule_limits(n).get(variable.id, ()) for n in self.rules)
        )
        near = [base + d for base in sorted(limits)[:MAX_LIMITS] for d in (-1, 1, 0)]
        whole = [value for value in near if value.denominator == 1 or variable.sort == REAL]
        values = sorted(dict.fromkeys(whole), key=lambda value: value < 0)
        return [as_number(variable, value) for value in values]

    def can_hold(self, numbers: Iterable[int]) -> bool:
        return self._check(numbers) is Status.SAT

    def _check(self, numbers: Iterable[int]) -> Status:
        self.scan.tally.questions += 1
        status = self.session.check(list(numbers))
        if status is Status.UNKNOWN:
            raise NotDecidedError
        return status

    def _facts_found(self) -> dict[str, Value]:
        values = self.session.witness().values
        found: dict[str, Value] = {}
        for variable in self.facts:
            value = values[variable.id]
            if isinstance(value, Rounded):
                raise NotDecidedError
            found[variable.id] = value
        return found

    def _ruled_out(self, proposal: Proposal, facts: Mapping[str, Value]) -> Term:
        """Excludes each case in which the values just found for the others would do."""
        witness = self.session.witness()
        if not witness.exact:
            raise NotDecidedError
        values = self._as_terms({**witness.assignment(), **facts})
        model = self.scan.model
        terms = [self.scan.prepared.rule_terms[n] for n in proposal.refuted]
        turned = [
            reduced(written_out(model, term) if model.definitions else term, values)
            for term in (*terms, *proposal.refuted_terms)
        ]
        left = list(dict.fromkeys(term for term in turned if term != TRUE))
        return not_(and_(*left)) if left else FALSE

    def _as_terms(self, case: Mapping[str, Value]) -> dict[str, Term]:
        """Each variable that is no fact as what a rule equates it with here, else as its value."""
        sources = {v.id: self._source(v, case) for v in self.others}

        def resolved(uid: str, within: tuple[str, ...]) -> Term:
            term = sources[uid]
            if term is None or uid in within or len(within) >= MAX_DEPTH:
                return Literal(case[uid], self.scan.model.variable_by_id[uid].sort)
            inner = {s.id for s in symbols(term)} & sources.keys()
            return substitute(term, {i: resolved(i, (*within, uid)) for i in sorted(inner)})

        return {uid: resolved(uid, ()) for uid in sources}

    def _source(self, variable: Variable, case: Mapping[str, Value]) -> Term | None:
        for piece in self.given_by.get(variable.id, ()):
            assert piece.value is not None
            if not symbols(piece.value):
                continue
            try:
                applies = all(holds(part, case) for part in piece.conditions)
                if applies and evaluate(piece.value, case) == case[variable.id]:
                    return piece.value
            except EvaluationError:
                continue
        return None

    @cached_property
    def given_by(self) -> Mapping[str, list[Piece]]:
        """Of each variable the pieces that give it a value."""
        found: dict[str, list[Piece]] = {}
        for number in self.rules:
            for piece in self.scan.pieces(number):
                if piece.way is Way.VALUE and piece.decides is not None:
                    found.setdefault(piece.decides, []).append(piece)
        return found


class Regions:
    """The regions of a scan, each made once; variables that reach each other share one."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self._by_rules: OrderedDict[tuple[int, ...], Region] = OrderedDict()

    def of(self, variable_id: str) -> Region:
        rules, is_cut = _reached(self.scan, variable_id)
        return self._kept(rules, is_cut)

    def behind(self, pieces: Sequence[Piece], chains: Chains) -> Region:
        """The rules of some pieces, and those that their conditions hang on, one by one."""
        rules = {piece.number for piece in pieces}
        level = {symbol.id for piece in pieces for c in piece.conditions for symbol in symbols(c)}
        seen: set[str] = set()
        for _ in range(MAX_CHAIN - 1):
            seen |= level
            found = [p for uid in sorted(level) for p in chains.deciding(uid)]
            rules.update(p.number for p in found)
            level = {s.id for p in found for c in p.conditions for s in symbols(c)} - seen
        prepared = self.scan.prepared
        read = {uid for number in rules for uid in prepared.rule_symbols[number]}
        touching = {n for uid in read for n in prepared.rules_of[uid]} & self.scan.facts_alone
        rules |= {n for n in touching if prepared.rule_symbols[n] <= read}
        return self._kept(tuple(sorted(rules)), is_cut=True)

    def _kept(self, rules: tuple[int, ...], is_cut: bool) -> Region:
        if rules not in self._by_rules:
            self._by_rules[rules] = Region(self.scan, rules, is_cut=is_cut)
            if len(self._by_rules) > KEPT:
                self._by_rules.popitem(last=False)
        return self._by_rules[rules]


def _reached(scan: Scan, variable_id: str) -> tuple[tuple[int, ...], bool]:
    """Rules that reach a variable through others than facts, and what binds their facts alone.

    The nearest first, and no more than MAX_RULES; whether some were left out. Of what binds
    facts alone those that read no further fact; the rest is asked about a case once found.
    """
    prepared = scan.prepared
    rules: set[int] = set()
    seen, level, is_cut = {variable_id}, {variable_id}, False
    order: list[int] = []
    while level:
        new = {n for uid in level for n in prepared.rules_of.get(uid, ())} - rules
        rules |= new
        order += sorted(new)
        read = {uid for number in new for uid in prepared.rule_symbols[number]} - seen
        seen |= read
        level = read & scan.decided
        if len(order) > MAX_RULES:
            is_cut = True
            rules = set(order[:NEAR_RULES])
            break
    seen = {uid for number in rules for uid in prepared.rule_symbols[number]}
    touching = {n for uid in seen for n in prepared.rules_of.get(uid, ())} & scan.facts_alone
    rules |= {n for n in touching if prepared.rule_symbols[n] <= seen}
    return tuple(sorted(rules)), is_cut
