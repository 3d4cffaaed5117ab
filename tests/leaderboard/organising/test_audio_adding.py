"""Giving clips their sound: what is matched, what is refused, what strangers' archives may not."""

import struct
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import References
from leaderboard.models import AudioFile, AuditEvent, Phase, ReferenceSet
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.services.clips.audio import AudioReport, audio_add, audio_remove
from leaderboard.services.clips.recordings import archive_open, media_type_of, zip_recordings
from leaderboard.web.refusals import Refused
from tests.factories import NOW, ChallengeFactory, PhaseFactory, reference_set
from tests.leaderboard.conftest import Cast
from tests.sounds import wav, zipped

ODD = References.build(
    [
        (" leading space.wav", ["It hums."]),
        ("O&#39;Farrell.wav", ["It rings."]),
        ("Zo\u00eb.wav", ["It beeps."]),
        ("abc_30", ["It buzzes."]),
    ]
)


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path / "audio"


@pytest.fixture
def phase(db: None) -> Phase:
    return PhaseFactory.create()


def add(phase: Phase, path: Path) -> AudioReport:
    return audio_add(phase=phase, path=path, actor=None, now=NOW)


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_files_become_the_sound_of_their_clips(phase: Phase, tmp_path: Path) -> None:
    files = {name: wav(pitch=200 + at) for at, name in enumerate(["rain.wav", "dog.wav"])}
    report = add(phase, zipped(files, tmp_path / "a.zip"))
    assert (report.matched, report.unknown, report.refused) == (2, (), ())
    assert report.missing == ("train.wav", "door.wav", "bell, small.wav")
    assert report.size == sum(map(len, files.values()))
    for at, content in enumerate(files.values()):
        row = AudioFile.objects.get(position=at)
        assert audio_path(row.sha256).read_bytes() == content
        assert (row.size, row.media_type) == (len(content), "audio/wav")
    event = AuditEvent.objects.get(action="phase.audio")
    assert (event.challenge, event.details["files"]) == (phase.challenge, 2)


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("leading space.wav", 0),
        ("clips/ leading space.wav", 0),
        ("O'Farrell.wav", 1),
        ("deep\\er\\O'Farrell.wav", 1),
        ("Zoe\u0308.wav", 2),
        ("abc_30.wav", 3),
        ("abc_30.flac", 3),
        ("../../abc_30.wav", 3),
        ("/etc/abc_30.wav", 3),
    ],
)
def test_names_are_read_as_captions_files_write_them(
    db: None, tmp_path: Path, folder: Path, name: str, position: int
) -> None:
    phase = PhaseFactory.create(reference_set=reference_set(ODD))
    assert add(phase, zipped({name: wav()}, tmp_path / "a.zip")).matched == 1
    assert AudioFile.objects.get().position == position
    # Whatever the name says, the file lies where its content says.
    sha256 = AudioFile.objects.get().sha256
    assert kept(folder) == [folder / sha256[:2] / sha256]
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}, "nobody else reads it"


def test_what_is_not_taken_is_told_with_the_reason(phase: Phase, tmp_path: Path) -> None:
    files = {
        "rain.wav": wav(),
        "again/rain.wav": wav(pitch=300),
        "dog.wav": b"MZ this is a program",
        "cat.wav": wav(),
        "train.wav": b"",
        "door.wav": b"<script>alert(1)</script>",
        "__MACOSX/._rain.wav": b"junk",
        ".DS_Store": b"junk",
    }
    report = add(phase, zipped(files, tmp_path / "a.zip"))
    assert report.matched == 1
    assert report.unknown == ("cat.wav",)
    why = {refusal.name: refusal.why for refusal in report.refused}
    assert set(why) == {"again/rain.wav", "dog.wav", "train.wav", "door.wav"}
    assert "same clip as rain.wav" in why["again/rain.wav"]
    assert "not a sound" in why["dog.wav"]


@pytest.mark.parametrize("entry", ["encrypted", "link", "odd method", "damaged"])
def test_entries_that_are_not_plain_files_are_refused(
    phase: Phase, tmp_path: Path, entry: str, folder: Path
) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("rain.wav")
        info.external_attr = (0o120777 << 16) if entry == "link" else (0o100644 << 16)
        info.compress_type = zipfile.ZIP_BZIP2 if entry == "odd method" else zipfile.ZIP_STORED
        archive.writestr(info, b"/etc/passwd" if entry == "link" else wav())
    data = bytearray(path.read_bytes())
    if entry == "encrypted":
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + offset] |= 1
    if entry == "damaged":
        data[60] ^= 0xFF
    path.write_bytes(data)
    report = add(phase, path)
    assert report.matched == 0
    assert [refusal.name for refusal in report.refused] == ["rain.wav"]
    assert kept(folder) == []


