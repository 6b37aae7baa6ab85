"""What people said: decisions on rules, marks on sentences, answers to questions, scenarios.

All rows are written once. A rule's state is derived: the latest decision whose
hash is the present hash. Nothing here says 'approved' by itself.
"""

from __future__ import annotations

from django.db import models

from policies.append_only import AppendOnly
from policies.models import Datatype, Policy, Rule, SectionScope, Sentence, User
from policies.models.people import new_uid
from policywright.findings import FindingKind
from translation.models import Question

# Django finds an app's tables through this module.
from vetting import effort_models, thread_models  # noqa: F401
from vetting.approval_models import Opened as Opened


class Verdict(models.TextChoices):
    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"


class Decision(AppendOnly):
    """One person's decision on one content of one rule, with the English they saw.

    `content` is what the hash covers, so that a later change can be named. `on_behalf_of`
    is the person in whose place it was made, by a delegation.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="decisions")
    rule = models.ForeignKey(Rule, models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    content_hash = models.CharField(max_length=70, db_index=True)
    content = models.JSONField()
    english = models.TextField()
    reason = models.TextField(blank=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="decisions")
    on_behalf_of = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.verdict} {self.rule_id} by {self.by_id}"


class ScopeDecision(AppendOnly):
    """One person's approval of a section's scope, or its withdrawal, as `Decision` is of a rule."""

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="scope_decisions")
    scope = models.ForeignKey(SectionScope, models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    content_hash = models.CharField(max_length=70)
    content = models.JSONField()
    english = models.TextField()
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.verdict} scope {self.scope_id} by {self.by_id}"


class MarkKind(models.TextChoices):
    DEFINITION = "definition", "a definition"
    BINDING = "binding", "binding, but not expressed"
    NOT_BINDING = "not_binding", "not binding"
    WITHDRAWN = "withdrawn", "mark withdrawn"


class SentenceMark(AppendOnly):
    """What a person said a sentence is, bound to its text and context."""

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="sentence_marks")
    lineage = models.CharField(max_length=32, db_index=True)
    sentence = models.ForeignKey(Sentence, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=MarkKind.choices)
    content_hash = models.CharField(max_length=70)
    reason = models.TextField(blank=True)
    outcomes = models.JSONField(default=list)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.lineage}"


class HiddenRead(AppendOnly):
    """A person's word that a sentence with hidden characters reads as it should."""

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="hidden_reads")
    lineage = models.CharField(max_length=32, db_index=True)
    sentence = models.ForeignKey(Sentence, models.PROTECT, related_name="+")
    content_hash = models.CharField(max_length=70)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"hidden characters of {self.lineage}, read by {self.by_id}"


class Answer(AppendOnly):
    """The owner's choice of a reading, bound to the question and its sentences.

    `retired` are the uids of the rules that went with it: another answer brings them back.
    """

    question = models.ForeignKey(Question, models.PROTECT, related_name="answers")
    reading = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=70)
    retired = models.JSONField(default=list)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"reading {self.reading} of question {self.question_id}"


EXPECTED = [
    (FindingKind.VALID.value, "yes"),
    (FindingKind.INVALID.value, "no"),
    (FindingKind.SATISFIABLE.value, "nothing follows"),
    (FindingKind.IMPOSSIBLE.value, "cannot happen"),
]


class Origin(models.TextChoices):
    """How a scenario came about."""

    ANSWER = "answer", "an answer to a question"
    SUITE = "suite", "an answer to a case of the suite"
    WRITTEN = "written", "written by a person"
    IMPORTED = "imported", "imported"


