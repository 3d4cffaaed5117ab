"""The page of a phase's references: statistics for readers of the captions, the card for others."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import ReferenceSet
from tests.leaderboard.conftest import Cast

CARD = {
    "open": {"name": "Kept", "part": "", "clips": 3, "captions": 6, "licences": [], "stages": []},
    "hidden": {"name": "Kept", "part": "", "clips": 3, "licences": [], "hidden": True},
}


def page(cast: Cast, who: str | None = None) -> Any:
    client = Client()
    if who is not None:
        client.force_login(getattr(cast, who))
    phase = cast.phase
    return client.get(f"/c/{phase.challenge.slug}/{phase.slug}/references/")


def test_public_references_are_described_beside_published_ones(cast: Cast) -> None:
    cast.rules(references_public=True)
    html = page(cast).content.decode()
    assert "AudioCaps, training" in html
    assert 'id="vocabulary-growth-data"' in html
    assert "Data card" not in html, "they came from a file"


def test_hidden_references_show_their_card_alone_and_all_to_organisers(cast: Cast) -> None:
    cast.rules(references_public=False)
    assert "There is no data card for them." in page(cast).content.decode()
    ReferenceSet.objects.update(card=CARD)
    html = page(cast, "member").content.decode()
    assert "Data card: Kept" in html
    assert "AudioCaps" not in html
    assert "AudioCaps" in page(cast, "organiser").content.decode()


def test_public_references_are_hidden_until_the_phase_opens(cast: Cast) -> None:
    cast.rules(references_public=True, opens_at=timezone.now() + timedelta(days=1))
    assert "AudioCaps" not in page(cast).content.decode()


def test_there_is_no_page_without_references_or_for_who_may_not_see_the_challenge(
    cast: Cast,
) -> None:
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    assert page(cast, "outsider").status_code == 404
    cast.phase.challenge.published = True
    cast.phase.challenge.save()
    cast.rules(reference_set=None)
    assert page(cast, "organiser").status_code == 404


def test_a_second_visitor_reads_what_was_computed(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.rules(references_public=True)
    first = page(cast).content.decode()

    def computed_again(_hash: str) -> None:
        raise AssertionError

    monkeypatch.setattr("leaderboard.views.references.described_references", computed_again)
    assert "AudioCaps" in first
    assert page(cast).content.decode() == first
