"""Preparing references once a phase is published: once, before a team waits, for each family."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from leaderboard import scorer, tasks
from leaderboard.models import Challenge, Phase
from leaderboard.selectors.evaluations.preparation import phases_to_prepare
from leaderboard.selectors.organising.overview import phase_lines, steps_of
from tests.factories import finish, submit
from tests.leaderboard.conftest import Cast


@pytest.fixture
def phase(cast: Cast, settings: Any, tmp_path: Path) -> Phase:
    settings.SCORING_CACHE_DIR = tmp_path
    scorer._remembering.cache_clear()
    scorer._kept.clear()
    cast.rules(metrics=["cider_d", "vocab", "spice"], ranking_metric="cider_d")
    return Phase.objects.select_related("reference_set").get(pk=cast.phase.pk)


def due() -> list[int]:
    return phases_to_prepare(now=timezone.now())


def test_a_message_prepares_for_one_family_and_leaves_the_rest_to_the_next(
    cast: Cast, phase: Phase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.references_prepare, "delay", sent.append)

    def told() -> str:
        lines = phase_lines(cast.phase.challenge, timezone.now())
        return " ".join(step.state for step in steps_of(cast.phase.challenge, lines))

    assert "prepared for" not in told()
    tasks.reference_words_sweep()
    tasks.reference_words_sweep()
    assert sent == [phase.pk], "a message that waits is not sent again"
    while len(sent) < 10:
        tasks.references_prepare(phase.pk)
        if phase.pk not in due():
            break
        assert f"prepared for {len(sent) - 1} of 3 metric families" in told()
    assert len(sent) == 3
    assert {path.name.split("-")[0] for path in tmp_path.glob("*.npz")} >= {"cider_d", "spice"}
    assert "prepared for" not in told()
    # Under other parameters it is due again, and not where a system was scored.
    cast.rules(parameters={"cider_d": {"sigma": 5.0}})
    assert due() == [phase.pk]
    finish(submit(Phase.objects.get(pk=phase.pk), cast.team))
    assert due() == []


def test_nothing_is_prepared_for_what_is_not_published(cast: Cast, phase: Phase) -> None:
    assert due() == [phase.pk]
    Challenge.objects.update(published=False)
    assert due() == []
