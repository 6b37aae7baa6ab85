"""Pages that need no more than this room."""

from __future__ import annotations

from django.urls import path

from policies.views import documents, policies, signing_in

urlpatterns = [
    path("", signing_in.home, name="home"),
    path("sign-in/", signing_in.sign_in, name="sign-in"),
    path("sign-out/", signing_in.sign_out, name="sign-out"),
    path("policies/", policies.policy_list, name="policies"),
    path("policies/new/", policies.new_policy, name="new-policy"),
    path("policies/<slug:slug>/people/", policies.people, name="people"),
    path("policies/<slug:slug>/people/add/", policies.add_to_policy, name="add-person"),
    path("policies/<slug:slug>/people/remove/", policies.remove_from_policy, name="remove-person"),
    path("policies/<slug:slug>/documents/new/", documents.new_document, name="new-document"),
    path(
        "policies/<slug:slug>/documents/<int:pk>/revise/",
        documents.new_revision,
        name="new-revision",
    ),
]
