"""Approving a list: exactly what was named, each for itself; what is left out is named, too."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from django.test import Client

from policies.audit import first_broken_link
from policies.composing import compose
from policies.editing import editing
from policies.models import AuditRow, Rule, RuleSource, Sentence, User
from policywright.smtlib import read_term
from policywright.termjson import term_to_json
from tests.approving import approve
from tests.vetting.conftest import COST, COST_RULE, Draft, draft_rule
from tests.vetting.conftest import draft as draft
from vetting.bulk import NotAllError, approve_listed, look_at
from vetting.edits import edit_rule
from vetting.models import Decision, LintReport
from vetting.opened import note_opened
from vetting.review import ReviewState, rule_states

pytestmark = pytest.mark.django_db


def many(draft: Draft, count: int) -> list[Rule]:
    """Rules of the first sentence as a formalizer leaves them, each of another amount."""
    model, sentence, rows = compose(draft.policy).model, draft.sentences[COST], []
    with editing(draft.policy, None, cause="drafted"):
        for number in range(count):
            text = f"(=> (> costEur {1000 + number}.0) (not tripApproved))"
            term = term_to_json(read_term(text, model))
            rows.append(Rule.objects.create(policy=draft.policy, name=f"r{number:02}", term=term))
            RuleSource.objects.create(
                rule=rows[-1],
                lineage=sentence.lineage,
                revision=sentence.revision,
                start=sentence.start,
                end=sentence.end,
                quote=sentence.text,
            )
    return list(Rule.objects.filter(pk__in=[row.pk for row in rows]).order_by("name"))


def lint_says(draft: Draft, severity: str, rules: list[Rule]) -> None:
    """A report of the draft as it is, written by hand."""
    told = [
        {"severity": severity, "rules": [rule.uid], "silence": f"pw1:{rule.uid}", "message": "x"}
        for rule in rules
    ]
    draft.policy.refresh_from_db()
    LintReport.objects.create(
        policy=draft.policy,
        content_hash=f"pw1:{draft.policy.revision}",
        revision=draft.policy.revision,
        report={"diagnostics": told, "limits": []},
        asks=[[severity, one["silence"]] for one in told],
    )


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return html.unescape(found[1])


def test_fr_49_all_of_a_filter_is_what_the_page_names(
    draft: Draft, client_of: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vetting.views.queue_list.A_PAGE", 10)
    rules = many(draft, 60)
    others = [row for row in draft.policy.rules.all() if row not in rules]
    lint_says(draft, "warning", [*rules[12:], *others])
    for rule in rules[:12]:
        note_opened(draft.bob, rule, rule.content_hash)
    base, bobs = f"/policies/{draft.policy.slug}/review/list/", client_of(draft.bob)
    listed = bobs.get(base, {"lint": "none"}).content.decode()
    assert "Choose all 12 rules of all pages" in listed
    page = bobs.get(f"{base}approve/", {"lint": "none"}).content.decode()
    assert "Approve 12 of 12 rules" in page
    assert re.findall(r">(r\d\d)<", page) == [rule.name for rule in rules[:12]]
    assert not Decision.objects.exists()
    # The filter would find others by now: what the request lists is what counts.
    LintReport.objects.all().delete()
    lint_says(draft, "warning", [*rules[20:], *others])
    sent = {"rules": hidden(page, "rules"), "list": hidden(page, "list")}
    answer = bobs.post(f"{base}approve/confirmed/", sent)
    assert answer["Location"] == f"{base}?lint=none"
    decided = Decision.objects.order_by("pk")
    assert [one.rule.name for one in decided] == [rule.name for rule in rules[:12]]
    # FR-51: one entry a rule, and the counts match; a second click adds nothing.
    bobs.post(f"{base}approve/confirmed/", sent)
    audited = AuditRow.objects.filter(policy=draft.policy, action="approve-rule")
    assert [one.object for one in audited.order_by("sequence")] == [
        f"rule:{rule.uid}" for rule in rules[:12]
    ]
    assert [one.new_hash for one in audited.order_by("sequence")] == [
        one.content_hash for one in decided
    ]
    assert {one.reason for one in decided} == {"Approved in a list of 12."}
    assert all("EUR 1,0" in one.english for one in decided)
    assert first_broken_link(draft.policy) is None


def test_fr_49_whatever_is_left_out_is_named_with_why(draft: Draft) -> None:
    rules = many(draft, 6)
    clean, wrong, doubtful, unseen, moved, gone = rules
    lint_says(draft, "error", [wrong])
    for rule in draft.policy.rules.all():
        note_opened(draft.bob, rule, rule.content_hash)
    unseen.opened.all().delete()
    asked = {row.uid: row.content_hash for row in draft.policy.rules.all()}
    asked[moved.uid] = "pw1:another"
    asked[gone.uid[::-1]] = asked.pop(gone.uid)
    why = {one.name: one.why for one in look_at(draft.policy, draft.bob, asked)}
    assert why["r00"] == why[doubtful.name] == ""
    assert why["r01"] == "lint found an error"
    assert why["r03"] == "you did not open it as it stands"
    assert why["r04"] == "it changed after it was listed"
    assert why["A rule"] == "it is not in the draft any more"
    assert why["cost-range"] == why["approved"] == "it stands in no sentence"
    assert why["service"] == "a question about it is open"
    with pytest.raises(NotAllError) as refused:
        approve_listed(draft.policy, draft.bob, asked)
    assert len(refused.value.listed) == len(asked)
    assert not Decision.objects.exists()
    assert [one.rule for one in approve_listed(draft.policy, draft.bob, only(clean))] == [clean]
    edit_rule(
        draft.policy,
        draft.bob,
        doubtful,
        smtlib="(=> (> costEur 5.0) (not tripApproved))",
        shown_hash=doubtful.content_hash,
    )
    lint_says(draft, "error", [])
    (own,) = look_at(draft.policy, draft.bob, only(doubtful))
    assert own.why == "you changed it last, and a second person is asked for"


def test_without_a_report_of_lint_nothing_is_taken(draft: Draft) -> None:
    (rule,) = many(draft, 1)
    note_opened(draft.bob, rule, rule.content_hash)
    (one,) = look_at(draft.policy, draft.bob, only(rule))
    assert one.why == "lint has not checked the draft as it stands"


def test_a_textual_repeat_of_an_approved_rule_need_not_be_opened(draft: Draft) -> None:
    first_sentence = draft.sentences[COST]
    again = "the same, elsewhere"
    draft.sentences[again] = Sentence.objects.create(
        revision=first_sentence.revision,
        ordinal=len(draft.sentences),
        start=first_sentence.start,
        end=first_sentence.end,
        text=COST,
        headings=["Elsewhere"],
    )
    first = draft_rule(draft, "first", COST_RULE, COST)
    repeat = draft_rule(draft, "repeat", COST_RULE, again)
    other = draft_rule(draft, "other", COST_RULE.replace("1000.0", "1001.0"), again)
    lint_says(draft, "error", [])
    asked = only(repeat) | only(other)
    assert all(one.why for one in look_at(draft.policy, draft.bob, asked))
    first.refresh_from_db()
    approve(draft.policy, draft.bob, first, shown_hash=first.content_hash)
    found = {one.name: one for one in look_at(draft.policy, draft.bob, asked)}
    assert (found["repeat"].why, found["repeat"].repeats) == ("", "first")
    assert found["other"].why == "you did not open it as it stands"
    # Somebody else approved nothing that it repeats.
    assert all(one.why for one in look_at(draft.policy, draft.alice, asked))
    (said,) = approve_listed(draft.policy, draft.bob, only(repeat))
    assert said.reason == "A repeat of `first`, approved unopened in a list of 1."
    states = rule_states(draft.policy, compose(draft.policy))
    assert states[repeat.uid].state is ReviewState.APPROVED


def test_hostile_lists_name_nothing(draft: Draft, client_of: Callable[[User], Client]) -> None:
    base, bobs = f"/policies/{draft.policy.slug}/review/list/approve/", client_of(draft.bob)
    answer = bobs.post(base, {"rule": ["<b>/x", "no", f"{'0' * 32}/pw1:x"], "list": "//evil"})
    assert "Left out: 1" in answer.content.decode()
    assert bobs.post(base, {"list": "https://evil.example"})["Location"].endswith("/review/list/")
    answer = bobs.post(f"{base}confirmed/", {"rules": "x" * 1000})
    assert answer.status_code == 302
    assert not Decision.objects.exists()


def only(rule: Rule) -> dict[str, str]:
    rule.refresh_from_db()
    return {rule.uid: rule.content_hash}
