"""Until a phase's names are told nothing names those behind the systems of others.

Every address of the site is asked, by people who may not know, in a phase whose clips and
scores they may see; what names somebody has marks that no answer may have in it.
"""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from leaderboard import access
from leaderboard.models import Phase, Submission, User
from leaderboard.selectors.visibility.visibility import (
    ALPHABET,
    EVERYTHING,
    LENGTH,
    Visibility,
    alias,
    system_alias,
    team_alias,
)
from leaderboard.selectors.visibility.visible_submissions import visible_to
from leaderboard.services.submissions.accepting import file_store
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import TeamFactory, UserFactory, finish, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.visibility.test_hidden_phase import ASKED, World, leaked, send, whole

MARKS = ("dunlin", "whimbrel", "godwit", "turnstone", "sanderling", "phalarope", "knotbird")
THEIRS = tuple(f"{mark}es" for mark in ("avocet", "stilt", "plover", "lapwing"))


@dataclass(frozen=True)
class Blind:
    """A phase with hidden names, two teams with marks in all that could tell of them."""

    world: World
    rival: User

    @property
    def phase(self) -> Phase:
        return self.world.cast.phase

    def people(self) -> Iterator[tuple[str, Client, tuple[str, ...]]]:
        """Who asks, with what they must not be told."""
        cast = self.world.cast
        yield "anonymous", cast.client(None), (*MARKS, *THEIRS)
        yield "rival", cast.client(self.rival), MARKS

    def everywhere(self) -> Iterator[tuple[str, str]]:
        """Every address with every query, of every submission, and its method."""
        for route, row in ASKED.items():
            for query in row.queries:
                yield row.method, self.world.path(route, query, file_name="dog.wav")


