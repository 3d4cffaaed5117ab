"""Made sounds, and what people and systems say of them: true captions, slips, and worse."""

from collections.abc import Iterator
from csv import writer
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from annotation.kinds.judge import ALIKE, FIRST, SECOND
from annotation.kinds.rate import caption_key, caption_texts
from annotation.models import Item
from annotation.selectors.sounds import sound_name
from leaderboard.models import Submission
from scoring.datasets.made_sounds import MadeClip, made_clips, wav_bytes
from tests.sounds import zipped

COUNT, SEED = 10, 69
# What writers mistyped and the editor overlooked: the number of the sound and of its writer.
SLIPS = {
    (7, 3): ("emergency", "emergancy"),
    (5, 4): ("trickles", "trickels"),
    (8, 4): ("knock", "klonk"),
}
# Accuracy and fluency, by the number of the writer; what was written in haste is worst.
RATINGS = ((4, 4), (4, 3), (3, 4), (3, 4), (3, 3))
HASTY = (2, 1)
# From the worst system to the best.
SYSTEMS = ("Mistaken", "Vague", "Careful")

Value = dict[str, Any]


@dataclass(frozen=True)
class MadeSounds:
    """Ten sounds in a folder; each has five true captions, one for each of five writers."""

    folder: Path

    def make(self) -> Path:
        """A zip of the sounds."""
        self.folder.mkdir()
        files = {clip.file_name: wav_bytes(clip) for clip in self._clips()}
        return zipped(files, self.folder / "sounds.zip")

    def _clips(self) -> Iterator[MadeClip]:
        return made_clips("evaluation", COUNT, SEED)

    @cached_property
    def captions(self) -> dict[str, tuple[str, ...]]:
        """What is true of each sound, and with the slips, by the name of its file."""
        found = {clip.file_name: list(clip.captions) for clip in self._clips()}
        for (sound, number), (right, wrong) in SLIPS.items():
            texts = found[sorted(found)[sound]]
            assert right in texts[number]
            texts[number] = texts[number].replace(right, wrong)
        return {name: tuple(texts) for name, texts in found.items()}

    def written(self, item: Item, number: int) -> Value:
        """What a writer types; the first one is in haste."""
        text = self.captions[sound_name(item)][number]
        return {"text": text if number else _hasty(text)}

    def edited(self, item: Item) -> Value:
        """The caption as the editor leaves it: all is right but what was written in haste."""
        text, right = str(item.content["caption"]), self.captions[sound_name(item)][0]
        return {"text": right if text == _hasty(right) else text}

    def rated(self, item: Item) -> Value:
        """The rating of each version."""
        names = ("accuracy", "fluency")
        texts = caption_texts(item)
        return {
            "ratings": {
                caption_key(text): dict(zip(names, self.rating(item, text), strict=True))
                for text in texts
            }
        }

    def rating(self, item: Item, text: str) -> tuple[int, int]:
        """Accuracy and fluency of a version of a caption."""
        captions = self.captions[sound_name(item)]
        return RATINGS[captions.index(text)] if text in captions else HASTY

    def predictions(self, system: str, clips: list[str]) -> bytes:
        """The file of a system."""
        out = StringIO()
        rows = writer(out)
        rows.writerow(["file_name", "caption_predicted"])
        for place, name in enumerate(clips):
            rows.writerow([name, self._said_by(system, clips, place)])
        return out.getvalue().encode()

    def _said_by(self, system: str, clips: list[str], place: int) -> str:
        """The beginning of a true caption, next to nothing, or what is true of another clip."""
        if system == "Vague":
            return f"one of several sounds is heard {place + 1} times"
        of = clips[place] if system == "Careful" else clips[place - 1]
        return " ".join(self.captions[of][place].split()[:7])


def _hasty(text: str) -> str:
    return f"{text.lower().removesuffix('.')} or so"


def judged(item: Item, judge: int) -> Value:
    """The choice of a judge; the second one calls every fourth pair alike."""
    worth = [_worth(item, source) for source in item.content["sources"]]
    if worth[0] == worth[1] or (judge and item.position % 4 == 0):
        return {"choice": ALIKE}
    return {"choice": FIRST if worth[0] > worth[1] else SECOND}


def _worth(item: Item, source: Value) -> int:
    """How good a caption of a pair is: a person's of this clip is best, of another one worst."""
    if "system" in source:
        system = Submission.objects.get(public_id=source["system"])
        return SYSTEMS.index(system.system_name)
    return len(SYSTEMS) if source["clip"] == item.clip else -1
