"""The template to fill in, and the download of a submission's own file."""

from typing import Any

from django.test import Client
from django.urls import reverse

from leaderboard.models import Phase, Submission
from tests.factories import CANDIDATES, REFERENCES, submit
from tests.leaderboard.conftest import Cast


def address(phase: Phase) -> str:
    return reverse("leaderboard:submission-template", args=[phase.challenge.slug, phase.slug])


def test_it_names_every_clip_and_no_caption(cast: Cast) -> None:
    cast.rules(references_public=False)
    response = cast.client(cast.outsider).get(address(cast.phase))
    assert response.content.decode() == (
        "file_name,caption_predicted\n"
        "rain.wav,\n"
        "dog.wav,\n"
        "train.wav,\n"
        "door.wav,\n"
        '"bell, small.wav",\n'
    )
    assert not [text for text in REFERENCES.captions if text in response.content.decode()]
    assert response["Content-Disposition"].startswith("attachment")


def test_a_hidden_challenge_and_a_phase_without_references_have_none(cast: Cast) -> None:
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    assert cast.client(cast.member).get(address(cast.phase)).status_code == 404
    assert cast.client(cast.organiser).get(address(cast.phase)).status_code == 200
    cast.rules(reference_set=None)
    assert cast.client(cast.organiser).get(address(cast.phase)).status_code == 404


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
