"""``prepare_recordings`` on recordings that are made: what is known of them comes out."""

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.core.management import CommandError, call_command
from numpy.typing import NDArray

Samples = NDArray[np.float64]
SHORT = ("--shortest=1", "--longest=2")


def noise(seconds: float, rate: int = 44_100, *, level: float = 0.5, seed: int = 1) -> Samples:
    return np.random.default_rng(seed).uniform(-level, level, round(seconds * rate))


def tone(seconds: float, hertz: float, rate: int) -> Samples:
    return 0.25 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def silence(seconds: float, rate: int = 44_100, *, level: float = 0.0) -> Samples:
    return np.full(round(seconds * rate), level)


def store(folder: Path, name: str, samples: Samples, rate: int = 44_100) -> None:
    folder.mkdir(exist_ok=True)
    soundfile.write(folder / name, samples, rate, subtype="PCM_24")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    folder.mkdir()
    return folder


def prepare(given: Path, *arguments: str) -> tuple[list[dict[str, str]], str, str]:
    """The rows of the report, and what was written to the two outputs."""
    out, err = StringIO(), StringIO()
    report = given.parent / "report.csv"
    report.unlink(missing_ok=True)
    paths = (str(given), f"--out={given.parent / 'out'}", f"--report={report}")
    call_command("prepare_recordings", *paths, *arguments, stdout=out, stderr=err)
    with report.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), out.getvalue(), err.getvalue()


def clip(given: Path, name: str) -> Samples:
    samples, rate = soundfile.read(given.parent / "out" / name)
    assert rate == 44_100
    return np.asarray(samples)


def test_silence_at_both_ends_is_trimmed_and_the_rest_kept(given: Path) -> None:
    faint = 0.5 * 10 ** (-66 / 20)  # 66 dB below the loudest sample
    pause = silence(0.3)
    parts = (silence(0.5, level=faint), noise(0.6), pause, noise(0.6), silence(0.25))
    store(given, "rain.flac", np.concatenate(parts))
    rows, told, _ = prepare(given, *SHORT)
    (row,) = rows
    assert (row["file_name"], row["source"], row["rate"]) == ("rain.wav", "rain.flac", "44100")
    assert float(row["source_seconds"]) == pytest.approx(2.25)
    assert float(row["trimmed_start"]) == pytest.approx(0.5, abs=0.001)
    assert float(row["trimmed_end"]) == pytest.approx(0.25, abs=0.001)
    assert (float(row["cut_from"]), float(row["cut_to"])) == pytest.approx((0.5, 2.0), abs=0.001)
    assert float(row["duration"]) == pytest.approx(1.5, abs=0.001)
    assert "rain.flac: 0.50 to 2.00 s of 2.25 s (0.50 s of silence trimmed before" in told
    assert len(clip(given, "rain.wav")) == pytest.approx(1.5 * 44_100, abs=50)
    rows, _, _ = prepare(given, *SHORT, "--silence=80", "--replace")
    assert float(rows[0]["trimmed_start"]) == 0, "what is 66 dB below is no silence then"


def test_clips_are_normalised_and_faded_with_a_hamming_window(given: Path) -> None:
    store(given, "flat.wav", silence(1.5, level=0.2))
    prepare(given, *SHORT)
    found = clip(given, "flat.wav")
    assert found[1_000:-1_000] == pytest.approx(1, abs=1e-3)
    window = np.hamming(512)
    assert found[:256] == pytest.approx(window[:256], abs=1e-3)
    assert found[-256:] == pytest.approx(window[256:], abs=1e-3)


@pytest.mark.parametrize("rate", [48_000, 96_000, 22_050])
def test_other_rates_are_resampled(given: Path, rate: int) -> None:
    store(given, "tone.wav", tone(1.5, 1_000, rate), rate)
    rows, _, _ = prepare(given, *SHORT)
    assert rows[0]["rate"] == str(rate)
    found = clip(given, "tone.wav")
    assert len(found) == pytest.approx(1.5 * 44_100, abs=100)
    spectrum = np.abs(np.fft.rfft(found * np.hanning(len(found))))
    assert spectrum.argmax() * 44_100 / len(found) == pytest.approx(1_000, abs=2)


def test_channels_stay(given: Path) -> None:
    store(given, "two.wav", np.stack([noise(1.2), noise(1.2, seed=2)], axis=1))
    prepare(given, *SHORT)
    assert clip(given, "two.wav").shape[1] == 2


