"""Questions that the words of a sentence leave open, and proposals of what may be one.

A question is put to the policy's owner; a proposal to merge is compared by a person, and
so is each rule that a model changed where a person said what is wrong.
"""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models import Item, Job, Policy, Rule, Sentence, Unit, User
from policies.models.people import new_uid


class QuestionKind(models.TextChoices):
    BOUNDARY = "boundary"
    OUTCOME = "outcome"
    READING = "reading"


class Question(AppendOnly):
    """A rule's readings and the case that tells them apart.

    `boundary` maps a variable's uid to the value at the edge, as exact text.
    `readings` is a list of {"label", "term"}: terms as JSON by uid; the drafted
    reading comes first. Both name variables as they were drafted, before merges.
    A rule with an open question cannot be approved.

    Where further translators read a sentence otherwise, `boundary` is the whole case,
    and each reading has more:
    - "retires": uids of other drafted rules of these sentences that go if this reading is
      chosen, since its term says all of it; none for the draft's. A rule that another
      sentence states as well is to stay.
    - "claim": what the case asks of the outcome, as a term; one for all readings, and null
      where no outcome is concerned.
    - "says": what the reading alone says of it in that case, as a finding: VALID, INVALID,
      SATISFIABLE (nothing follows), IMPOSSIBLE; without a claim SATISFIABLE (the case may
      be) or IMPOSSIBLE; "" if the solver did not tell.
    - "translations": how many of the translations read so, the draft counted.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="questions")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    rule = models.ForeignKey(Rule, models.PROTECT, related_name="questions")
    unit = models.ForeignKey(Unit, models.PROTECT, null=True, related_name="questions")
    kind = models.CharField(max_length=10, choices=QuestionKind.choices)
    text = models.TextField()
    boundary = models.JSONField(default=dict)
    readings = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text[:60]


class MergeKind(models.TextChoices):
    VARIABLE = "variable"
    DATATYPE = "datatype"


class MergeProposal(models.Model):
    """Two symbols that look alike; `first` was declared first.

    `content_hash` covers what was compared of both: a proposal about what has changed
    since is not shown. `evidence` says how near the two are, what the contrast guard
    found, and for datatypes which values are one. Refused, it is not made again.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="merge_proposals")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    kind = models.CharField(max_length=8, choices=MergeKind.choices)
    first = models.CharField(max_length=32)
    second = models.CharField(max_length=32)
    content_hash = models.CharField(max_length=70)
    evidence = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    refused_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    refused_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "first", "second", "content_hash"], name="one_proposal_a_pair"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.first} and {self.second}"


class TextVector(models.Model):
    """What a remote embedding model made of a text, so that no text is sent to it twice."""

    model = models.CharField(max_length=120)
    text_hash = models.CharField(max_length=64)
    vector = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["model", "text_hash"], name="one_vector_a_text")
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.text_hash[:12]}"


class ModelReply(AppendOnly):
    """What a model answered, by all that it was asked: cache, audit and replay in one.

    `key` is a SHA-256 over place, model, messages, schema, settings and sample, so the
    same question is sent once. Kept for each policy apart: nobody learns from a fast
    answer what another team has asked. `cost_usd` is null where the price is unknown.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="model_replies")
    key = models.CharField(max_length=64)
    model = models.CharField(max_length=120)
    place = models.CharField(max_length=200, blank=True)
    messages = models.JSONField()
    settings = models.JSONField(default=dict)
    sample = models.PositiveIntegerField(default=0)
    text = models.TextField()
    was_cut = models.BooleanField(default=False)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    left_out = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "key"], name="one_reply_a_question")
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.key[:12]}"


class Purpose(models.TextChoices):
    DRAFT = "draft"
    REPAIR = "repair"
    TRANSLATE = "translate"
    REVISE = "revise"


class Attempt(AppendOnly):
    """One question to a model in a job: what came of it, and what it took.

    `reply` is null where none came; `error_kind` and `error` then say why, and `messages`
    what had been asked, which else stands with the reply. Where the reply
    was in the table already (`was_kept`), nothing was sent and nothing is counted.
    `cost_usd` is null where the price is unknown: an unknown price is not zero.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="attempts")
    job = models.ForeignKey(Job, models.PROTECT, null=True, related_name="attempts")
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="model_attempts")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    model = models.CharField(max_length=120)
    place = models.CharField(max_length=200, blank=True)
    reply = models.ForeignKey(ModelReply, models.PROTECT, null=True, related_name="attempts")
    messages = models.JSONField(default=list)
    was_kept = models.BooleanField(default=False)
    requests = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    seconds = models.FloatField(default=0)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}"


class TranslationState(models.TextChoices):
    TRANSLATED = "translated"
    ABSTAINED = "abstained"
    FAILED = "failed"


class Comparison(models.TextChoices):
    """How a translation stands to the draft, by the solver."""

    SAME = "same"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NONE = "none"


class Translation(AppendOnly):
    """What one further translator made of one sentence on the drafted declarations.

    `terms` are its conditions as JSON by uid. `rules` maps the uid of each drafted rule
    that they were compared with to the hash of its term then, so that what was said of
    a draft is not said of what it was edited to.
    """

    unit = models.ForeignKey(Unit, models.PROTECT, related_name="translations")
    sentence = models.ForeignKey(Sentence, models.PROTECT, related_name="translations")
    translator = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=TranslationState.choices)
    terms = models.JSONField(default=list)
    comparison = models.CharField(max_length=9, choices=Comparison.choices)
    rules = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.translator}: {self.comparison}"


class Feedback(AppendOnly):
    """What a person said is wrong with some rules; `job` asks a model for what to change.

    `rules` is a list of {"uid", "hash"}: the content of each as it was shown. `case` is a
    scenario that came out otherwise than expected, in plain values: {"scenario", "english",
    "facts": {name: text}, "expected", "actual"}, or empty.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="feedback")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    text = models.TextField()
    rules = models.JSONField()
    case = models.JSONField(default=dict)
    job = models.ForeignKey(Job, models.PROTECT, related_name="feedback")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text[:60]


class ProposedChange(AppendOnly):
    """A rule as a model would change it upon feedback; nothing is changed before a person accepts.

    `base_hash` is the rule's content that was sent, `term` the new condition as JSON by uid.
    `declares` holds the new datatypes and variables that it needs, with the uids that the
    term names. Where `problem` is set the proposal was refused and `term` is null; `rule` is
    null where it is of no rule that was sent. `smtlib` and `explanation` are the model's words.
    """

    feedback = models.ForeignKey(Feedback, models.PROTECT, related_name="changes")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    rule = models.ForeignKey(Rule, models.PROTECT, null=True, related_name="+")
    base_hash = models.CharField(max_length=70, blank=True)
    term = models.JSONField(null=True)
    declares = models.JSONField(default=dict)
    smtlib = models.TextField(blank=True)
    explanation = models.TextField(blank=True)
    problem = models.TextField(blank=True)
    model = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"proposed change of {self.rule_id}"


class Chosen(models.TextChoices):
    ACCEPTED = "accepted"
    DECLINED = "declined"


class ChangeChoice(AppendOnly):
    """What a person made of a proposed change; the latest is what counts."""

    change = models.ForeignKey(ProposedChange, models.PROTECT, related_name="choices")
    chosen = models.CharField(max_length=8, choices=Chosen.choices)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.chosen} {self.change_id} by {self.by_id}"