@pytest.fixture
def blind(cast: Cast, settings: Settings) -> Blind:
    settings.RATELIMIT_ENABLE = False
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    cast.phase.refresh_from_db()
    rival, user = TeamFactory.create(name=f"The {THEIRS[0]}", slug=THEIRS[1]), UserFactory.create()
    join(rival, user)
    for team, (name, slug, place) in ((cast.team, MARKS[:3]), (rival, THEIRS[:3])):
        team.name, team.slug, team.affiliation = f"The {name}", slug, f"Institute of {place}"
        team.save()
    cast.member.username = MARKS[3]
    cast.member.save()
    submission = submit(cast.phase, cast.team, user=cast.member, name=f"Net {MARKS[4]}")
    other = submit(cast.phase, rival, user=user, name=f"Net {THEIRS[3]}")
    Submission.objects.filter(pk=submission.pk).update(
        description=f"By {MARKS[5]}",
        metadata={"source_code": f"https://example.org/{MARKS[5]}", "encoder": MARKS[5]},
        file_name=f"{MARKS[6]}.csv",
        label=f"{MARKS[6]}_t6a_1",
        report=file_store(MARKS[6].encode()),
        report_name=f"{MARKS[6]}.pdf",
        warnings=[f"line 2: {MARKS[6]}"],
    )
    submission.refresh_from_db()
    human = human_row_create(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    for seed, system in enumerate((submission, other, human)):
        finish(system, value=0.4 + 0.1 * seed, seed=seed)
    return Blind(World(cast, submission, human, other), user)


def told(client: Client, method: str, path: str, hidden: tuple[str, ...]) -> list[str]:
    """What an answer tells that was not asked for."""
    answer = whole(send(client, method, path)).replace(path, "").lower()
    return [mark for mark in hidden if mark in answer]


KEPT = ("analysis", "compare", "distributions", "metric-pair", "profile")


def test_no_address_names_anybody_to_those_who_may_not_know(blind: Blind) -> None:
    """Not even where a part of the page was made and kept for somebody who may."""
    cast = blind.world.cast
    for user in (cast.organiser, cast.member):
        for method, path in blind.everywhere():
            if any(kept in path for kept in KEPT):
                send(cast.client(user), method, path)
    faults = []
    for who, client, hidden in blind.people():
        for method, path in blind.everywhere():
            faults += [f"{path} tells {who} {mark}" for mark in told(client, method, path, hidden)]
    assert faults == []


def test_the_marks_are_seen_by_organisers_and_the_team(blind: Blind) -> None:
    """Else no answer would have them in it either."""
    cast, world = blind.world.cast, blind.world
    pages = [
        world.path("s/<slug:public_id>/"),
        world.path("c/<slug:challenge>/<slug:phase>/"),
        world.path("api/v1/submissions/<slug:public_id>"),
    ]
    for user in (cast.organiser, cast.member):
        seen = {mark for page in pages for mark in leaked(cast.client(user).get(page), [*MARKS])}
        assert {MARKS[0], MARKS[1], MARKS[4], MARKS[5], MARKS[6]} <= seen


def test_names_are_told_when_their_time_has_come(blind: Blind) -> None:
    Phase.objects.update(names_hidden_until=timezone.now() - timedelta(seconds=1))
    page = blind.world.cast.client(None).get(blind.world.path("c/<slug:challenge>/<slug:phase>/"))
    assert set(leaked(page, [MARKS[0], THEIRS[0]])) == {MARKS[0], THEIRS[0]}


def test_sorting_by_name_sorts_by_what_is_shown(blind: Blind) -> None:
    """Else the order of real names would be told, and with it a little of each name."""
    phase, systems = blind.phase, []
    for number in range(8):
        team = TeamFactory.create(name=f"{number} {THEIRS[0]}")
        systems.append(submit(phase, team, name=f"{number} net"))
        finish(systems[-1])
    client = blind.world.cast.client(None)
    board = client.get(blind.world.path("c/<slug:challenge>/<slug:phase>/", "?sort=team"))
    body = board.content.decode()
    shown = sorted((team_alias(phase.pk, s.team_id) for s in systems), key=body.index)
    assert shown == sorted(shown)
    beside = access.comparable_submissions(blind.world.cast.outsider, blind.world.submission)
    names = [row.system_name for row in beside]
    assert names == sorted(names)
    assert system_alias(phase.pk, systems[0].pk) in names


def test_reports_of_a_closed_phase_stay_hidden_with_the_names(blind: Blind) -> None:
    Phase.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    report, cast = blind.world.path("s/<slug:public_id>/report/"), blind.world.cast
    people = (None, blind.rival, cast.member, cast.organiser)
    assert [cast.client(user).get(report).status_code for user in people] == [404, 404, 200, 200]


def test_an_alias_tells_nothing_and_stays(settings: Settings) -> None:
    # With one key in four hundred two of these are alike by chance.
    settings.SECRET_KEY = "a key with which they differ"
    many = [alias(1, "team", key) for key in range(200)]
    assert many == [alias(1, "team", key) for key in range(200)]
    assert len(set(many)) == 200
    assert many != sorted(many)
    assert not set(many) & {alias(2, "team", key) for key in range(200)}
    assert not set(many) & {alias(1, "system", key) for key in range(200)}
    assert all(len(code) == LENGTH and set(code) <= set(ALPHABET) for code in many)
    here = team_alias(1, 1)
    settings.SECRET_KEY = "of another installation"
    assert team_alias(1, 1) != here


def test_hiding_leaves_the_submission_as_it_is(blind: Blind) -> None:
    submission = blind.world.submission
    before: dict[str, Any] = {**vars(submission)}
    hidden = visible_to(submission, Visibility(names=False))
    assert hidden is not None
    assert hidden.team.name != submission.team.name
    told = (hidden.file_name, hidden.report, hidden.report_id, hidden.report_name)
    assert told == ("captions.csv", None, None, "")
    assert {**vars(submission)} == before
    assert not hasattr(hidden, "save")
    with pytest.raises(FrozenInstanceError):
        hidden.blind = False  # type: ignore[misc]
    for view in (EVERYTHING, Visibility(names=False, own=(submission.team_id,))):
        shown = visible_to(submission, view)
        assert shown is not None
        assert (shown.team.name, shown.blind) == (f"The {MARKS[0]}", False)
    human = visible_to(blind.world.human, Visibility(names=False))
    assert human is not None
    assert human.system_name == blind.world.human.system_name
