"""Protect what loading the demo challenge leaves behind."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import soundfile

from leaderboard.demo import TEAM_NAME
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.demo.recordings import demo_clips
from leaderboard.models import AudioFile, Challenge, Kind, Phase, Submission, Team
from leaderboard.selectors.clips.audio import audio_path, clips_without
from leaderboard.services.clips.audio import audio_remove
from tests.factories import NOW, PhaseFactory, TeamFactory, submit

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def _recordings_elsewhere(settings: Any, tmp_path: Path) -> None:
    settings.AUDIO_DIR = tmp_path / "audio"


def test_the_systems_came_one_after_another_and_once() -> None:
    """Else the history of ranks would be a single moment."""
    phase = demo_load(now=NOW)[0].phase
    systems = Submission.objects.filter(kind=Kind.SYSTEM).order_by("pk")
    times = list(systems.values_list("created_at", flat=True))
    assert len(times) == 6
    assert times == sorted(set(times))
    assert phase.opens_at is not None
    assert phase.opens_at < times[0] < times[-1] < NOW
    assert demo_load(now=NOW + timedelta(days=1)) == []


def test_the_made_up_teams_are_nobodys_who_can_log_in() -> None:
    """Else the first thing an organiser sees is a board on which every row is their own."""
    demo_load(now=NOW)
    teams = Team.objects.exclude(name=TEAM_NAME).filter(memberships__isnull=False)
    owners = {member.user for team in teams for member in team.memberships.all()}
    assert len(teams) == 6
    assert not any(owner.is_active or owner.has_usable_password() for owner in owners)


def test_every_clip_gets_its_recording_through_the_service_of_organisers() -> None:
    references = demo_load(now=NOW)[0].phase.reference_set
    assert references is not None
    assert clips_without(references) == []
    stored = {file.position: file for file in AudioFile.objects.all()}
    for position, clip in enumerate(demo_clips()):
        assert stored[position].media_type == "audio/flac"
        found = soundfile.info(audio_path(stored[position].sha256))
        assert (found.frames, found.samplerate) == (len(clip.samples), clip.rate)


def test_loading_again_neither_doubles_recordings_nor_leaves_them_out() -> None:
    phase = demo_load(now=NOW)[0].phase
    demo_load(now=NOW + timedelta(days=1))
    assert AudioFile.objects.count() == 72
    audio_remove(phase=phase, actor=None, now=NOW)
    demo_load(now=NOW + timedelta(days=2))
    assert AudioFile.objects.count() == 72


def test_a_site_with_the_demo_of_an_earlier_version_keeps_it() -> None:
    """Its systems were scored against other clips, to which nothing of today's fits."""
    phase = PhaseFactory.create(challenge__slug=CHALLENGE, slug=PHASE)
    before = phase.reference_set
    submission = submit(phase, TeamFactory.create(name="Team North"))
    assert demo_load(now=NOW) == []
    assert Challenge.objects.count() == Phase.objects.count() == 1
    assert list(Submission.objects.all()) == [submission]
    phase.refresh_from_db()
    assert phase.reference_set == before
    assert not AudioFile.objects.exists()
