"""Pages that need no more than this room."""

from __future__ import annotations

from django.urls import path

from policies.views import (
    documents,
    invitations,
    keeping,
    passwords,
    policies,
    profile,
    searching,
    signing_in,
    uploads,
)

DOCUMENTS = "policies/<slug:slug>/documents/"

urlpatterns = [
    path("", signing_in.home, name="home"),
    path("sign-in/", signing_in.sign_in, name="sign-in"),
    path("sign-out/", signing_in.sign_out, name="sign-out"),
    path("password/", passwords.forgotten, name="password-forgotten"),
    path("password/sent/", passwords.sent, name="password-sent"),
    path("password/<str:uidb64>/<str:token>/", passwords.set_password, name="password-set"),
    path("search/", searching.search_page, name="search"),
    path("profile/", profile.profile, name="profile"),
    path("profile/address/", profile.change_address, name="change-address"),
    path("profile/address/<str:token>/", profile.confirm_address, name="confirm-address"),
    path("profile/password/", profile.change_password, name="change-password"),
    path("profile/close/", profile.close, name="close-account"),
    path("policies/", policies.policy_list, name="policies"),
    path("policies/new/", policies.new_policy, name="new-policy"),
    path("policies/<slug:slug>/archive/", keeping.put_away, name="archive"),
    path("policies/<slug:slug>/unarchive/", keeping.take_out, name="unarchive"),
    path("policies/<slug:slug>/duplicate/", keeping.duplicate, name="duplicate"),
    path("policies/<slug:slug>/people/", policies.people, name="people"),
    path("policies/<slug:slug>/people/add/", policies.add_to_policy, name="add-person"),
    path("policies/<slug:slug>/people/remove/", policies.remove_from_policy, name="remove-person"),
    path(
        "policies/<slug:slug>/people/invitations/<str:uid>/send/",
        invitations.send_again,
        name="send-invitation",
    ),
    path(
        "policies/<slug:slug>/people/invitations/<str:uid>/revoke/",
        invitations.take_back,
        name="revoke-invitation",
    ),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path(f"{DOCUMENTS}new/", uploads.new_document, name="new-document"),
    path(f"{DOCUMENTS}list/", documents.document_list, name="document-list"),
    path(f"{DOCUMENTS}abbreviations/", documents.abbreviations, name="abbreviations"),
    path(f"{DOCUMENTS}<int:pk>/move/", documents.move, name="move-document"),
    path(f"{DOCUMENTS}<int:pk>/rename/", documents.rename, name="rename-document"),
    path(f"{DOCUMENTS}<int:pk>/revise/", uploads.new_revision, name="new-revision"),
    path(f"{DOCUMENTS}<int:pk>/revisions/", documents.revisions, name="revisions"),
    path(
        f"{DOCUMENTS}<int:pk>/revisions/<int:number>/original/",
        documents.original,
        name="original",
    ),
    path("policies/<slug:slug>/uploads/<str:uid>/", uploads.upload, name="upload"),
    path("policies/<slug:slug>/uploads/<str:uid>/remove/", uploads.remove, name="remove-upload"),
]
