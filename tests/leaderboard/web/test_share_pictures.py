"""The picture beside links: what a visitor may see of a board, and nothing more."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.conf import settings
from django.utils import timezone
from PIL import Image

from leaderboard.models import Challenge, Phase, Submission
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast


@pytest.fixture
def system(cast: Cast) -> Submission:
    """The first of two systems."""
    for name, value in (("Ash", 0.5), ("Oak", 0.4)):
        team = TeamFactory.create(name=f"Team {name}")
        finish(submit(cast.phase, team, name=name), value=value)
    return Submission.objects.get(system_name="Ash")


def test_a_board_and_its_systems_name_one_picture(cast: Cast, system: Submission) -> None:
    visitor = cast.client(None)
    board = f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/"
    for page in (board, f"/s/{system.public_id}/"):
        assert f'property="og:image" content="{settings.SITE_URL}{board}share.png"' in (
            visitor.get(page).content.decode()
        )
    answer = visitor.get(f"{board}share.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert Image.open(BytesIO(answer.content)).size[0] > 1000


def test_it_is_as_a_visitor_sees_the_board_whoever_asks(cast: Cast, system: Submission) -> None:
    address = f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/share.png"
    everyone = (None, cast.organiser)

    def codes() -> set[int]:
        return {cast.client(user).get(address).status_code for user in everyone}

    named = cast.client(cast.organiser).get(address).content
    Submission.objects.filter(pk=system.pk).update(system_name="Elm")
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    hidden = {cast.client(user).get(address).content for user in everyone}
    assert len(hidden) == 1
    assert named not in hidden
    Submission.objects.filter(pk=system.pk).update(system_name="Ash")
    # Names are hidden: another one changes nothing.
    assert {cast.client(user).get(address).content for user in everyone} == hidden
    Phase.objects.update(scores_public=False)
    assert codes() == {404}
    Phase.objects.update(scores_public=True)
    assert codes() == {200}
    Challenge.objects.update(published=False)
    assert codes() == {404}