def test_more_than_the_limit_is_not_unpacked_whatever_an_entry_says_of_its_size(
    phase: Phase, tmp_path: Path, settings: Any, folder: Path
) -> None:
    silence = wav()[:44] + bytes(400_000)
    path = zipped({"rain.wav": silence}, tmp_path / "a.zip", method=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 2000
    lying = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", lying, lying.index(mark) + offset, 100)
    (tmp_path / "lying.zip").write_bytes(lying)
    report = add(phase, tmp_path / "lying.zip")
    assert [refusal.name for refusal in report.refused] == ["rain.wav"]
    settings.MAX_AUDIO_BYTES = 100_000
    with pytest.raises(Refused, match="and the limit is"):
        add(phase, path)
    assert kept(folder) == []


def test_far_more_files_than_clips_are_refused_from_the_list(phase: Phase, tmp_path: Path) -> None:
    files = {f"{number}.wav": b"" for number in range(1100)}
    with pytest.raises(Refused, match="more than 1,010 files"):
        add(phase, zipped(files, tmp_path / "many.zip"))
    path = zipped({"rain.wav": wav()}, tmp_path / "a.zip")
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\x05\x06") + 12, 0xFFFFFFF0)
    path.write_bytes(data)
    with pytest.raises(Refused, match="more than"):
        add(phase, path)


@given(data=st.binary(max_size=400))
def test_no_file_breaks_the_reading_of_archives(data: bytes, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("zip") / "a.zip"
    path.write_bytes(data)
    with pytest.raises(Refused):
        archive_open(path, most_files=10)


@given(cut=st.integers(0, 2000), flip=st.integers(0, 2000))
def test_no_damage_to_an_archive_breaks_reading(cut: int, flip: int, tmp_path_factory: Any) -> None:

    path = tmp_path_factory.mktemp("zip") / "a.zip"
    data = bytearray(zipped({"rain.wav": wav(), "dö.wav": b"x" * 50}, path).read_bytes())
    data[flip % len(data)] ^= 0x55
    path.write_bytes(data[: max(1, len(data) - cut)])
    try:
        archive = archive_open(path, most_files=10)
    except Refused:
        return
    with archive:
        for recording in zip_recordings(archive):
            assert recording.name


def test_what_fails_half_way_leaves_nothing(
    phase: Phase, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"rain.wav": wav(), "dog.wav": wav(pitch=300)}

    def broken(*_: object, **__: object) -> None:
        raise OSError("The disk is full")

    monkeypatch.setattr(AudioFile.objects, "bulk_create", broken)
    with pytest.raises(OSError, match="full"):
        add(phase, zipped(files, tmp_path / "a.zip"))
    assert kept(folder) == []
    assert not AudioFile.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_new_recording_takes_the_place_of_the_old_and_goes_once_no_set_has_it(
    phase: Phase, tmp_path: Path, folder: Path
) -> None:
    path = zipped({"rain.wav": wav(pitch=500)}, tmp_path / "b.zip")
    add(phase, zipped({"rain.wav": wav(), "dog.wav": wav(pitch=300)}, tmp_path / "a.zip"))
    add(phase, path)
    assert AudioFile.objects.count() == 2
    assert {path.read_bytes() for path in kept(folder)} == {wav(pitch=500), wav(pitch=300)}
    other = PhaseFactory.create(
        reference_set=reference_set(References.build([("rain.wav", ["It rains."])]))
    )
    add(other, path)
    assert audio_remove(phase=phase, actor=None, now=NOW) == 2
    assert [path.read_bytes() for path in kept(folder)] == [wav(pitch=500)]
    audio_remove(phase=other, actor=None, now=NOW)
    assert kept(folder) == []


def test_a_set_of_several_challenges_becomes_one_of_each(cast: Cast, tmp_path: Path) -> None:
    """As the migration does it; recordings stay with those who added them."""
    audio_add(
        phase=cast.phase,
        path=zipped({"rain.wav": wav()}, tmp_path / "a.zip"),
        actor=cast.organiser,
        now=NOW,
    )
    earlier = ChallengeFactory.create(pk=cast.phase.challenge.pk - 1)
    foreign = PhaseFactory.create(challenge=earlier, reference_set=cast.phase.reference_set)
    ReferenceSet.objects.update(challenge=None)
    migration = import_module("leaderboard.migrations.0032_references_of_a_challenge")
    migration.give_to_challenges(apps, connection.schema_editor())
    adders, others = (ReferenceSet.objects.get(phases=phase) for phase in (cast.phase, foreign))
    assert (adders.challenge, others.challenge) == (cast.phase.challenge, earlier)
    assert (adders.audio.count(), others.audio.count()) == (1, 0)
    assert adders.read() == others.read()


def test_what_a_file_is_shows_in_how_it_begins() -> None:
    for head, kind in (
        (wav(), "audio/wav"),
        (b"fLaC\x00\x00\x00\x22", "audio/flac"),
        (b"OggS\x00\x02" + bytes(22) + b"\x01\x13OpusHead", "audio/ogg"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\x00\x00\x00\x20ftypM4A \x00", "audio/mp4"),
    ):
        assert media_type_of(head) == kind
    for head in (
        b"RIFF\x00\x00\x00\x00AVI LIST",
        b"\xff\xf1\x50\x80",
        b"\xff\xd8\xff\xe0",
        b"\x00\x00\x00\x20ftypheic\x00",
        b"%PDF-1.7",
        b"<html>",
        b"",
    ):
        assert media_type_of(head) is None