class Scenario(AppendOnly):
    """A case of which a person said what the policy says of it.

    `facts` maps a variable's uid to its value as exact text, `claim` is a condition as
    JSON by uid; null claims that the case can occur. `content` is what `content_hash`
    covers, `case_hash` the same without what was said, `english` the case as it was
    displayed. An answer's scenario is in force while the answer is the one that counts. Of
    the others the last of a case counts, unless it was withdrawn.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="scenarios")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.ANSWER)
    facts = models.JSONField()
    claim = models.JSONField(null=True)
    expected = models.CharField(max_length=11, choices=EXPECTED)
    answer = models.ForeignKey(Answer, models.PROTECT, null=True, related_name="scenarios")
    content_hash = models.CharField(max_length=70)
    case_hash = models.CharField(max_length=70, db_index=True)
    content = models.JSONField()
    english = models.TextField()
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.english[:60]


class ScenarioWithdrawal(AppendOnly):
    """A person's word that a scenario does not count any more, with a reason."""

    scenario = models.ForeignKey(Scenario, models.PROTECT, related_name="withdrawals")
    reason = models.TextField(blank=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"scenario {self.scenario_id} withdrawn by {self.by_id}"


class SuitePart(models.Model):
    """The cases of one component, as `policywright.suiting` told them; derived.

    `key` covers all that they rest on, so a part outlives the edits that do not touch it.
    `body` is without the edits that each case tells apart, which are most of it: those are
    `edits`, a list for each case, and of one case only they are read.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="suite_parts")
    key = models.CharField(max_length=70)
    body = models.JSONField()
    edits = models.JSONField(default=list)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["policy", "key"], name="one_part_a_key")]

    def __str__(self) -> str:
        return f"part {self.key[:12]} of {self.policy_id}"


class SuiteReport(models.Model):
    """Of which parts the suite of a draft of one content is made; derived, the older let go.

    `revision` is the draft's when it last had this content. `report` has `counts` (of each
    tier, by kind of edit) and `keys`, the parts in order, which may not all be there yet.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="suite_reports")
    content_hash = models.CharField(max_length=70)
    tiers = models.PositiveSmallIntegerField()
    revision = models.PositiveIntegerField()
    report = models.JSONField()
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "content_hash", "tiers"], name="one_suite_a_content"
            )
        ]

    def __str__(self) -> str:
        return f"suite of {self.policy_id} at {self.revision}"


class ScenarioRun(models.Model):
    """What a policy says of a case, kept by what the finding rests on; derived.

    `key` is of `policywright.scenarios.run_keys`; `found` has `finding` and `rules`.
    It is never of another content, so it need not be marked stale.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="scenario_runs")
    key = models.CharField(max_length=70)
    found = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["policy", "key"], name="one_run_a_key")]

    def __str__(self) -> str:
        return f"run {self.key[:12]} of {self.policy_id}"


class ValuesQuestion(models.TextChoices):
    """What is asked of an enumeration."""

    EXCLUSIVE = "exclusive", "two of its values never hold at once"
    COMPLETE = "complete", "its values are all that there are"


class ValuesSaid(AppendOnly):
    """A person's word on a datatype's values, bound to the values as they were declared."""

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="values_said")
    datatype = models.ForeignKey(Datatype, models.PROTECT, related_name="said")
    question = models.CharField(max_length=9, choices=ValuesQuestion.choices)
    holds = models.BooleanField()
    content_hash = models.CharField(max_length=70)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.question} {self.holds} of {self.datatype_id}"


class LintReport(models.Model):
    """What lint said of a draft of one content; derived, so the older ones are let go.

    `revision` is the draft's when it last had this content, `report` as `policywright.lint`
    tells it, `asks` the severity and silence hash of each error and warning in it.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="lint_reports")
    content_hash = models.CharField(max_length=70)
    revision = models.PositiveIntegerField()
    report = models.JSONField()
    asks = models.JSONField(default=list)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "content_hash"], name="one_report_a_content")
        ]

    def __str__(self) -> str:
        return f"lint of {self.policy_id} at {self.revision}"


class LintSilence(AppendOnly):
    """A person's word that a diagnostic may stand, or (`holds` is false) that it may not any more.

    Bound to `content_hash`, which covers the code and the content of its rules; `message` is
    the sentence as it was displayed.
    """

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="lint_silences")
    code = models.CharField(max_length=40)
    content_hash = models.CharField(max_length=70, db_index=True)
    holds = models.BooleanField()
    message = models.TextField()
    reason = models.TextField(blank=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.code} silenced {self.holds} by {self.by_id}"


class Thread(AppendOnly):
    """What people write to each other about a sentence, and perhaps a rule or a scenario of it."""

    policy = models.ForeignKey(Policy, models.PROTECT, related_name="threads")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    lineage = models.CharField(max_length=32, db_index=True, blank=True)
    rule = models.ForeignKey(Rule, models.PROTECT, null=True, related_name="threads")
    scenario = models.ForeignKey(Scenario, models.PROTECT, null=True, related_name="threads")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"thread on {self.lineage}"


class Comment(AppendOnly):
    """One thing that a person wrote in a thread."""

    thread = models.ForeignKey(Thread, models.PROTECT, related_name="comments")
    text = models.TextField()
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text[:60]


class ThreadClosing(AppendOnly):
    """A person's word that a thread is done with, or is not after all.

    The latest counts; a comment that comes later opens the thread again.
    """

    thread = models.ForeignKey(Thread, models.PROTECT, related_name="closings")
    closes = models.BooleanField(default=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"thread {self.thread_id} {'closed' if self.closes else 'opened'} by {self.by_id}"