def test_of_a_long_recording_the_loudest_window_is_cut(given: Path) -> None:
    parts = (noise(3, level=0.01), noise(1.0, level=0.9), noise(3, level=0.01))
    store(given, "bang.wav", np.concatenate(parts))
    rows, _, _ = prepare(given, *SHORT, "--silence=60")
    start, end = (float(rows[0][name]) for name in ("cut_from", "cut_to"))
    assert start <= 3.001
    assert end >= 3.999
    assert end - start == pytest.approx(float(rows[0]["duration"]), abs=0.001)


def test_a_random_window_is_another_with_another_seed(given: Path) -> None:
    store(given, "long.wav", noise(9))
    starts = {
        prepare(given, *SHORT, "--window=random", f"--seed={seed}", "--replace")[0][0]["cut_from"]
        for seed in (1, 2, 3)
    }
    assert len(starts) == 3


def test_durations_are_spread_evenly_and_as_asked(given: Path) -> None:
    for number in range(20):
        store(given, f"{number:02}.wav", noise(2.5, rate=8_000, seed=number), 8_000)
    store(given, "whole.wav", noise(1.5, rate=8_000), 8_000)
    rows, told, _ = prepare(given, *SHORT)
    found = sorted(round(float(row["duration"]), 2) for row in rows)
    assert found == pytest.approx([1 + 0.05 * step for step in range(21)]), "each step once"
    assert "21 clips at 44,100 Hz, 0 left out." in told
    rows, _, _ = prepare(given, *SHORT, "--duration-shares=1,0", "--replace")
    assert all(float(row["duration"]) < 1.51 for row in rows)


def test_the_same_seed_gives_the_same_files(given: Path) -> None:
    for number in range(4):
        store(given, f"{number}.wav", noise(4, seed=number))
    written = []
    for seed in (5, 5, 6):
        prepare(given, *SHORT, f"--seed={seed}", "--replace")
        folder = given.parent / "out"
        written.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert written[0] == written[1] != written[2]


def test_what_is_too_short_is_left_out(given: Path) -> None:
    store(given, "good.wav", noise(1.2))
    store(given, "short.wav", np.concatenate([silence(1), noise(0.5), silence(1)]))
    rows, told, problems = prepare(given, *SHORT)
    assert [row["source"] for row in rows] == ["good.wav"]
    assert "short.wav is too short: 0.50 s without silence, 1 s needed." in problems
    assert "1 clip at 44,100 Hz, 1 left out." in told


def test_what_cannot_be_used_is_named_and_the_others_are_prepared(given: Path) -> None:
    store(given, "good.wav", noise(1.2))
    store(given, "silent.wav", silence(2))
    (given / "broken.wav").write_bytes(b"no sound")
    nan = noise(1.2)
    nan[50] = np.nan
    soundfile.write(given / "nan.wav", nan, 44_100, subtype="FLOAT")
    soundfile.write(given / "empty.wav", noise(0), 44_100)
    err = StringIO()
    with pytest.raises(CommandError, match="4 recordings cannot be used") as raised:
        call_command(
            *("prepare_recordings", str(given), f"--out={given.parent / 'out'}", *SHORT),
            stdout=StringIO(),
            stderr=err,
        )
    assert raised.value.returncode == 1
    assert "silent.wav is silent." in err.getvalue()
    assert "empty.wav is silent." in err.getvalue()
    assert "broken.wav cannot be read as a recording" in err.getvalue()
    assert "nan.wav cannot be read: some samples are not numbers." in err.getvalue()
    assert len(clip(given, "good.wav")) > 1


def test_every_fault_is_said_before_anything_is_written(given: Path) -> None:
    store(given, "a.wav", noise(1.2))
    store(given, "a.flac", noise(1.2))
    empty = given.parent / "nothing"
    empty.mkdir()
    err = StringIO()
    with pytest.raises(CommandError, match="6 errors"):
        call_command(
            *("prepare_recordings", str(given), str(empty), str(given / "none.wav")),
            *(f"--out={given.parent / 'out'}", "--shortest=3", "--longest=2", "--seed=-1"),
            "--duration-shares=0,0",
            stderr=err,
        )
    told = err.getvalue()
    assert "--shortest: Give less than --longest" in told
    assert "would have the same clip, a.wav" in told
    assert "The folder has no recordings" in told
    assert "There is no such file" in told
    assert not (given.parent / "out").exists()


def test_no_recording_and_no_clip_is_overwritten_unasked(given: Path) -> None:
    store(given, "a.wav", noise(1.2))
    prepare(given, *SHORT)
    with pytest.raises(CommandError, match="1 error"):
        prepare(given, *SHORT)
    before = (given / "a.wav").read_bytes()
    with pytest.raises(CommandError, match="1 error"):
        call_command("prepare_recordings", str(given), f"--out={given}", *SHORT, "--replace")
    assert (given / "a.wav").read_bytes() == before
