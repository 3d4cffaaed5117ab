"""CLAPScore and MACE with a small random model on sounds made by the project's own generator."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from earmark.captions import Candidates, References
from earmark.cli.parser import main
from earmark.datasets.made_sounds import made_clips, wav_bytes
from earmark.metrics.clap_score import FAMILY as CLAP_SCORE
from earmark.metrics.mace import FAMILY as MACE
from earmark.models.clap import (
    ClapMissing,
    SoundUnreadable,
    embed_sounds,
    embed_texts,
    find_clap,
    read_sound,
)
from earmark.pipeline import score_family
from earmark.recordings import Recordings, RecordingsMissing, folder_recordings
from earmark.results import MetricScore
from earmark.workspace import Workspace
from tests.clap import small_clap

SOUNDS = list(made_clips("evaluation", 4, seed=3))
REFERENCES = References.build(
    (sound.file_name, [text.rstrip(".") for text in sound.captions]) for sound in SOUNDS
)
CAPTIONS = ["A dog barks and rain falls", "Water runs", "A bell rings and a", "A bird chirps"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return small_clap(tmp_path_factory.mktemp("clap"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of all clips but the last."""
    place = tmp_path_factory.mktemp("sounds")
    for sound in SOUNDS[:-1]:
        (place / sound.file_name).write_bytes(wav_bytes(sound))
    return place


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    heard = folder_recordings(folder, REFERENCES.file_names)
    return Workspace(device="cpu", recordings=heard, details=True)


def heard(name: str, workspace: Workspace, model: str, **parameters: Any) -> MetricScore:
    given = {"model": model, "recordings": workspace.recordings.digest, **parameters}
    return score_family(name, Candidates.single(CAPTIONS), REFERENCES, workspace, **given)[name]


def test_clap_score_is_the_cosine_of_recording_and_caption(
    workspace: Workspace, model: str, folder: Path
) -> None:
    found = heard("clap_score", workspace, model)
    clap = find_clap(model)
    paths = [folder / sound.file_name for sound in SOUNDS[:-1]]
    sounds = embed_sounds(clap, paths, device="cpu")
    texts = embed_texts(clap, CAPTIONS[:-1], device="cpu")
    assert found.per_clip[:-1] == pytest.approx((sounds * texts).sum(axis=1), abs=1e-6)
    assert np.isnan(found.per_clip[-1])
    assert found.coverage == 3
    assert found.details is not None
    steps = CLAP_SCORE.metrics[0].explanation.steps
    assert steps(found.details[0]) == [f"cosine with the recording: {found.per_clip[0]:.3f}"]
    assert steps(found.details[3]) == ["the clip has no recording that can be read"]


def test_mace_is_the_mean_of_both_less_the_penalty(workspace: Workspace, model: str) -> None:
    audio = heard("clap_score", workspace, model).per_clip
    found = heard("mace", workspace, model)
    clap = find_clap(model)
    texts = embed_texts(clap, CAPTIONS, device="cpu")
    read = [
        (embed_texts(clap, clip.references, device="cpu") @ text).mean()
        for clip, text in zip(REFERENCES.clips, texts, strict=True)
    ]
    assert found.details is not None
    kept = [1 - 0.3 * row["fluency"]["flag"] for row in found.details]
    # The third caption is broken off.
    assert kept[:3] == [1, 1, pytest.approx(0.7)]
    expected = (audio + np.array(read)) / 2 * kept
    assert found.per_clip[:3] == pytest.approx(expected[:3], abs=1e-6)
    assert np.isnan(found.per_clip[3])
    assert len(MACE.metrics[0].explanation.steps(found.details[0])) > 5


def test_signatures_name_model_and_recordings(
    workspace: Workspace, model: str, tmp_path: Path
) -> None:
    digest = workspace.recordings.digest
    signed = heard("clap_score", workspace, model).signature
    assert signed == (f"clap_score|clap:{find_clap(model).identity}|recordings:{digest}|refs:5|r:1")
    other = small_clap(tmp_path / Path(model).name, seed=1)
    assert find_clap(other).identity != find_clap(model).identity
    assert heard("mace", workspace, other).signature != heard("mace", workspace, model).signature


def test_other_recordings_than_those_named_are_refused(workspace: Workspace, model: str) -> None:
    files = dict(workspace.recordings.files)
    name = next(iter(files))
    changed = replace(
        workspace, recordings=Recordings({**files, name: replace(files[name], sha256="0" * 64)})
    )
    assert changed.recordings.digest != workspace.recordings.digest
    with pytest.raises(RecordingsMissing, match="changed since"):
        heard("mace", changed, model, recordings=workspace.recordings.digest)


