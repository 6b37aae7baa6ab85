"""A policy whose model is a local server with hand-written replies, and feedback on its rules."""

from __future__ import annotations

from typing import Any

from django.test import Client

from policies.composing import compose
from policies.jobs.embedded import run_next
from policies.models import Policy, Rule
from policywright.smtlib import print_term
from tests.llm_server import LlmServer
from translation.models import Feedback, ProposedChange

MODEL = "openai/hand-written"
WRONG = "It starts at EUR 1,500, not at EUR 1,000."
Settings = Any


def ask_at(server: LlmServer, policy: Policy, settings: Settings) -> None:
    """The policy's model is the server's from now on."""
    settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
    Policy.objects.filter(pk=policy.pk).update(formalizer=f"litellm:{MODEL}")
    policy.refresh_from_db()


def reply(*rules: dict[str, str], reason: str = "", **declared: Any) -> dict[str, Any]:
    return {"rules": list(rules), "datatypes": [], "variables": [], "reason": reason} | declared


def changed(rule: str, smtlib: str, explanation: str = "As the person asks.") -> dict[str, str]:
    return {"rule": rule, "smtlib": smtlib, "explanation": explanation}


def send(client: Client, policy: Policy, *rules: Rule, text: str = WRONG, **more: Any) -> Any:
    """Open the form for these rules, and send it as it was shown."""
    address = f"/policies/{policy.slug}/feedback/new/"
    page = client.get(address, {"rule": [rule.uid for rule in rules]})
    context = page.context
    data = {
        "rule": [rule.uid for rule in rules],
        "text": text,
        "once": context["once"],
        "asked": context["where"],
    }
    data |= {f"shown-{one['rule'].uid}": one["rule"].hash for one in context["rules"]}
    return client.post(address, data | more)


def say(client: Client, policy: Policy, *rules: Rule, **more: Any) -> Feedback:
    """Say what is wrong, and let the runner do what there is to do."""
    response = send(client, policy, *rules, **more)
    assert response.status_code == 302, response.content.decode()
    work()
    return Feedback.objects.get(uid=response["Location"].rstrip("/").rpartition("/")[2])


def work() -> None:
    while run_next("tests"):
        pass


def choose(client: Client, feedback: Feedback, act: str, *changes: ProposedChange) -> Any:
    """Accept or decline, all that can be taken or those given, as the page shows them."""
    address = f"/policies/{feedback.policy.slug}/feedback/{feedback.uid}/"
    shown = client.get(address).context["shown"]
    uids = [one.uid for one in changes] or [one.change.uid for one in shown.open]
    turns = shown.consequences.scenarios.seen if shown.consequences else ""
    sent = {"change": uids, "seen": " ".join(uids), "seen-scenarios": turns}
    return client.post(f"{address}{act}/", sent)


def page_of(client: Client, feedback: Feedback) -> str:
    address = f"/policies/{feedback.policy.slug}/feedback/{feedback.uid}/"
    response = client.get(address)
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def smtlib_of(policy: Policy, rule: Rule) -> str:
    """The rule's own condition as it is now."""
    composition = compose(policy)
    term = composition.own_term(rule.uid)
    assert term is not None
    return print_term(composition.model, term)
