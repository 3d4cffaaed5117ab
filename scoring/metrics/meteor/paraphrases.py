"""METEOR's English paraphrase table, reduced to what a set of references can match.

The table has 5.3 million pairs (phrase, paraphrase) of up to seven words. A
pair matches in two ways: phrase in the reference and paraphrase in the
candidate (a *forward* match), or the other way round (*backward*). Candidates
are not known when references are prepared, so every pair with a reference
n-gram on one side is kept.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.meteor.files import pack, unpack
from scoring.metrics.meteor.shelves import Shelves

MAX_WORDS = 7
_BLOCK = 1 << 22

# (backward, place of the pair in the file).
Link = tuple[bool, int]
# (partner, phrase of the references, place of the pair in the file, backward).
TableLink = tuple[bytes, bytes, int, bool]


def ngrams(words: Sequence[str], shortest: int = 1) -> Iterator[tuple[int, int, str]]:
    """List (start, length, n-gram) for every n-gram of up to ``MAX_WORDS`` words."""
    count = len(words)
    for start in range(count):
        for length in range(shortest, min(MAX_WORDS, count - start) + 1):
            yield start, length, " ".join(words[start : start + length])


def read_pairs(path: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Stream the table as blocks of parallel lists (phrases, paraphrases).

    The file has three lines for each pair: probability (which METEOR does not
    use), phrase, paraphrase.
    """
    with gzip.open(path, "rb") as file:
        rest = b""
        while block := file.read(_BLOCK):
            lines = (rest + block).split(b"\n")
            whole = (len(lines) - 1) // 3 * 3
            yield lines[1:whole:3], lines[2:whole:3]
            rest = b"\n".join(lines[whole:])


@dataclass(frozen=True, eq=False)
class ParaphraseTable:
    """The reduced table, grouped by the side that a candidate has to contain.

    ``partners`` are the candidate-side phrases, sorted and shelved by first word;
    number k has the links ``starts[k]`` to ``starts[k + 1]``. Link l leads to the reference
    phrase ``phrases[target[l]]``; ``place[l]`` is the pair's place in the
    file, ``backward[l]`` says which way round it is.
    """

    partners: Shelves
    phrases: Sequence[str]
    starts: NDArray[np.int32]
    target: NDArray[np.int32]
    place: NDArray[np.int32]
    backward: NDArray[np.bool_]
    _numbers: dict[str, Mapping[str, int]] = field(default_factory=dict, repr=False)

    def numbers(self, first: str) -> Mapping[str, int]:
        """Number of every candidate-side phrase that has this first word."""
        numbers = self._numbers.get(first)
        if numbers is None:
            start, lines = self.partners.lines(first)
            numbers = {partner: number for number, partner in enumerate(lines, start)}
            self._numbers[first] = numbers
        return numbers

    @cached_property
    def _openings(self) -> Mapping[str, bool]:
        """First words of the references' phrases; True where they are a whole phrase."""
        out: dict[str, bool] = {}
        for phrase in self.phrases:
            words = phrase.split(" ")
            for length in range(2, len(words)):
                out.setdefault(" ".join(words[:length]), False)
            out[phrase] = True
        return out

    def phrases_in(self, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """List (start, length, phrase) of a reference's phrases of two words and more."""
        openings = self._openings
        for start in range(len(words) - 1):
            phrase = words[start]
            for length, word in enumerate(words[start + 1 : start + MAX_WORDS], 2):
                phrase = f"{phrase} {word}"
                whole = openings.get(phrase)
                if whole is None:
                    break
                if whole:
                    yield start, length, phrase

    def links(self, partner: str) -> dict[str, list[Link]]:
        """Reference phrases that a candidate's phrase matches, each with its links."""
        out: dict[str, list[Link]] = {}
        number = self.numbers(_first_word(partner)).get(partner)
        if number is None:
            return out
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        for target, backward, place in zip(
            self.target[part].tolist(),
            self.backward[part].tolist(),
            self.place[part].tolist(),
            strict=True,
        ):
            out.setdefault(self.phrases[target], []).append((backward, place))
        return out

    def dump(self) -> dict[str, NDArray[np.generic]]:
        """Turn the table into arrays."""
        return {
            **self.partners.dump("paraphrase_partners"),
            "paraphrase_phrases": pack(self.phrases),
            "paraphrase_starts": self.starts,
            "paraphrase_target": self.target,
            "paraphrase_place": self.place,
            "paraphrase_backward": self.backward,
        }

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "ParaphraseTable":
        """Read what ``dump`` wrote."""
        starts = np.asarray(arrays["paraphrase_starts"], np.int32)
        target = np.asarray(arrays["paraphrase_target"], np.int32)
        phrases = int(target.max(initial=-1)) + 1
        return cls(
            partners=Shelves.load("paraphrase_partners", arrays),
            phrases=unpack(np.asarray(arrays["paraphrase_phrases"], np.uint8), phrases),
            starts=starts,
            target=target,
            place=np.asarray(arrays["paraphrase_place"], np.int32),
            backward=np.asarray(arrays["paraphrase_backward"], np.bool_),
        )


def _first_word(phrase: str) -> str:
    return phrase.partition(" ")[0]


def wanted_ngrams(sentences: Iterable[Sequence[str]]) -> set[bytes]:
    """Every n-gram of the references, as the table writes it."""
    return {
        ngram.encode("utf-8", "surrogatepass")
        for sentence in sentences
        for _, _, ngram in ngrams(sentence)
    }


def reduce_table(path: Path, sentences: Iterable[Sequence[str]]) -> ParaphraseTable:
    """Keep what the references' sentences can match; reads the whole file once."""
    wanted = wanted_ngrams(sentences)
    links: list[TableLink] = []
    first = 0
    for phrases, paraphrases in read_pairs(path):
        links += [
            (paraphrase, phrase, first + at, False)
            for at, (phrase, paraphrase) in enumerate(zip(phrases, paraphrases, strict=True))
            if phrase in wanted
        ]
        links += [
            (phrase, paraphrase, first + at, True)
            for at, (phrase, paraphrase) in enumerate(zip(phrases, paraphrases, strict=True))
            if paraphrase in wanted
        ]
        first += len(phrases)
    return group_links(links)


def group_links(links: Sequence[TableLink]) -> ParaphraseTable:
    """Group links by partner, those of one partner by place; in whatever order they come."""
    partners = sorted({link[0] for link in links})
    phrases = sorted({link[1] for link in links})
    partner_number = {partner: number for number, partner in enumerate(partners)}
    phrase_number = {phrase: number for number, phrase in enumerate(phrases)}
    source = np.array([partner_number[link[0]] for link in links], np.int32)
    place = np.array([link[2] for link in links], np.int32)
    backward = np.array([link[3] for link in links], np.bool_)
    order = np.lexsort((backward, place, source))
    counts = np.bincount(source, minlength=len(partners))
    return ParaphraseTable(
        partners=Shelves.build(
            [partner.decode("utf-8", "surrogatepass") for partner in partners], _first_word
        ),
        phrases=[phrase.decode("utf-8", "surrogatepass") for phrase in phrases],
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        target=np.array([phrase_number[link[1]] for link in links], np.int32)[order],
        place=place[order],
        backward=backward[order],
    )
