"""Clips with their captions, as data sets lay them out, and the words of a model.

Layouts, found by what is there:

- Clotho: ``development/``, ``validation/`` and ``evaluation/`` beside
  ``clotho_captions_development.csv`` (or ``captions_development.csv``) with the columns
  ``file_name,caption_1,...,caption_5``.
- AudioCaps: ``train.csv``, ``val.csv`` and ``test.csv`` with the columns
  ``audiocap_id,youtube_id,start_time,caption``, one row for each caption, beside ``train/``,
  ``val/`` and ``test/``. Clips that are missing are left out, as videos disappear.
- A challenge's own: any CSV file with ``file_name`` and, where they are known, captions
  (``caption``, ``caption_1``, ...), and a folder with the audio.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

SPLITS = {
    "development": ("development", "train"),
    "validation": ("validation", "val"),
    "evaluation": ("evaluation", "test"),
}
AUDIO = (".wav", ".flac", ".ogg", ".mp3", ".opus", ".aiff", ".aif", ".au")
END, START = 0, 1
_CAPTION = re.compile(r"caption(_\d+)?")


@dataclass(frozen=True)
class Clip:
    """An audio file and what people said of it; nothing where the captions are hidden."""

    name: str
    path: Path
    captions: tuple[str, ...] = ()


class InputUnusable(ValueError):
    """What a program was given cannot be used; the text says why, and ends the program."""


def read_split(folder: Path, split: str) -> list[Clip]:
    """The clips of ``development``, ``validation`` or ``evaluation``, in a folder of any layout."""
    tried = [
        (folder / table, folder / name)
        for name in SPLITS[split]
        for table in (f"clotho_captions_{name}.csv", f"captions_{name}.csv", f"{name}.csv")
    ]
    for table, audio in tried:
        if table.is_file():
            return read_table(table, audio)
    names = ", ".join(table.name for table, _ in tried)
    raise InputUnusable(
        f"{folder} has no table of the {split} split. One of these is needed: {names}"
    )


def read_table(table: Path, audio: Path) -> list[Clip]:
    """The clips of a table, of Clotho's or of AudioCaps' columns, with their files in ``audio``."""
    with table.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file, restval="")
        columns, rows = reader.fieldnames or (), list(reader)
    if "youtube_id" in columns:
        clips = _audiocaps_clips(rows, audio)
    elif "file_name" in columns:
        clips = [_clip(row, audio) for row in rows]
    else:
        raise InputUnusable(
            f"{table} has the columns {', '.join(columns) or 'of an empty file'}. It needs "
            "file_name and captions (as Clotho has them), or youtube_id and caption (AudioCaps)."
        )
    if not clips:
        raise InputUnusable(f"{audio} has none of the {len(rows)} clips of {table}.")
    return clips


def read_folder(audio: Path) -> list[Clip]:
    """The audio files of a folder, by name, without captions."""
    files = (path for path in audio.iterdir() if path.suffix.lower() in AUDIO)
    clips = [Clip(path.name, path) for path in sorted(files)]
    if not clips:
        raise InputUnusable(f"{audio} has no audio. Known endings: {', '.join(AUDIO)}")
    return clips


def _clip(row: dict[str, str], audio: Path) -> Clip:
    name = row["file_name"].strip()
    path = audio / name
    if not path.is_file():
        raise InputUnusable(f"{path} is missing. Is the audio of this split in {audio}?")
    texts = (text.strip() for column, text in row.items() if _CAPTION.fullmatch(column or ""))
    return Clip(name, path, tuple(text for text in texts if text))


def _audiocaps_clips(rows: Iterable[dict[str, str]], audio: Path) -> list[Clip]:
    captions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        captions[row["youtube_id"], row.get("start_time", "")].append(row["caption"].strip())
    there = {path.stem: path for path in sorted(audio.iterdir()) if path.suffix.lower() in AUDIO}
    clips = []
    for (video, start), texts in captions.items():
        stems = (f"{video}_{start}", f"Y{video}_{start}", video, f"Y{video}")
        recording = next((there[stem] for stem in stems if stem in there), None)
        if recording:
            clips.append(Clip(recording.name, recording, tuple(texts)))
    return clips


def words_of(caption: str) -> list[str]:
    """The words of a caption: lower case, without punctuation, as Clotho's baseline has them."""
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", caption.lower())


class Vocabulary:
    """The words that a model knows; the first two places are the end and the start of a caption."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._places = {word: place for place, word in enumerate(self.words, 2)}

    @classmethod
    def of(cls, captions: Iterable[str]) -> "Vocabulary":
        """All words of captions, the commonest first."""
        counts = Counter(word for caption in captions for word in words_of(caption))
        return cls(sorted(counts, key=lambda word: (-counts[word], word)))

    def __len__(self) -> int:
        return len(self.words) + 2

    def encode(self, caption: str) -> list[int]:
        """Start, the known words, end."""
        known = (self._places.get(word) for word in words_of(caption))
        return [START, *(place for place in known if place is not None), END]

    def decode(self, places: Iterable[int]) -> str:
        """The caption before the first end."""
        written = takewhile(lambda place: place != END, places)
        return " ".join(self.words[place - 2] for place in written if place != START)
