"""Texts on which a fluency detector is measured: human captions, errors made from them, judgments.

The errors are made here by rules of one line each, which share no code with those that
the detector learns from, and from captions that no detector of ours has seen.
"""

import csv
import hashlib
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from earmark.captions.caption_lists import read_captions
from earmark.train.fluency.examples import comparison_key
from tests.earmark.corpora import CLOTHO, SYSTEMS

Rng = np.random.Generator
Words = list[str]

JUDGED = Path(__file__).parents[1] / "earmark" / "fluency" / "judged_captions.tsv"
HUMAN = {
    "Clotho evaluation": CLOTHO,
    "AudioCaps test": "audiocaps/test.csv",
    "Clotho validation": "clotho/clotho_validation.csv.gz",
    "AudioCaps val": "audiocaps/val.csv",
}
_FUNCTION_WORDS = frozenset(
    ["a", "the", "in", "on", "of", "is", "are", "and", "by", "with", "as", "to", "at"]
)
_PREPOSITIONS = ("in", "on", "by", "of", "with", "at", "to", "for", "from")
_CONNECTORS = re.compile(r"\b(?:and|while|as|followed by)\b")

_THINGS = (
    *("cat", "dog", "door", "bird", "car", "train", "baby", "bell"),
    *("clock", "drum", "engine", "frog", "horse", "siren", "whistle", "church bell"),
    *(
        "chainsaw",
        "crowd",
        "thunderstorm",
        "duck",
        "lawn mower",
        "helicopter",
        "telephone",
        "toilet",
    ),
    *("waterfall",),
)
_SHORT = (
    *("rain", "thunder", "wind", "music", "speech", "laughter"),
    *("applause", "traffic", "silence", "footsteps", "birds", "dogs"),
    *("people talking", "a dog barks", "dogs bark", "birds sing", "a man speaks", "heavy rain"),
    *(
        "loud music",
        "running water",
        "birds chirping",
        "a door closes",
        "a baby cries",
        "rain falls",
    ),
    *(
        "a cat meowing",
        "water drips",
        "an engine idles",
        "footsteps on gravel",
        "a clock ticking",
        "wind blows",
    ),
)


def short_captions() -> list[str]:
    """Correct captions of one to three words."""
    with_article = [f"{'an' if thing[0] in 'ae' else 'a'} {thing}" for thing in _THINGS]
    return [*with_article, *(f"the {thing}" for thing in _THINGS), *_SHORT]


def human_captions(data: Path, part: str) -> list[str]:
    """Captions of a part of ``HUMAN`` as people wrote them; none was trained on."""
    return read_captions(data / HUMAN[part])


def system_captions(data: Path, system: str) -> list[str]:
    """Captions of a published system, once per clip."""
    path = data / "systems" / f"{system}.csv"
    text = path.read_text(encoding="utf-8")
    rows = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ",")
    return list({row[0]: row[-1] for row in list(rows)[1:]}.values())


def judged_captions(data: Path) -> dict[str, tuple[list[str], list[bool]]]:
    """Captions of systems and whether they are flawed, by part (see docs/reference/fluency.md).

    The file has hashes of the captions only; the captions are those of AudioCaps-Eval
    and of the published systems.
    """
    known = {}
    for text in _machine_captions(data):
        key = comparison_key(text)
        known[hashlib.sha256(key.encode()).hexdigest()[:12]] = key
    parts: dict[str, tuple[list[str], list[bool]]] = defaultdict(lambda: ([], []))
    with JUDGED.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            texts, flawed = parts[row["part"]]
            texts.append(known[row["caption"]])
            flawed.append(row["flawed"] == "1")
    return dict(parts)


def _machine_captions(data: Path) -> Iterator[str]:
    for item in json.loads((data / "benchmark/audiocaps_eval.json").read_text()):
        for name, pair in item.items():
            if pair and (name == "HM" or name.startswith("MM")):
                yield from pair[:2]
    for system in SYSTEMS:
        yield from system_captions(data, system)


def errors_by_kind(captions: Sequence[str], seed: int = 5) -> dict[str, list[str]]:
    """Captions with one error of each kind; captions of under four words are left out."""
    rng = np.random.default_rng(seed)
    long = [words for words in (comparison_key(c).split() for c in captions) if len(words) > 3]
    made = {kind: [make(words, rng) for words in long] for kind, make in KINDS.items()}
    other = [long[i] for i in rng.permutation(len(long))]
    made["run-on list"] = [_run_on(a, b) for a, b in zip(long, other, strict=True)]
    return {
        kind: [
            " ".join(words)
            for words, source in zip(texts, long, strict=True)
            if words and words != source
        ]
        for kind, texts in made.items()
    }


def _shuffled(words: Words, rng: Rng) -> Words:
    return [words[i] for i in rng.permutation(len(words))]


def _swapped(words: Words, rng: Rng) -> Words:
    i = int(rng.integers(len(words) - 1))
    return [*words[:i], words[i + 1], words[i], *words[i + 2 :]]


def _doubled(words: Words, rng: Rng) -> Words:
    places = [i for i, word in enumerate(words) if word in _FUNCTION_WORDS]
    i = places[rng.integers(len(places))] if places else -1
    return [*words[: i + 1], *words[i:]] if places else []


def _phrase_twice(words: Words, rng: Rng) -> Words:
    i = int(rng.integers(len(words) - 1))
    return [*words[: i + 2], *words[i:]]


def _preposition(words: Words, rng: Rng) -> Words:
    i = int(rng.integers(1, len(words)))
    return [*words[:i], _PREPOSITIONS[rng.integers(len(_PREPOSITIONS))], *words[i:]]


def _without_verb(words: Words, rng: Rng) -> Words:
    places = [
        i for i, w in enumerate(words[:-1]) if i and (w.endswith("ing") or w in ("is", "are"))
    ]
    i = places[rng.integers(len(places))] if places else 0
    return [*words[:i], *words[i + 1 :]] if places else []


def _dangling(words: Words, rng: Rng) -> Words:
    places = [i for i, word in enumerate(words[:-1]) if i > 1 and word in _FUNCTION_WORDS]
    return words[: places[rng.integers(len(places))] + 1] if places else []


def _run_on(words: Words, other: Words) -> Words:
    parts = [part.split() for text in (words, other) for part in _CONNECTORS.split(" ".join(text))]
    parts = [part for part in parts if part]
    return [word for part in parts[:4] for word in part] if len(parts) > 2 else []


KINDS: dict[str, Callable[[Words, Rng], Words]] = {
    "all words shuffled": _shuffled,
    "two neighbours swapped": _swapped,
    "function word doubled": _doubled,
    "two words said twice": _phrase_twice,
    "preposition inserted": _preposition,
    "verb or auxiliary missing": _without_verb,
    "broken off after a function word": _dangling,
    "last word cut": lambda words, _: words[:-1],
}
