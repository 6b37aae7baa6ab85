"""Keeps what a person says is wrong, and has a model asked: the job `revise`, of one item.

The model is asked outside any transaction, about the rules as they were shown; what it
proposes is kept in the transaction that ends the item, and changes no rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from policies.audit import record
from policies.composing import compose
from policies.jobs import Context, JobError, register, start_job
from policies.models import Job, Policy, Rule, User
from policies.models.people import new_uid
from policywright.termjson import term_to_json
from translation.connection import Connection, connection_named
from translation.ensemble.translators import translators_of
from translation.feedback.declares import needed_by
from translation.feedback.given import Given, give, given_rules
from translation.feedback.proposing import ChangeDraft, ProposalDraft, propose
from translation.formalizers import FormalizerError
from translation.models import Feedback, ProposedChange
from translation.table_asker import TableAsker

KIND = "revise"

_MAX_SMTLIB, _MAX_EXPLANATION = 4000, 600


def register_feedback() -> None:
    register(KIND, handle=_propose, save=_keep)


def model_asked(policy: Policy) -> Connection | None:
    """The model that is asked to change a rule: the policy's first that is none of ours.

    None where there is the built-in formalizer alone. Raises FormalizerError, with one
    sentence, for a model that cannot be used, or an external one where that is forbidden.
    """
    choice = next((one for one in _named(policy) if one.partition(":")[0] == "litellm"), None)
    if choice is None:
        return None
    connection = connection_named(choice.partition(":")[2])
    if policy.forbids_external_models and connection.is_external:
        raise FormalizerError(f"{connection.forbidden}; choose another model")
    return connection


def give_feedback(
    policy: Policy,
    user: User,
    *,
    uid: str,
    text: str,
    rules: Mapping[str, str],
    case: Mapping[str, Any],
    asked: Connection,
) -> Feedback:
    """Keep what was said of some rules, given by uid with the hash shown, and start its job.

    `uid` is the form's own: the same form sent twice is one feedback, and one job. `asked` is
    what the page named.
    """
    with transaction.atomic():
        Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        known = Feedback.objects.filter(policy=policy, uid=uid, by=user).first()
        if known is not None:
            return known
        if Feedback.objects.filter(uid=uid).exists():
            uid = new_uid()  # somebody else's, which no form of ours gave this person
        job = start_job(
            policy,
            user,
            KIND,
            [(f"feedback:{uid}", {"feedback": uid})],
            key=uid,
            settings={"formalizer": f"litellm:{asked.name}", "host": asked.host},
            urgent=True,
        )
        made = Feedback.objects.create(
            policy=policy,
            uid=uid,
            text=text,
            rules=[{"uid": one, "hash": shown} for one, shown in rules.items()],
            case=dict(case),
            job=job,
            by=user,
        )
        record(policy, user, "give-feedback", f"feedback:{uid}")
    return made


def _named(policy: Policy) -> Sequence[str]:
    return [policy.formalizer or settings.POLICYWRIGHT_FORMALIZER, *translators_of(policy)]


def _propose(payload: dict[str, Any], context: Context) -> tuple[Feedback, Given, ProposalDraft]:
    feedback = Feedback.objects.get(uid=payload["feedback"], policy=context.policy)
    given = _given(feedback)
    asker = TableAsker(context.policy, context)
    try:
        connection = _as_named(context.job)
        draft = propose(connection, asker, given, cancelled=context.cancelled)
    except FormalizerError as error:
        raise JobError(error.as_sentence(), type(error).__name__) from error
    return feedback, given, draft


def _given(feedback: Feedback) -> Given:
    """Raises JobError where a rule is no longer what the person spoke of."""
    composition = compose(feedback.policy)
    shown = {one["uid"]: one["hash"] for one in feedback.rules}
    rules = given_rules(feedback.policy, composition, list(shown))
    if [rule.uid for rule in rules if rule.hash == shown[rule.uid]] != list(shown):
        raise JobError(
            "A rule was changed or left the draft after you wrote this, so no model was asked. "
            "Read it as it is now, and say it again."
        )
    return give(composition, rules, feedback.text, feedback.case)


def _as_named(job: Job) -> Connection:
    """The model at the place that the page named, and at no other.

    Whether its text may still leave is asked with each question.
    """
    connection = connection_named(str(job.settings["formalizer"]).partition(":")[2])
    if connection.host != job.settings["host"]:
        raise FormalizerError(
            f"`{connection.name}` is now asked at {connection.host}, which was not named when this "
            "was sent; say it again if the text may go there"
        )
    return connection


def _keep(context: Context, result: tuple[Feedback, Given, ProposalDraft]) -> None:
    feedback, given, draft = result
    hashes = {rule.uid: rule.hash for rule in given.rules}
    rows = {row.uid: row for row in Rule.objects.filter(policy=feedback.policy, uid__in=hashes)}
    model = str(context.job.settings["formalizer"]).partition(":")[2]
    for change in draft.changes:
        ProposedChange.objects.create(
            feedback=feedback,
            rule=rows.get(change.uid),
            base_hash=hashes.get(change.uid, ""),
            term=None if change.term is None else term_to_json(change.term),
            declares={}
            if change.term is None
            else needed_by(change.term, draft.datatypes, draft.variables),
            smtlib=change.smtlib[:_MAX_SMTLIB],
            explanation=change.explanation[:_MAX_EXPLANATION],
            problem=_problem(change),
            model=model,
        )
    if not draft.changes:
        ProposedChange.objects.create(
            feedback=feedback,
            explanation=draft.reason[:_MAX_EXPLANATION],
            problem="the model changed no rule",
            model=model,
        )
    record(feedback.policy, None, "propose-changes", f"feedback:{feedback.uid}")


def _problem(change: ChangeDraft) -> str:
    """Why it was refused; what it repeats of the reply is shown without what nobody sees."""
    if not change.problem:
        return ""
    said = f"`{change.name[:80]}`: {change.problem}"
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in said)
