"""Edits of rules by hand: change one, write one for a sentence, give one another name.

Rule text is one condition in structured English or in SMT-LIB, see
`vetting.written`. Every edit holds the draft's lock, is bound to what
its form showed, and leaves a revision and an audit row. Sending the same edit
twice changes nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Max

from policies.audit import record
from policies.composing import Composition, compose
from policies.editing import editing
from policies.models import Policy, Rule, RuleSource, Sentence, User
from policies.sources import sentences_by_lineage
from policywright.english import render_sentence
from policywright.errors import NameNotAllowedError
from policywright.model import Kind
from policywright.names import check_name
from policywright.normal import normal_form
from policywright.smtlib import print_term
from policywright.termjson import term_to_json
from policywright.terms import Term
from vetting.decisions import english_of
from vetting.declarations import NewVariable, add_variable
from vetting.refusals import MovedError, RefusedError
from vetting.written import Language, Written, read_written, written


def edit_rule(
    policy: Policy,
    user: User,
    rule: Rule,
    *,
    english: str = "",
    smtlib: str = "",
    shown_hash: str,
    read_as: str = "",
) -> Rule:
    """Give a rule, definition or assumption another condition, in one of the languages.

    `shown_hash` is the content hash that the form showed (empty for a broken
    rule), `read_as` the reading that it showed. Raises a ReadingError for a text
    without one meaning, MovedError with both texts, RefusedError for a default or
    a rule that is not in the draft.
    """
    text = written(english=english, smtlib=smtlib)
    with editing(policy, user, cause=f"edited in {text.called}") as edit:
        composition = compose(edit.policy)
        present = editable(edit.policy, rule)
        term = read_written(text, composition.model, read_as)
        if is_said_by(composition, present, term):
            edit.unchanged = True
            return present
        check_shown(present, composition, shown_hash, text)
        present.term, present.author = term_to_json(term), user
        present.save(update_fields=["term", "author"])
    return present


def add_rule(
    policy: Policy,
    user: User,
    *,
    lineages: Sequence[str],
    english: str = "",
    smtlib: str = "",
    read_as: str = "",
    name: str = "",
    kind: Kind = Kind.RULE,
    variables: Sequence[NewVariable] = (),
) -> Rule:
    """Write a rule or definition by hand for sentences of the present text.

    `variables` are declared with it; all is saved or nothing. The same text for
    the same sentences gives the rule that is there. `read_as` is the reading that
    the form showed. Raises like `edit_rule`.
    """
    text = written(english=english, smtlib=smtlib)
    if kind not in (Kind.RULE, Kind.DEFINITION):
        raise RefusedError("only a rule or a definition comes from a sentence.")
    with editing(policy, user, cause=f"written in {text.called}") as edit:
        sources = sentences_of(edit.policy, lineages)
        for variable in variables:
            add_variable(edit, variable)
        composition = compose(edit.policy)
        term = read_written(text, composition.model, read_as)
        same = _same_rule(edit.policy, lineages, term, composition)
        if same is not None:
            edit.unchanged = not variables
            return same
        return create_rule(
            edit.policy, user, free_name(edit.policy, name, "rule"), kind, term, sources
        )


def rename_rule(policy: Policy, user: User, rule: Rule, *, name: str, shown_name: str) -> Rule:
    """Give a rule another name; no approval lapses, since names are not in the content."""
    with editing(policy, user, cause="renamed") as edit:
        present = _live(edit.policy, rule)
        if present.name == name:
            edit.unchanged = True
            return present
        if present.name != shown_name:
            raise MovedError(
                "someone renamed this rule after you opened the page.",
                present=present.name,
                present_hash=present.content_hash,
                sent=name,
            )
        present.name = free_name(edit.policy, name, "rule")
        present.save(update_fields=["name"])
        record(edit.policy, user, "rename-rule", f"rule:{present.uid}")
    return present


def rule_text(rule: Rule, composition: Composition, language: Language) -> str:
    """The rule's condition in a language, for the editor; for a broken rule, what is wrong."""
    own = composition.own_term(rule.uid)
    if own is None:
        return english_of(rule, composition)
    if language is Language.SMTLIB:
        return print_term(composition.model, own)
    return own_english(rule, composition)


def own_english(rule: Rule, composition: Composition) -> str:
    """The rule in English as it was written: without the scopes of its sections, where it has any.

    Those are added whenever the draft is composed, so they are not edited with the rule.
    """
    own = composition.own_terms.get(rule.uid)
    return english_of(rule, composition) if own is None else render_sentence(composition.model, own)


