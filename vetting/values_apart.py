"""Makes each value of a datatype a fact of its own, where two can hold at once.

`the status is student` becomes `the status includes student`, yes or no, wherever a rule
says it. In one change of the draft: all rules, or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.audit import record
from policies.composing import Composition, compose, free_name
from policies.editing import Edit, editing
from policies.models import Policy, Rule, User, Variable
from policywright.english import draft_phrases
from policywright.english.phrases import value_phrase
from policywright.model import Datatype, Kind
from policywright.model import Variable as ModelVariable
from policywright.sorts import BOOL
from policywright.termjson import term_to_json
from policywright.terms import Apply, Literal, Op, Symbol, Term, fold, not_, rebuild, symbols
from vetting.declarations import NewVariable, add_variable
from vetting.refusals import RefusedError
from vetting.splitting import check_no_questions

Facts = dict[tuple[str, str], Symbol]
"""For a variable's id and a value's id the fact that stands for 'is that value'."""


def make_facts(policy: Policy, user: User, uid: str, *, shown_revision: int) -> list[Variable]:
    """Declare a fact for each variable of the datatype and each value, and rewrite the rules.

    Raises RefusedError where a rule compares two such variables, has an open question, or
    where a scope speaks of one; DraftMovedError if the draft moved.
    """
    with editing(policy, user, expected_revision=shown_revision) as edit:
        composition = compose(edit.policy)
        datatype = composition.model.datatype_by_id.get(uid)
        if datatype is None:
            raise RefusedError("this datatype is no longer in the draft; nothing was saved.")
        edit.cause = f"the values of `{datatype.name}` became facts"
        own = [one for one in composition.model.variables if one.sort.key == uid]
        rows = _rules(edit, composition, {one.id for one in own})
        made, facts = _declare(edit, composition, datatype, own)
        for row in rows:
            term = composition.own_term(row.uid)
            assert term is not None
            row.term, row.author = term_to_json(_rewritten(term, facts, row.name)), user
            row.save(update_fields=["term", "author"])
        record(edit.policy, user, "values-to-facts", f"datatype:{uid}")
    return made


def _rules(edit: Edit, composition: Composition, own: set[str]) -> list[Rule]:
    """The rows of the rules that speak of one of the variables."""
    for scope in composition.scopes:
        if scope.term is not None and own & _ids(scope.term):
            raise RefusedError(
                f"the scope of '{scope.section}' speaks of it; write that scope anew first."
            )
    concerned = [
        rule.id
        for rule in composition.model.rules
        if rule.kind is not Kind.DEFAULT and own & _ids(rule.term)
    ]
    if not concerned:
        raise RefusedError("no rule of the draft uses this datatype; there is nothing to change.")
    rows = list(Rule.objects.filter(policy=edit.policy, uid__in=concerned))
    check_no_questions(edit, composition, rows)
    return rows


def _declare(
    edit: Edit, composition: Composition, datatype: Datatype, own: Sequence[ModelVariable]
) -> tuple[list[Variable], Facts]:
    model = composition.model
    taken = {symbol.name for symbol in model.symbols}
    taken |= {value.name for one in model.datatypes for value in one.values}
    taken |= set(Variable.objects.filter(policy=edit.policy).values_list("name", flat=True))
    made: list[Variable] = []
    facts: Facts = {}
    for variable in own:
        said = draft_phrases(variable).text
        for value in datatype.values:
            name = free_name(f"{variable.name}{value.name[:1].upper()}{value.name[1:]}", taken)
            phrase = value_phrase(value)
            new = NewVariable(
                name,
                BOOL.key,
                variable.role.value,
                description=f"Whether {said} includes {phrase}.",
                phrase=f"{said} includes {phrase}",
                negative_phrase=f"{said} does not include {phrase}",
            )
            made.append(add_variable(edit, new))
            facts[variable.id, value.id] = Symbol(made[-1].uid, BOOL)
    return made, facts


def _rewritten(term: Term, facts: Facts, name: str) -> Term:
    replaced = {variable for variable, _ in facts}

    def visit(node: Term, args: Sequence[Term]) -> Term:
        if not isinstance(node, Apply):
            return node
        fact = _fact(node, facts)
        if fact is not None:
            return not_(fact) if node.op is Op.DISTINCT else fact
        return rebuild(node, args)

    found = fold(term, visit)
    if replaced & _ids(found):
        raise RefusedError(
            f"`{name}` compares two choices with each other, which facts cannot say; "
            "edit that rule first."
        )
    return found


def _fact(node: Apply, facts: Facts) -> Term | None:
    """The fact that says what an equation of a variable with a value says."""
    if node.op not in (Op.EQ, Op.DISTINCT) or len(node.args) != 2:
        return None
    for one, other in (node.args, node.args[::-1]):
        if isinstance(one, Symbol) and isinstance(other, Literal):
            return facts.get((one.id, str(other.value)))
    return None


def _ids(term: Term) -> set[str]:
    return {symbol.id for symbol in symbols(term)}
