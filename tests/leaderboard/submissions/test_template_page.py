"""The template to fill in."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Phase
from tests.factories import REFERENCES
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database


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


def test_before_the_phase_opens_only_its_organisers_learn_which_clips_it_has(cast: Cast) -> None:
    cast.rules(opens_at=timezone.now() + timedelta(hours=1))
    assert cast.client(cast.member).get(address(cast.phase)).status_code == 404
    assert cast.client(cast.organiser).get(address(cast.phase)).status_code == 200
