"""Two organisers at the same moment, with real threads on the real database."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from leaderboard.models import Phase
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.organisers import organiser_remove
from leaderboard.services.organising.phases import RULES, phase_change, phase_create, phase_delete
from tests.factories import PhaseFactory, TeamFactory, UserFactory, submit
from tests.leaderboard.at_once import outcomes

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_who_save_at_once_one_is_told() -> None:
    phase, user = PhaseFactory.create(), UserFactory.create()
    version, now = version_of(phase, RULES), timezone.now()
    rules = {name: getattr(phase, name) for name in RULES}

    def save(name: str) -> Callable[[], object]:
        own = Phase.objects.get(pk=phase.pk)
        values = {**rules, "name": name}
        return lambda: phase_change(phase=own, values=values, version=version, actor=user, now=now)

    names = [f"Name {number}" for number in range(4)]
    said = outcomes(*(save(name) for name in names))
    assert sorted(said) == ["", *["ChangedMeanwhile"] * 3]
    phase.refresh_from_db()
    assert phase.name == names[said.index("")]


def test_of_the_last_two_who_leave_at_once_one_stays() -> None:
    phase, users = PhaseFactory.create(), UserFactory.create_batch(2)
    challenge, now = phase.challenge, timezone.now()
    challenge.organisers.set(users)

    def leave(at: int) -> Callable[[], bool]:
        user = users[at]
        return lambda: organiser_remove(challenge=challenge, user=user, actor=user, now=now)

    assert sorted(outcomes(leave(0), leave(1))) == ["", "Refused"]
    assert challenge.organisers.count() == 1


def test_phases_added_at_once_get_places_of_their_own() -> None:
    challenge, user = PhaseFactory.create().challenge, UserFactory.create()
    now = timezone.now()

    def add(slug: str) -> Callable[[], Phase]:
        return lambda: phase_create(challenge=challenge, slug=slug, name=slug, actor=user, now=now)

    assert outcomes(add("a"), add("b"), add("c")) == ["", "", ""]
    places = sorted(challenge.phases.values_list("position", flat=True))
    assert places == [0, 1, 2, 3]


def test_a_phase_is_deleted_or_submitted_to_and_never_both() -> None:
    for _ in range(3):
        phase, team, user = PhaseFactory.create(), TeamFactory.create(), UserFactory.create()
        own, now = Phase.objects.select_related("challenge").get(pk=phase.pk), timezone.now()
        deleted, submitted = outcomes(
            lambda own=own, now=now, user=user: phase_delete(phase=own, actor=user, now=now),  # type: ignore[misc]
            lambda phase=phase, team=team: submit(phase, team),  # type: ignore[misc]
        )
        there = Phase.objects.filter(pk=phase.pk).exists()
        assert there == (deleted == "Refused")
        assert there == (submitted == "")
