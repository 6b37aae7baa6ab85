"""Which rules a person says something is wrong with, and the scenario that showed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from policies.composing import compose, compose_rules
from policies.models import Policy, Rule, RuleSource
from policywright.english import render_value
from policywright.findings import FindingKind
from policywright.model import Kind
from policywright.scenarios import say_said
from translation.connection import Connection
from translation.feedback.given import MAX_RULES, GivenRule, given_rules
from vetting.models import Scenario
from vetting.questions import case_values, reading_term
from vetting.refusals import MovedError, RefusedError
from vetting.scenarios import Result, run_scenarios, scenarios_in_force
from vetting.texts import check_text

# A search shows so many rules; more words find fewer.
MAX_FOUND = 20


def rules_spoken_of(policy: Policy, uids: Sequence[str]) -> tuple[GivenRule, ...]:
    """The rules of these uids as they are; those that cannot be spoken of are left out."""
    return given_rules(policy, compose_rules(policy, uids), uids)


def rules_of_sentence(policy: Policy, lineage: str) -> list[str]:
    rows = RuleSource.objects.filter(
        lineage=lineage, rule__policy=policy, rule__retired_at=None
    ).order_by("rule__position", "rule")
    return list(rows.values_list("rule__uid", flat=True)[:MAX_RULES])


def find_rules(policy: Policy, words: str) -> list[str]:
    """The first rules whose name or sentences hold each of the words."""
    wanted = words.replace("\0", " ").split()[:12]
    rows = Rule.objects.filter(policy=policy, retired_at=None).exclude(kind=Kind.DEFAULT)
    for word in wanted:
        sources = RuleSource.objects.filter(rule__policy=policy, quote__icontains=word)
        rows = rows.filter(Q(name__icontains=word) | Q(pk__in=sources.values("rule")))
    return list(rows.values_list("uid", flat=True)[:MAX_FOUND]) if wanted else []


def check_feedback(
    policy: Policy, text: str, shown: Mapping[str, str], asked: Connection | None, named: str
) -> str:
    """The text as it is kept; `shown` are the hashes of the ticked rules as the page showed them.

    `named` is what the page said of where the text goes. Raises RefusedError with what is
    to be done, MovedError where a rule is not the one that was shown.
    """
    said = check_text(text, "what is wrong", required=True)
    if not shown:
        raise RefusedError("tick the rules that are wrong.")
    if len(shown) > MAX_RULES:
        raise RefusedError(f"these are {len(shown)} rules; say it of {MAX_RULES} at most.")
    if asked is None or where_asked(asked) != named:
        raise RefusedError(
            "another model would be asked than the page said; read where your words go, "
            "then send again."
        )
    present = {rule.uid: rule for rule in rules_spoken_of(policy, list(shown))}
    for uid, hash_shown in shown.items():
        rule = present.get(uid)
        if rule is None or rule.hash != hash_shown:
            raise MovedError(
                "a rule changed after you opened the page; nothing was sent. Your words are "
                "below, beside the rules as they are now.",
                present=rule.english if rule else "The rule left the draft.",
                present_hash=rule.hash if rule else "",
            )
    return said


def where_asked(connection: Connection) -> str:
    """What the page says of the model, and what its form carries."""
    return f"{connection.name} ({connection.host})"


def case_of(policy: Policy, scenario: Scenario) -> tuple[dict[str, Any], str]:
    """A scenario that fails, in plain values, and the uid of the rule that it is about.

    Asks the solver. Raises RefusedError for one that holds, or does not fit any more.
    """
    composition = compose(policy)
    model = composition.model
    one = next(
        (one for one in scenarios_in_force(policy, composition) if one.scenario == scenario), None
    )
    if one is None:
        raise RefusedError(
            "this scenario is not in force any more: it was answered anew or withdrawn."
        )
    run = run_scenarios(policy, composition, [one])[scenario.uid]
    values = case_values(scenario.facts, composition)
    claim = None if scenario.claim is None else reading_term(scenario.claim, composition)
    if run.result is not Result.FAILS or values is None or isinstance(claim, str):
        raise RefusedError(f"this scenario {run.result}, so it shows nothing that is wrong.")
    facts = {
        model.variable_by_id[uid].name: render_value(model, model.variable_by_id[uid], value)
        for uid, value in values.items()
    }
    case = {
        "scenario": scenario.uid,
        "english": scenario.english,
        "facts": facts,
        "expected": say_said(model, claim, FindingKind(scenario.expected)),
        "actual": run.why,
    }
    return case, one.rule or next(iter(run.ran.rules if run.ran else ()), "")
