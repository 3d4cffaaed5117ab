"""The cast: whoever meets whom in the tests of pages, API and services."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django_ratelimit import core
from pytest_django import Settings

from leaderboard.models import Phase, Team, TeamRole, User
from leaderboard.web.version_cache import forget_kept
from tests.factories import PhaseFactory, TeamFactory, UserFactory, join


@dataclass(frozen=True)
class Cast:
    """A phase of a published challenge and the people around it."""

    phase: Phase
    team: Team
    owner: User
    member: User
    outsider: User
    organiser: User

    def client(self, user: User | None) -> Client:
        """A browser in which ``user`` is logged in (None: nobody)."""
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    def rules(self, **values: Any) -> None:
        """Set rules of the phase."""
        Phase.objects.filter(pk=self.phase.pk).update(**values)
        self.phase.refresh_from_db()

    def at(self, name: str, *more: object) -> str:
        """The address of a page of the phase."""
        args = [self.phase.challenge.slug, self.phase.slug, *more]
        return reverse(f"leaderboard:{name}", args=args)

    def managed(self, name: str, *more: object) -> str:
        """The address of a page from which the challenge is run."""
        return reverse(f"leaderboard:manage-{name}", args=[self.phase.challenge.slug, *more])


@pytest.fixture(autouse=True)
def fresh_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget how often the users of other tests, who had the same ids, have asked.

    The minute or day of a limit begins with the first request, and not at a moment that
    the id of a user decides: it would end in the middle of a test now and then.
    """
    for name in ("default", "parts", "pages"):
        caches[name].clear()
    forget_kept()
    ends: dict[tuple[str, int], int] = {}

    def window(value: str, period: int) -> int:
        now = int(core.time.time())
        if ends.get((value, period), now) <= now:
            ends[value, period] = now + period
        return ends[value, period]

    monkeypatch.setattr(core, "_get_window", window)


@pytest.fixture
def cast(db: None) -> Cast:
    phase = PhaseFactory.create()
    team = TeamFactory.create()
    owner, member, outsider, organiser = UserFactory.create_batch(4)
    join(team, owner, TeamRole.OWNER)
    join(team, member)
    phase.challenge.organisers.add(organiser)
    return Cast(phase, team, owner, member, outsider, organiser)


@pytest.fixture
def own_labellers(settings: Settings, tmp_path: Path) -> Path:
    """Keep the labellers of a test to itself, in a folder of its own."""
    settings.LABELLERS_DIR = tmp_path / "labellers"
    settings.RATELIMIT_ENABLE = False
    return tmp_path / "labellers"


@pytest.fixture
def publisher(cast: Cast) -> Client:
    """The organiser, who may choose the labeller in use."""
    call_command("allow_labellers", cast.organiser.username)
    return cast.client(User.objects.get(pk=cast.organiser.pk))
