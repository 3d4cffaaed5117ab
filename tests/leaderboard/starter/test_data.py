"""Data as people have it: layouts, rates, formats, channels; and what is wrong with it."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from captions import DataMissing, read_folder, read_split, read_table
from features import FeatureSettings, FeatureStore, UnreadableAudio, load_audio, load_features
from tests.leaderboard.starter.conftest import RATE


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
    with pytest.raises(DataMissing, match=told):
        read_table(tmp_path / "table.csv", tmp_path)
    with pytest.raises(DataMissing, match=r"captions_development\.csv"):
        read_split(tmp_path, "development")


@pytest.mark.parametrize("rate", [8000, 22_050, 44_100, 48_000, 96_000])
@pytest.mark.parametrize(("ending", "subtype"), [("wav", "PCM_24"), ("flac", None), ("ogg", None)])
def test_any_rate_and_format_gives_the_same_sound(
    tmp_path: Path, rate: int, ending: str, subtype: str | None
) -> None:
    times = np.arange(rate) / rate
    tone = 0.5 * np.sin(2 * np.pi * 440 * times)
    path = tmp_path / f"tone.{ending}"
    if ending == "ogg" and rate > 48_000:
        pytest.skip("libsndfile writes no Vorbis of this rate")
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
    with pytest.raises(UnreadableAudio, match=r"bad\.wav"):
        FeatureStore(tmp_path / "store", FeatureSettings()).stored(path)
