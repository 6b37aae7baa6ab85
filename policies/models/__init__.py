"""The rows of `policies`; each module holds one group of them."""

from policies.models.accounts import Invitation, Tried
from policies.models.approving import Delegation, SectionApprover
from policies.models.documents import (
    Blob,
    Document,
    DocumentRevision,
    SectionScope,
    Sentence,
    Span,
    Upload,
)
from policies.models.draft import (
    Datatype,
    DatatypeValue,
    Merge,
    Rule,
    RuleRevision,
    RuleSource,
    SourcePart,
    Statement,
    Unit,
    Variable,
)
from policies.models.jobs import Item, Job
from policies.models.people import Membership, Policy, User
from policies.models.record import AuditRow, Version
from policies.models.sections import Section

__all__ = [
    "AuditRow",
    "Blob",
    "Datatype",
    "DatatypeValue",
    "Delegation",
    "Document",
    "DocumentRevision",
    "Invitation",
    "Item",
    "Job",
    "Membership",
    "Merge",
    "Policy",
    "Rule",
    "RuleRevision",
    "RuleSource",
    "Section",
    "SectionApprover",
    "SectionScope",
    "Sentence",
    "SourcePart",
    "Span",
    "Statement",
    "Tried",
    "Unit",
    "Upload",
    "User",
    "Variable",
    "Version",
]
