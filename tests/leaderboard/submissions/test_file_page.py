"""The download of a submission's own file."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import Submission
from tests.factories import CANDIDATES, submit
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database


def fetch(client: Client, submission: Submission) -> Any:
    return client.get(reverse("leaderboard:submission-file", args=[submission.public_id]))


def test_those_who_manage_it_get_the_bytes_as_they_came(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    for user in (cast.member, cast.owner, cast.organiser):
        response = fetch(cast.client(user), submission)
        assert response.content == CANDIDATES
        assert response["Content-Disposition"] == 'attachment; filename="candidates.csv"'
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Type"] == "application/octet-stream"


def test_a_file_name_cannot_add_headers(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    submission.file_name = 'a"; filename="evil.html\r\nSet-Cookie: a=b\r\n é.csv'
    submission.save()
    response = fetch(cast.client(cast.member), submission)
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers
    assert "\n" not in response["Content-Disposition"]
