"""The starter kit as participants have it: modules of a folder, and a few made clips."""

import csv
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.real_data import ROOT

KIT = ROOT / "leaderboard" / "starter" / "kit"
sys.path.insert(0, str(KIT))

SOUNDS = {
    400: ("A low tone hums.", "A deep tone sounds."),
    3000: ("A high tone beeps.", "A high note is heard."),
}
RATE = 8000


def write_split(folder: Path, split: str, clips: int) -> None:
    """Tones in Clotho's layout, low and high in turn, each of its own length."""
    rows = []
    (folder / split).mkdir(parents=True)
    for number in range(clips):
        pitch = list(SOUNDS)[number % 2]
        times = np.arange(int(RATE * (0.4 + 0.05 * number))) / RATE
        name = f"{split} {number}.wav"
        soundfile.write(folder / split / name, 0.5 * np.sin(2 * np.pi * pitch * times), RATE)
        rows.append((name, *SOUNDS[pitch]))
    with (folder / f"captions_{split}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file_name", "caption_1", "caption_2"), *rows])


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of a dozen clips."""
    folder = tmp_path_factory.mktemp("made")
    for split, clips in (("development", 8), ("validation", 2), ("evaluation", 2)):
        write_split(folder, split, clips)
    return folder


def command(program: str, *arguments: str) -> Sequence[str]:
    """A program of the kit as a participant starts it."""
    return [sys.executable, str(KIT / f"{program}.py"), *arguments]


def environment() -> dict[str, str]:
    """Where the scorer is found, and one thread, so that sums are taken in one order."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def run(program: str, *arguments: str) -> str:
    """What a program of the kit prints; it must end well."""
    done = subprocess.run(
        command(program, *arguments), env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
