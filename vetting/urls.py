"""Pages of a policy: where it stands, its document, review, glossary, versions."""

from __future__ import annotations

from django.urls import path

from vetting.views import (
    acting,
    assumptions,
    document,
    document_acts,
    feedback,
    front,
    glossary,
    lint,
    review,
    revising,
    rule_sources,
    sections,
    versions,
    writing,
)

REVIEW = "policies/<slug:slug>/review/"
LINT = "policies/<slug:slug>/lint/"
FEEDBACK = "policies/<slug:slug>/feedback/"
SENTENCE = "policies/<slug:slug>/documents/<int:pk>/sentences/<str:lineage>/"
SECTION = "policies/<slug:slug>/documents/<int:pk>/sections/<int:ordinal>/"

urlpatterns = [
    path("keys/", review.keys, name="keys"),
    path("policies/<slug:slug>/", front.front, name="policy"),
    path("policies/<slug:slug>/documents/", document.documents, name="documents"),
    path("policies/<slug:slug>/documents/<int:pk>/", document.document, name="document"),
    path(
        "policies/<slug:slug>/documents/<int:pk>/revisions/<int:number>/changes/",
        revising.changes,
        name="changes",
    ),
    path(f"{SENTENCE}mark/", document_acts.mark, name="mark-here"),
    path(f"{SENTENCE}unmark/", document_acts.unmark, name="unmark-here"),
    path(f"{SENTENCE}join/", document_acts.join, name="join-sentences"),
    path(f"{SENTENCE}split/", document_acts.split, name="split-sentence"),
    path(f"{SENTENCE}source/", document_acts.add_source_here, name="add-source-here"),
    path("policies/<slug:slug>/scopes/<str:uid>/", sections.scope_by_uid, name="scope"),
    path(f"{SECTION}not-binding/", sections.not_binding, name="section-not-binding"),
    path(f"{SECTION}scope/", sections.scope, name="section-scope"),
    path(f"{SECTION}scope/read/", sections.read_scope, name="read-scope"),
    path(f"{SECTION}scope/save/", sections.save_scope, name="save-scope"),
    path(f"{SECTION}scope/decide/", sections.decide_scope, name="decide-scope"),
    path(f"{SECTION}scope/end/", sections.end_scope, name="end-scope"),
    path(REVIEW, review.review, name="review"),
    path(f"{REVIEW}<str:key>/", review.card, name="review-card"),
    path(f"{REVIEW}<str:key>/approve/", acting.approve_rule, name="approve"),
    path(f"{REVIEW}<str:key>/withdraw/", acting.withdraw_approval, name="withdraw"),
    path(f"{REVIEW}<str:key>/hidden/", acting.read_hidden, name="read-hidden"),
    path(f"{REVIEW}<str:key>/reject/", acting.reject_rule, name="reject"),
    path(f"{REVIEW}<str:key>/not-binding/", acting.not_binding, name="not-binding"),
    path(f"{REVIEW}<str:key>/read/", writing.read, name="read-rule"),
    path(f"{REVIEW}<str:key>/edit/", writing.edit, name="edit"),
    path(f"{REVIEW}<str:key>/answer/", acting.answer, name="answer"),
    path(f"{REVIEW}<str:key>/mark/", acting.mark, name="mark"),
    path(f"{REVIEW}<str:key>/unmark/", acting.unmark, name="unmark"),
    path(f"{REVIEW}<str:key>/sources/", rule_sources.sources, name="rule-sources"),
    path(f"{REVIEW}<str:key>/sources/add/", rule_sources.add, name="add-source"),
    path(f"{REVIEW}<str:key>/sources/remove/", rule_sources.remove, name="remove-source"),
    path(f"{REVIEW}<str:key>/write-rule/", writing.write_rule, name="add-rule"),
    path(FEEDBACK, feedback.listed, name="feedback-list"),
    path(f"{FEEDBACK}new/", feedback.new, name="new-feedback"),
    path(f"{FEEDBACK}<str:uid>/", feedback.feedback, name="feedback"),
    path(f"{FEEDBACK}<str:uid>/accept/", feedback.accept, name="accept-changes"),
    path(f"{FEEDBACK}<str:uid>/decline/", feedback.decline, name="decline-changes"),
    path(f"{FEEDBACK}<str:uid>/cancel/", feedback.cancel, name="cancel-feedback"),
    path(f"{FEEDBACK}<str:uid>/again/", feedback.again, name="ask-again"),
    path("policies/<slug:slug>/glossary/", glossary.glossary, name="glossary"),
    path("policies/<slug:slug>/glossary/new/", glossary.declare, name="declare"),
    path("policies/<slug:slug>/glossary/<str:uid>/", glossary.variable, name="variable"),
    path("policies/<slug:slug>/assumptions/", assumptions.assumptions, name="assumptions"),
    path("policies/<slug:slug>/assumptions/range/", assumptions.range_, name="add-range"),
    path("policies/<slug:slug>/assumptions/default/", assumptions.default, name="set-default"),
    path("policies/<slug:slug>/assumptions/read/", assumptions.read, name="read-assumption"),
    path("policies/<slug:slug>/assumptions/write/", assumptions.write, name="add-assumption"),
    path(LINT, lint.lint, name="lint"),
    path(f"{LINT}jobs/<str:uid>/again/", lint.again, name="lint-again"),
    path(f"{LINT}<str:key>/fixes/<int:number>/", lint.fix, name="lint-fix"),
    path(f"{LINT}<str:key>/fixes/<int:number>/take/", lint.take, name="lint-take"),
    path(f"{LINT}<str:key>/silence/", lint.keep_silent, name="silence"),
    path(f"{LINT}<str:key>/speak/", lint.speak_again, name="end-silence"),
    path("policies/<slug:slug>/phrases/", writing.phrases, name="phrases"),
    path("policies/<slug:slug>/versions/", versions.versions, name="versions"),
    path("policies/<slug:slug>/versions/publish/", versions.publish_version, name="publish"),
    path("policies/<slug:slug>/versions/<int:number>/", versions.version, name="version"),
    path(
        "policies/<slug:slug>/versions/<int:number>/<str:filename>",
        versions.version_smt2,
        name="version-smt2",
    ),
]
