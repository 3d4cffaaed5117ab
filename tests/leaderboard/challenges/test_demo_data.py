"""Protect the demo challenge: true to its sounds, whole, and loaded once."""

import csv
import gzip
import re
import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import soundfile
import yaml

from earmark.captions.candidates import read_candidates
from earmark.captions.references import read_references
from leaderboard.demo import TEAM_NAME
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.demo.recipe.files import data_files
from leaderboard.demo.recordings import demo_clips
from leaderboard.models import AudioFile, Challenge, Kind, Phase, Submission, Team
from leaderboard.selectors.clips.audio import audio_path, clips_without
from leaderboard.services.clips.audio import audio_remove
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.real_data import ROOT

pytestmark = [
    pytest.mark.django_db,
]

DATA = ROOT / "leaderboard" / "demo" / "data"
MADE = ("careful", "plain", "stutter", "inventor", "terse")
# What the starter kit's modern baseline said of the clips (docs/guides/starter-kit.md).
TRAINED = ("baseline",)
SLUGS = (*MADE, *TRAINED)


# Line of faulty.csv -> what is wrong there, written down when the file was made.
FAULTS = {
    5: "misspelt name",
    8: "name in another case",
    12: "name without its ending",
    15: "name with folders",
    18: "no name",
    22: "second, different caption",
    25: "empty caption",
    28: "caption of spaces",
    33: "caption of punctuation",
    38: "unquoted commas",
    40: "no caption column",
    41: "semicolon for comma",
    46: "header again",
    48: "caption far too long",
    51: "control character",
    53: "NaN from an export",
    58: "same row again",
    64: "placeholder of a model",
    75: "quote never closed",
}
MISSING_CLIP = "evaluation_0051.wav"


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.reader(handle, strict=True))


def words_of(caption: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", caption).casefold())


def normal(caption: str) -> str:
    return " ".join(words_of(caption))


def captions_of(slug: str) -> dict[str, str]:
    return {row[0]: row[1] for row in rows_of(DATA / "systems" / f"{slug}.csv")[1:]}


@pytest.fixture(scope="module")
def references() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in rows_of(DATA / "references.csv")[1:]}


@pytest.fixture(scope="module")
def reference_texts(references: dict[str, list[str]]) -> list[str]:
    return [text for captions in references.values() for text in captions]


def test_the_files_are_what_the_recipe_makes_of_the_sounds() -> None:
    """Else references, or the traits of systems, would speak of other sounds than are heard."""
    for name, text in data_files().items():
        assert (DATA / name).read_text(encoding="utf-8") == text, name


def test_there_are_72_clips_with_five_different_references_and_a_caption_of_each_system(
    references: dict[str, list[str]], reference_texts: list[str]
) -> None:
    assert len(references) == 72
    assert list(references) == sorted(references, key=str.casefold)
    assert {len(captions) for captions in references.values()} == {5}
    assert len({normal(text) for text in reference_texts}) == 360
    assert {8 <= len(text.split()) <= 20 for text in reference_texts} == {True}
    for slug in SLUGS:
        rows = rows_of(DATA / "systems" / f"{slug}.csv")
        assert rows[0] == ["file_name", "caption_predicted"]
        assert {len(row) for row in rows} == {2}
        assert sorted(row[0] for row in rows[1:]) == sorted(references)


def test_every_system_is_described_as_what_it_is() -> None:
    text = (DATA / "systems.yaml").read_text(encoding="utf-8")
    systems: list[dict[str, Any]] = yaml.safe_load(text)["systems"]
    assert tuple(system["slug"] for system in systems) == SLUGS
    assert len({system["team"] for system in systems}) == len(SLUGS)
    for system in systems:
        metadata = system["metadata"]
        assert metadata["made_up"] is (system["slug"] in MADE)
        assert metadata["submission"]["label"] == system["label"]
        assert re.fullmatch(r"[A-Za-z]+_[A-Za-z]{1,10}_task6_[1-4]", system["label"])
        assert metadata["system"]["complexity"]["total_parameters"] > 0


def test_faulty_lines_are_where_the_list_says() -> None:
    good = {",".join(row) for row in rows_of(DATA / "systems" / "plain.csv")}
    lines = (DATA / "faulty.csv").read_text(encoding="utf-8").split("\n")
    seen: set[str] = set()
    found = []
    for number, line in enumerate(lines[:-1], start=1):
        if line not in good or line in seen:
            found.append(number)
        seen.add(line)
    assert found == list(FAULTS)


def test_the_reader_finds_every_fault_of_faulty() -> None:
    references = read_references((DATA / "references.csv").read_bytes()).value
    assert references is not None
    faults = read_candidates((DATA / "faulty.csv").read_bytes(), references).faults
    assert {fault.line for fault in faults if fault.line is not None} == set(FAULTS)
    assert MISSING_CLIP in {fault.value for fault in faults if fault.line is None}


def published_sentences(folder: Path) -> set[str]:
    """Every cell of the published caption files, reduced to its words."""
    known: set[str] = set()
    for path in sorted(folder.glob("*/*.csv*")):
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8-sig") as handle:
            for row in csv.reader(handle):
                known.update(normal(cell) for cell in ",".join(row).split("\t"))
                known.update(normal(cell) for cell in row)
    return known


def test_no_caption_is_copied_from_published_data(
    shared_data: Path, reference_texts: list[str]
) -> None:
    # A few general words coincide with those of others by chance.
    in_full = [slug for slug in SLUGS if slug not in {"plain", "terse"}]
    predicted = [text for slug in in_full for text in captions_of(slug).values()]
    ours = {normal(text) for text in (*reference_texts, *predicted)}
    assert not ours & published_sentences(shared_data)


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