def test_what_was_heard_is_kept(
    workspace: Workspace, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = heard("mace", replace(workspace, cache_dir=tmp_path), model)

    def never(*_: object, **__: object) -> None:
        pytest.fail("A recording was heard again.")

    monkeypatch.setattr("earmark.metrics.clap_score.metric.embed_sounds", never)
    fresh = Workspace(
        device="cpu", recordings=workspace.recordings, details=True, cache_dir=tmp_path
    )
    again = heard("mace", fresh, model)
    assert again.per_clip.tolist()[:3] == first.per_clip.tolist()[:3]


def test_without_recordings_model_or_name_it_is_unavailable(
    workspace: Workspace, model: str, tmp_path: Path
) -> None:
    deaf = replace(workspace, recordings=Recordings())
    with pytest.raises(RecordingsMissing, match="No clip has a recording"):
        heard("clap_score", deaf, model, recordings="12345678")
    with pytest.raises(RecordingsMissing, match="not said which"):
        heard("clap_score", workspace, model, recordings="")
    for missing in (None, str(tmp_path)):
        with pytest.raises(ClapMissing):
            heard("mace", workspace, model=missing)  # type: ignore[arg-type]


def test_recordings_that_none_can_read_are_told(model: str, tmp_path: Path) -> None:
    for name in REFERENCES.file_names:
        (tmp_path / name).write_bytes(b"no sound")
    noise = folder_recordings(tmp_path, REFERENCES.file_names)
    with pytest.raises(RecordingsMissing, match="None of the recordings can be read"):
        heard("clap_score", Workspace(device="cpu", recordings=noise), model)


def test_the_command_line_takes_model_and_recordings(
    model: str, folder: Path, tmp_path: Path, workspace: Workspace
) -> None:
    references, candidates = tmp_path / "references.csv", tmp_path / "candidates.csv"
    rows = [(clip.file_name, clip.references[0]) for clip in REFERENCES.clips]
    references.write_text("file_name,caption_1\n" + "".join(f'{a},"{b}"\n' for a, b in rows))
    said = zip(REFERENCES.file_names, CAPTIONS, strict=True)
    candidates.write_text(
        "file_name,caption_predicted\n" + "".join(f'{a},"{b}"\n' for a, b in said)
    )
    files = ["score", "-r", str(references), "-c", str(candidates), "--device", "cpu"]
    out = tmp_path / "scores.json"
    hears = ["--clap", model, "--recordings", str(folder)]
    run = [*files, "--cache", str(tmp_path / "cache"), "-m", "clap_score", *hears]
    assert main([*run, "--json", str(out)]) == 0
    found = json.loads(out.read_text())["metrics"]["clap_score"]
    assert found["coverage"] == 3
    assert f"|recordings:{workspace.recordings.digest}|" in found["signature"]
    assert main([*files, "-m", "clap_score", "--clap", model]) == 2
    assert main([*files, "-m", "bleu_1", *hears]) == 2


@pytest.mark.parametrize("fusion", [False, True])
def test_a_sound_has_the_same_vector_every_time(tmp_path: Path, fusion: bool) -> None:
    clap = find_clap(small_clap(tmp_path / "clap", fusion=fusion))
    path = tmp_path / "long"
    path.write_bytes(wav_bytes(replace(SOUNDS[0], samples=np.tile(SOUNDS[0].samples, 3))))
    np.random.seed(1)
    first = embed_sounds(clap, [path], device="cpu")
    np.random.seed(2)
    assert (embed_sounds(clap, [path], device="cpu") == first).all()
    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("form", ["WAV", "FLAC", "OGG", "MP3"])
def test_sounds_of_all_forms_are_read_at_the_models_rate(tmp_path: Path, form: str) -> None:
    out = io.BytesIO()
    time = np.arange(32_000) / 16_000
    tone = 0.5 * np.sin(2 * np.pi * 440 * time)
    soundfile.write(out, np.stack([tone, tone], axis=1), 16_000, format=form)
    path = tmp_path / "0a1b"  # stored by hash, without an extension
    path.write_bytes(out.getvalue())
    sound = read_sound(path, 8000)
    assert sound.size == pytest.approx(16_000, rel=0.1)
    spectrum = np.abs(np.fft.rfft(sound[:8000]))
    assert int(spectrum.argmax()) == pytest.approx(440, abs=1)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no sound at all" * 100])
def test_what_is_no_sound_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SoundUnreadable):
        read_sound(path, 8000)
