"""Pictures beside links: what a visitor may see of a board and of a system, and nothing more."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from leaderboard.models import Challenge, Phase, Submission
from leaderboard.views.sharing import (
    SIZE,
    ShareLine,
    SharePicture,
    _cut,
    _width,
    share_png,
    shared_board,
    shared_system,
)
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast


@pytest.fixture
def system(cast: Cast) -> Submission:
    """The first of two systems, with every metric .5."""
    for name, value in (("Ash", 0.5), ("Oak", 0.4)):
        team = TeamFactory.create(name=f"Team {name}")
        finish(submit(cast.phase, team, name=name), value=value)
    return Submission.objects.get(system_name="Ash")


def said(picture: SharePicture) -> str:
    lines = [(line.left, line.middle, line.right) for line in picture.lines]
    return str((picture.title, picture.subtitle, lines, picture.foot))


def board_says(phase: Phase, *, with_scores: bool = True) -> str:
    fresh = Phase.objects.get(pk=phase.pk)
    return said(shared_board(fresh, with_scores=with_scores, now=timezone.now()))


def opened(client: Client, address: str) -> Image.Image:
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    return Image.open(BytesIO(answer.content))


def test_both_pictures_are_sent_and_the_pages_name_them(cast: Cast, system: Submission) -> None:
    visitor = cast.client(None)
    for page in (f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/", f"/s/{system.public_id}/"):
        assert opened(visitor, f"{page}share.png").size == SIZE
        assert f'property="og:image" content="{settings.SITE_URL}{page}share.png"' in (
            visitor.get(page).content.decode()
        )


def test_a_board_names_who_leads_and_by_what_and_a_system_its_rank(
    cast: Cast, system: Submission
) -> None:
    seen = board_says(cast.phase)
    assert seen.index("Ash, Team Ash") < seen.index("Oak, Team Oak")
    assert f"2 systems, ranked by {cast.phase.ranking.label}" in seen
    assert cast.phase.challenge.title in seen
    seen = said(shared_system(system, with_others=True, now=timezone.now()))
    assert "Rank 1 of 2" in seen
    assert cast.phase.ranking.label in seen


def test_scores_that_are_not_public_and_names_that_are_hidden_are_not_in_it(
    cast: Cast, system: Submission
) -> None:
    assert "Ash" not in board_says(cast.phase, with_scores=False)
    alone = said(shared_system(system, with_others=False, now=timezone.now()))
    assert "Rank" not in alone
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    assert "Team Ash" not in board_says(cast.phase)
    Phase.objects.update(scores_public=False)
    # Whoever asks, the picture is for everyone.
    address = f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/share.png"
    pictures = {cast.client(user).get(address).content for user in (None, cast.organiser)}
    assert len(pictures) == 1


def test_of_what_is_not_published_there_is_none(cast: Cast, system: Submission) -> None:
    Challenge.objects.update(published=False)
    organiser = cast.client(cast.organiser)
    for page in (f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/", f"/s/{system.public_id}/"):
        assert organiser.get(page).status_code == 200
        assert organiser.get(f"{page}share.png").status_code == 404


@pytest.mark.parametrize(
    "name", ["", "W" * 400, "音声の説明", "<b>&\n\t\u202e x", "ąęžİ", "\x00\x1b[31m"]
)
def test_any_name_can_be_drawn(name: str) -> None:
    line = ShareLine("1", name, "0.123")
    content = share_png(SharePicture(name, name, name, [line] * 4, name))
    with Image.open(BytesIO(content)) as image:
        assert image.size == SIZE


@given(text=st.text("iW mé\u0119", max_size=40), room=st.integers(60, 600))
def test_what_is_cut_is_the_longest_beginning_for_which_there_is_room(text: str, room: int) -> None:
    fitting = [cut for end in range(len(text)) if _width(cut := f"{text[:end]}…", 36, 400) <= room]
    expected = text if _width(text, 36, 400) <= room else f"{fitting[-1][:-1].rstrip()}…"
    assert _cut(text, 36, 400, room) == expected
