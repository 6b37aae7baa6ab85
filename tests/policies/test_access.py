"""Who reaches what: strangers, members without the role, and nobody in particular."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver

from policies.access import by_uid_or_404, get_rule_or_404, may
from policies.models import Membership, Policy, Rule, User
from policies.roles import MATRIX, Action, Role
from tests.policies import planted_urls
from tests.policies.walking import address, unmarked, views

PLANTED = "tests.policies.planted_urls"
PRODUCT = list(get_resolver().url_patterns)
OF_A_POLICY = [
    (route, view.access) for route, _, view in views(PRODUCT) if isinstance(view.access, Action)
]


@pytest.fixture
def planted(settings) -> None:
    settings.ROOT_URLCONF = PLANTED


@pytest.fixture
def member(policy: Policy):
    """`member(role)` is a person who holds that role on the policy and no other."""

    def make(role: Role) -> User:
        user = User.objects.create_user(f"{role.value}@example.org", "secret")
        Membership.objects.create(policy=policy, user=user, role=role)
        return user

    return make


def test_every_view_of_the_product_says_who_may_see_it():
    assert unmarked(PRODUCT) == []


def test_a_view_that_says_nothing_is_found():
    assert unmarked(planted_urls.urlpatterns) == ["policies/<slug:slug>/oops/"]
    assert unmarked(planted_urls.marked) == []


def test_every_action_has_its_row_in_the_matrix():
    assert set(MATRIX) == set(Action)
    assert all(roles <= set(Role) and roles for roles in MATRIX.values())


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("role", Role)
def test_a_member_reaches_what_the_matrix_names(action, role, policy, member, client_of, planted):
    response = client_of(member(role)).get(f"/policies/travel/{action.value}/")
    assert response.status_code == (200 if role in MATRIX[action] else 403)


@pytest.mark.parametrize("action", Action)
def test_a_stranger_gets_the_404_of_an_unknown_policy(action, policy, charlie, client_of, planted):
    client = client_of(charlie)
    here = client.get(f"/policies/travel/{action.value}/")
    nowhere = client.get(f"/policies/unknown/{action.value}/")
    assert here.status_code == nowhere.status_code == 404
    assert here.content == nowhere.content


def answers(client: Client, path: str) -> dict[str, int]:
    """The status of GET and POST, for those of them that the view takes."""
    statuses = {"GET": client.get(path).status_code, "POST": client.post(path).status_code}
    return {method: status for method, status in statuses.items() if status != 405}


def test_fr_50_each_view_of_the_product_is_404_for_a_stranger(policy, charlie, client_of):
    client = client_of(charlie)
    for route, _ in OF_A_POLICY:
        here = answers(client, address(route, policy.slug))
        assert here, route
        assert here == answers(client, address(route, "unknown")), route
        assert set(here.values()) == {404}, route


def test_each_view_of_the_product_asks_nobody_in_particular_to_sign_in(policy, client: Client):
    for route, _ in OF_A_POLICY:
        assert set(answers(client, address(route, policy.slug)).values()) <= {302, 401}, route


@pytest.mark.parametrize("role", Role)
def test_each_view_of_the_product_lets_in_whom_the_matrix_names(role, policy, member, client_of):
    client = client_of(member(role))
    for route, action in OF_A_POLICY:
        found = answers(client, address(route, policy.slug))
        assert found, route
        if role in MATRIX[action]:
            assert all(status != 403 and status < 500 for status in found.values()), (route, found)
        else:
            assert set(found.values()) == {403}, (route, found)


def test_the_product_has_views_of_a_policy():
    assert len(OF_A_POLICY) > 20
    assert {action for _, action in OF_A_POLICY} >= {Action.VIEW, Action.DECIDE, Action.PUBLISH}


def test_a_member_without_the_role_reads_one_sentence(policy, bob):
    from django.core.exceptions import PermissionDenied

    from policies.access import require

    with pytest.raises(PermissionDenied, match=r"needs the role owner on this policy; ask one of"):
        require(bob, policy, Action.PUBLISH)
    with pytest.raises(PermissionDenied, match="needs the role owner or reviewer on"):
        require(User(pk=0), policy, Action.DECIDE)


def test_being_a_superuser_opens_nothing(policy, client_of, planted):
    root = User.objects.create_superuser("root@example.org", "secret")
    assert client_of(root).get("/policies/travel/view/").status_code == 404


def test_a_deactivated_owner_is_nobody(policy, alice, client_of, planted):
    client = client_of(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get("/policies/travel/view/").status_code == 302
    alice.refresh_from_db()
    assert not may(alice, policy, Action.VIEW)


def test_nobody_is_sent_to_sign_in_and_back(policy, client: Client, planted):
    response = client.get("/policies/travel/view/?page=2")
    assert response["Location"] == "/sign-in/?next=/policies/travel/view/%3Fpage%3D2"
    assert client.get("/")["Location"] == "/sign-in/?next=/"
    assert client.get("/about/").content == b"about"


def test_fr_56_a_form_that_met_no_session_is_carried_by_the_sign_in_page(
    policy, client: Client, planted
):
    response = client.post("/policies/travel/edit/", {"reason": "because <b>"})
    assert response.status_code == 401
    page = response.content.decode()
    assert 'name="carried-reason" value="because &lt;b&gt;"' in page
    assert 'name="next" value="/policies/travel/edit/"' in page


def test_fr_56_a_file_is_not_carried_and_its_form_returns_to_its_page(
    policy, client: Client, planted
):
    file = SimpleUploadedFile("policy.txt", b"Trips need approval.")
    page = "http://testserver/policies/travel/"
    response = client.post("/policies/travel/edit/", {"file": file}, headers={"referer": page})
    assert response["Location"].endswith("?next=http%3A//testserver/policies/travel/")
    elsewhere = {"referer": "https://evil.example/"}
    file.seek(0)
    response = client.post("/policies/travel/edit/", {"file": file}, headers=elsewhere)
    assert response["Location"] == "/sign-in/?next=/"


def test_fr_56_an_ended_session_moves_the_whole_page(policy, client: Client, planted):
    headers = {"hx-request": "true", "hx-current-url": "http://testserver/policies/travel/"}
    response = client.get("/policies/travel/view/", headers=headers)
    assert response.status_code == 200
    assert response.content == b""
    assert response["HX-Redirect"] == "/sign-in/?next=http%3A//testserver/policies/travel/"


def test_fr_56_an_htmx_form_is_told_to_go_without_htmx(policy, client: Client, planted):
    response = client.post("/policies/travel/edit/", headers={"hx-request": "true"})
    assert response.status_code == 401
    assert response.content == b""


def test_fr_50_a_rule_of_another_policy_is_not_found(policy, charlie):
    from django.http import Http404

    other = Policy.objects.create(slug="other", name="Other", created_by=charlie)
    rule = Rule.objects.create(policy=other, name="theirs", term=["literal", "Bool", "true"])
    assert get_rule_or_404(other, rule.uid) == rule
    for uid in (rule.uid, "0" * 32, "\x00", "", "' OR 1=1 --"):
        with pytest.raises(Http404):
            get_rule_or_404(policy, uid)


def test_a_uid_of_any_shape_is_looked_up_safely(policy):
    from django.http import Http404

    with pytest.raises(Http404):
        by_uid_or_404(policy.jobs.all(), "a\x00b")
