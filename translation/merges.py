"""Looks for symbols of a policy that may be one and keeps what it finds as proposals.

A job, since a remote embedding model may be asked. Proposals are hints: what is
shown is only what still holds of the draft as it is, and only a person accepts one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies.audit import record
from policies.composing import compose_declarations
from policies.jobs import Context, JobError, register, start_job
from policies.models import Job, Policy, User
from policies.models.jobs import JobState
from policywright.hashing import content_hash
from policywright.model import Datatype, PolicyModel, Variable
from translation.embeddings import choose_embedder, embeddings_for
from translation.formalizers import FormalizerError
from translation.merging.candidates import Described, find_candidates
from translation.merging.values import datatype_candidates
from translation.models import MergeKind, MergeProposal

KIND = "find-merges"

# Pairs that look alike and yet differ are shown so that nobody merges them by mistake.
MAX_APART = 100


@dataclass(frozen=True)
class _Found:
    kind: MergeKind
    first: str
    second: str
    hash: str
    evidence: dict[str, Any]


def register_merges() -> None:
    register(KIND, handle=_find, save=_keep)


def start_search(policy: Policy, user: User | None) -> Job:
    """Look for merges in the draft's declarations; for the same ones it is the same job."""
    described = declarations_hash(compose_declarations(policy))
    # A search that was cancelled stays so: the same one is then another job.
    cancelled = Job.objects.filter(policy=policy, kind=KIND, state=JobState.CANCELLED).count()
    embeddings = embeddings_for(policy)
    return start_job(
        policy,
        user,
        KIND,
        [("declarations", {})],
        key=f"{embeddings}|{described}|{cancelled}",
        settings={"embeddings": embeddings, "declarations": described},
    )


def last_search(policy: Policy) -> Job | None:
    return Job.objects.filter(policy=policy, kind=KIND).order_by("-pk").first()


def declarations_hash(model: PolicyModel) -> str:
    """Moves with anything that a search compares."""
    parts = [_variable_parts(variable) for variable in model.variables]
    datatypes = [_datatype_parts(datatype) for datatype in model.datatypes]
    return content_hash({"variables": parts, "datatypes": datatypes})


def present_proposals(policy: Policy, model: PolicyModel) -> list[MergeProposal]:
    """The proposals about symbols as they are now, refused ones too, the likeliest first."""
    hashes = _Hashes(model)
    rows = MergeProposal.objects.filter(policy=policy).select_related("refused_by")
    present = [row for row in rows if row.content_hash == hashes.pair(row.first, row.second)]
    return sorted(present, key=lambda row: (-float(row.evidence.get("rank", 0)), row.pk))


def pair_hash(model: PolicyModel, first: str, second: str) -> str:
    """What a proposal is bound to: all that is compared of both; empty if one is gone."""
    return _Hashes(model).pair(first, second)


def described(variable: Variable) -> Described:
    return Described(
        variable.id,
        variable.name,
        variable.sort.key,
        variable.unit,
        variable.role.value,
        ". ".join(text for text in (variable.phrases.text, variable.phrases.negative) if text),
        variable.description,
    )


class _Hashes:
    """Hashes of a model's symbols, each made once."""

    def __init__(self, model: PolicyModel) -> None:
        self.parts: Mapping[str, Any] = {
            **{variable.id: _variable_parts(variable) for variable in model.variables},
            **{datatype.id: _datatype_parts(datatype) for datatype in model.datatypes},
        }

    def pair(self, first: str, second: str) -> str:
        one, other = self.parts.get(first), self.parts.get(second)
        return "" if one is None or other is None else content_hash({"pair": [one, other]})


def _variable_parts(variable: Variable) -> list[str]:
    return [
        variable.id,
        variable.name,
        variable.sort.key,
        variable.unit,
        variable.role.value,
        variable.phrases.text,
        variable.phrases.negative,
        variable.description,
    ]


def _datatype_parts(datatype: Datatype) -> list[Any]:
    values = [[value.id, value.name, value.phrase] for value in datatype.values]
    return [datatype.id, datatype.name, datatype.description, values]


def _find(payload: dict[str, Any], context: Context) -> list[_Found]:
    model = compose_declarations(context.policy)
    try:
        return list(_candidates(model, context))
    except FormalizerError as error:
        raise JobError(error.as_sentence()) from error


def _candidates(model: PolicyModel, context: Context) -> Iterator[_Found]:
    hashes = _Hashes(model)
    embeddings = context.job.settings["embeddings"]
    embedder = choose_embedder(context.cancelled, embeddings, context.policy)
    apart = 0
    for one in find_candidates([described(v) for v in model.variables], embedder):
        apart += not one.is_proposal
        if not one.is_proposal and apart > MAX_APART:
            continue
        evidence = {
            "rank": one.rank,
            "nearness": one.nearness,
            "names": one.names,
            "embeddings": embedder.name,
            "apart": [[contrast.first, contrast.second] for contrast in one.apart],
        }
        hash_ = hashes.pair(one.first, one.second)
        yield _Found(MergeKind.VARIABLE, one.first, one.second, hash_, evidence)
    for pair in datatype_candidates(model.datatypes):
        evidence = {"rank": pair.share, "values": dict(pair.pairs), "apart": []}
        hash_ = hashes.pair(pair.first, pair.second)
        yield _Found(MergeKind.DATATYPE, pair.first, pair.second, hash_, evidence)


def _keep(context: Context, found: list[_Found]) -> None:
    """Make the proposals that are new; those no longer found go, but never a person's refusal."""
    policy = context.policy
    rows = MergeProposal.objects.filter(policy=policy)
    known = {(row.first, row.second, row.content_hash) for row in rows}
    wanted = {(one.first, one.second, one.hash) for one in found}
    stale = [
        row.pk
        for row in rows.filter(refused_at=None)
        if (row.first, row.second, row.content_hash) not in wanted
    ]
    rows.filter(pk__in=stale).delete()
    MergeProposal.objects.bulk_create(
        MergeProposal(
            policy=policy,
            kind=one.kind,
            first=one.first,
            second=one.second,
            content_hash=one.hash,
            evidence=one.evidence,
        )
        for one in found
        if (one.first, one.second, one.hash) not in known
    )
    record(policy, context.user, "propose-merges", f"job:{context.job.uid}")