def editable(policy: Policy, rule: Rule) -> Rule:
    """The live row of a rule that has a condition of its own; RefusedError where it has none."""
    present = _live(policy, rule)
    if present.kind == Kind.DEFAULT:
        raise RefusedError(
            "a default is made from the rules of its outcome; choose another default instead."
        )
    return present


def is_said_by(composition: Composition, rule: Rule, term: Term) -> bool:
    """Whether the rule as it stands says the very same."""
    own = composition.own_term(rule.uid)
    return own is not None and normal_form(own) == normal_form(term)


def check_shown(rule: Rule, composition: Composition, shown_hash: str, sent: Written) -> None:
    """MovedError, with both texts in the language of the one sent, if the rule moved."""
    present = composition.hashes.get(rule.uid, "")
    if present != shown_hash:
        raise MovedError(
            "someone changed this rule after you opened the page; nothing was saved. "
            "Your text is below, beside the rule as it is now.",
            present=rule_text(rule, composition, sent.language),
            present_hash=present,
            sent=sent.text,
        )


def create_rule(
    policy: Policy,
    user: User,
    name: str,
    kind: Kind,
    term: Term,
    sources: Sequence[Sentence],
) -> Rule:
    """Add a rule with its sources at the end of the draft, inside an `editing` block."""
    rule = Rule.objects.create(
        policy=policy,
        name=name,
        kind=kind.value,
        position=last_position(policy) + 1,
        term=term_to_json(term),
        author=user,
    )
    RuleSource.objects.bulk_create(
        RuleSource(
            rule=rule,
            lineage=sentence.lineage,
            revision=sentence.revision,
            start=sentence.start,
            end=sentence.end,
            quote=sentence.text,
        )
        for sentence in sources
    )
    return rule


def copy_sources(sources: Iterable[RuleSource], rule: Rule) -> None:
    """Give a rule the sources of another, as they are."""
    RuleSource.objects.bulk_create(
        RuleSource(
            rule=rule,
            lineage=source.lineage,
            part=source.part,
            revision_id=source.revision_id,
            start=source.start,
            end=source.end,
            quote=source.quote,
        )
        for source in sources
    )


def last_position(policy: Policy) -> int:
    """The highest place that a rule of the draft ever had."""
    return Rule.objects.filter(policy=policy).aggregate(last=Max("position"))["last"] or 0


def free_name(policy: Policy, name: str, what: str) -> str:
    """The name, checked and free; where none is given, the first free numbered one.

    Raises RefusedError, with a free name, for one that is taken or not allowed.
    """
    live = Rule.objects.filter(policy=policy, retired_at=None)
    taken = set(live.values_list("name", flat=True))
    if not name.strip():
        number = 1
        while f"{what}-{number}" in taken:
            number += 1
        return f"{what}-{number}"
    try:
        check_name(name, what)
    except NameNotAllowedError as error:
        raise RefusedError(f"{error}.") from error
    if name in taken:
        number = 2
        while f"{name}-{number}" in taken:
            number += 1
        raise RefusedError(f"the name `{name}` is taken; `{name}-{number}` would do.")
    return name


def sentences_of(policy: Policy, lineages: Sequence[str]) -> list[Sentence]:
    """The sentences of the present text with these lineages; RefusedError if one is gone."""
    present = sentences_by_lineage(policy, set(lineages))
    found = [present[lineage] for lineage in dict.fromkeys(lineages) if lineage in present]
    if not found or len(found) != len(set(lineages)):
        raise RefusedError(
            "a rule belongs to a sentence of the present text; open the sentence and try again."
        )
    return found


def _live(policy: Policy, rule: Rule) -> Rule:
    present = Rule.objects.filter(policy=policy, pk=rule.pk, retired_at=None).first()
    if present is None:
        raise RefusedError("this rule is no longer in the draft; nothing was saved.")
    return present


def _same_rule(
    policy: Policy, lineages: Sequence[str], term: Term, composition: Composition
) -> Rule | None:
    wanted = set(lineages)
    live = Rule.objects.filter(policy=policy, retired_at=None, sources__lineage__in=wanted)
    for row in live.distinct().prefetch_related("sources"):
        same_sources = {source.lineage for source in row.sources.all()} == wanted
        if same_sources and is_said_by(composition, row, term):
            return row
    return None
