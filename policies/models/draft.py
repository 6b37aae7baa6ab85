"""The draft policy model as rows: units, datatypes, variables, rules, merges.

Rows refer to each other by stable uid. Names live in the printer and the parser.
"""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models.documents import DocumentRevision, Sentence, Span
from policies.models.people import Policy, User, new_uid
from policywright.model import DefaultChoice, Kind
from policywright.model import Role as VariableRole


class Unit(AppendOnly):
    """What one formalizer made of one span; tokens and cost are of all its rounds.

    `cost_usd` is null where the price is unknown: an unknown price is not zero.
    `log` holds one entry a round: prompt, reply, problems.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="units")
    span = models.ForeignKey(Span, models.PROTECT, related_name="units")
    formalizer = models.CharField(max_length=120)
    prompt_version = models.CharField(max_length=40, blank=True)
    rounds = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    log = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.formalizer} on span {self.span_id}"


class StatementState(models.TextChoices):
    FORMALIZED = "formalized"
    ABSTAINED = "abstained"
    FAILED = "failed"


class Statement(AppendOnly):
    """What a unit says of one sentence; `words` are those not understood, by offsets in it."""

    unit = models.ForeignKey(Unit, models.PROTECT, related_name="statements")
    sentence = models.ForeignKey(Sentence, models.PROTECT, null=True, related_name="statements")
    quote = models.TextField(blank=True)
    state = models.CharField(max_length=12, choices=StatementState.choices)
    reason = models.TextField(blank=True)
    words = models.JSONField(default=list)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.state}: {self.quote[:60]}"


class Datatype(models.Model):
    policy = models.ForeignKey(Policy, models.CASCADE, related_name="datatypes")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name


class DatatypeValue(models.Model):
    datatype = models.ForeignKey(Datatype, models.CASCADE, related_name="values")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    name = models.CharField(max_length=120)
    phrase = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["datatype", "position"]

    def __str__(self) -> str:
        return self.name


class Variable(models.Model):
    """`sort` is Bool, Int, Real or a datatype's uid."""

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="variables")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    name = models.CharField(max_length=120)
    sort = models.CharField(max_length=32)
    role = models.CharField(max_length=8, choices=[(r.value, r.value) for r in VariableRole])
    unit = models.CharField(max_length=40, blank=True)
    description = models.TextField(blank=True)
    phrase = models.CharField(max_length=300, blank=True)
    negative_phrase = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name


class Rule(models.Model):
    """A rule, definition, assumption or default of the draft.

    `term` is the term as JSON by uid (see policywright.termjson). `content_hash` and
    `english` are the present ones, kept for lists and for searching; what counts is
    recomputed from the parts.
    A retired rule is history: rejected or replaced, in no policy model.
    `author` is who made the last edit of the rule itself, null for an unedited draft of a
    formalizer; `changed_by` who last changed its content otherwise: by a merge, by what one
    of its words means, by a part of a default.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="rules")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    name = models.CharField(max_length=120)
    kind = models.CharField(
        max_length=12, choices=[(k.value, k.value) for k in Kind], default=Kind.RULE.value
    )
    position = models.PositiveIntegerField(default=0)
    term = models.JSONField(null=True)
    outcome = models.CharField(max_length=32, blank=True)
    choice = models.CharField(
        max_length=30, blank=True, choices=[(c.value, c.value) for c in DefaultChoice]
    )
    content_hash = models.CharField(max_length=70, blank=True, db_index=True)
    english = models.TextField(blank=True)
    unit = models.ForeignKey(Unit, models.PROTECT, null=True, related_name="rules")
    author = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    changed_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "name"],
                condition=models.Q(retired_at__isnull=True),
                name="one_live_rule_a_name",
            ),
            models.CheckConstraint(
                condition=(models.Q(kind="default") & ~models.Q(outcome=""))
                | (~models.Q(kind="default") & models.Q(outcome="", choice="")),
                name="only_defaults_name_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SourcePart(models.TextChoices):
    """What a sentence does for a rule; all of it is read beside the rule."""

    STATES = "states", "states this rule"
    LIMITS = "limits", "limits this rule"
    DEFINES = "defines", "defines a word of this rule"


class RuleSource(models.Model):
    """Where a rule comes from: a lineage, and the place it had when the rule was drafted."""

    rule = models.ForeignKey(Rule, models.CASCADE, related_name="sources")
    lineage = models.CharField(max_length=32, db_index=True)
    part = models.CharField(
        max_length=7, choices=SourcePart.choices, default=SourcePart.STATES.value
    )
    revision = models.ForeignKey(DocumentRevision, models.PROTECT, related_name="+")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "lineage"], name="one_source_a_lineage")
        ]

    def __str__(self) -> str:
        return self.quote[:60]


class RuleRevision(AppendOnly):
    """The content a rule had: appended whenever its content hash changes, however."""

    rule = models.ForeignKey(Rule, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=70)
    content = models.JSONField()
    term = models.JSONField(null=True)
    cause = models.CharField(max_length=200)
    author = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["rule", "number"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "number"], name="one_rule_revision_a_number")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.rule_id}"


class Merge(models.Model):
    """One symbol stands for another; resolved when composing, undone without rewriting.

    `values` maps a datatype's value uids when datatypes are merged. `by` is null
    for an exact match of name, sort, unit and role.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="merges")
    from_uid = models.CharField(max_length=32)
    into_uid = models.CharField(max_length=32)
    values = models.JSONField(default=dict)
    evidence = models.JSONField(default=dict)
    by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    undone_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "from_uid"],
                condition=models.Q(undone_at__isnull=True),
                name="merged_into_one_only",
            ),
            models.CheckConstraint(
                condition=~models.Q(from_uid=models.F("into_uid")), name="not_into_itself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_uid} into {self.into_uid}"
