"""The page of one's API tokens."""

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import ApiToken
from leaderboard.services.people.accounts import token_create
from leaderboard.web.api_auth import token_user
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database

TOKENS, NEW = "leaderboard:tokens", "leaderboard:token-create"


def test_a_new_tokens_secret_is_shown_once_and_works(cast: Cast) -> None:
    client = cast.client(cast.member)
    response = client.post(reverse(NEW), {"name": "laptop"})
    secret = response.context["secret"]
    assert response.status_code == 201
    assert secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    again = client.get(reverse(TOKENS)).content.decode()
    assert secret not in again
    assert "laptop" in again
    assert secret[:9] in again, "its beginning tells it from others"


def test_the_list_shows_ones_own_only(cast: Cast) -> None:
    token_create(user=cast.owner, name="theirs")
    assert "theirs" not in cast.client(cast.member).get(reverse(TOKENS)).content.decode()


def test_a_token_needs_a_name(cast: Cast) -> None:
    response = cast.client(cast.member).post(reverse(NEW), {"name": " "})
    assert response.status_code == 422
    assert not ApiToken.objects.exists()


def test_deleting_makes_it_useless_and_only_its_owner_can(cast: Cast) -> None:
    token, secret = token_create(user=cast.member, name="laptop")
    page = reverse("leaderboard:token-delete", args=[token.pk])
    assert cast.client(cast.owner).post(page).status_code == 404
    assert cast.client(None).post(page).status_code == 302
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    assert cast.client(cast.member).get(page).status_code == 405
    assert cast.client(cast.member).post(page)["Location"] == reverse(TOKENS)
    assert token_user(secret=secret, now=timezone.now()) is None
