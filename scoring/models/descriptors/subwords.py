"""Sub-words of a caption's words, cut into pieces that the encoder can read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

LONGEST = 254  # sub-words in a piece, without the two that mark its ends


@dataclass(frozen=True, slots=True)
class Piece:
    """Ids of a piece with its start and end, and the word that each sub-word belongs to.

    ``owners[i]`` is the index of a word of the caption, -1 for the two marks.
    """

    ids: tuple[int, ...]
    owners: tuple[int, ...]


class Subwords:
    """The sub-words of an encoder that has a ``tokenizer.json``."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._start = int(self._tokenizer.token_to_id("[CLS]"))
        self._end = int(self._tokenizer.token_to_id("[SEP]"))
        self._unknown = int(self._tokenizer.token_to_id("[UNK]"))

    def pieces(self, words: Sequence[str], *, longest: int = LONGEST) -> list[Piece]:
        """Cut words into pieces between words; most captions are one piece.

        A word that has no sub-word gets the unknown one, and of a word that
        alone is over the longest piece its start is read, so that every word
        has a label.
        """
        groups = self._groups(words, longest)
        found: list[Piece] = []
        ids: list[int] = []
        owners: list[int] = []
        for word, group in enumerate(groups):
            if ids and len(ids) + len(group) > longest:
                found.append(self._piece(ids, owners))
                ids, owners = [], []
            ids += group
            owners += [word] * len(group)
        return [*found, self._piece(ids, owners)] if ids else found

    def _groups(self, words: Sequence[str], longest: int) -> list[list[int]]:
        """Give the sub-words of each word."""
        groups: list[list[int]] = [[] for _ in words]
        encoded = self._tokenizer.encode(
            list(words), is_pretokenized=True, add_special_tokens=False
        )
        for number, word in zip(encoded.ids, encoded.word_ids, strict=True):
            groups[word].append(number)
        return [group[:longest] or [self._unknown] for group in groups]

    def _piece(self, ids: list[int], owners: list[int]) -> Piece:
        return Piece((self._start, *ids, self._end), (-1, *owners, -1))


@lru_cache(maxsize=2)
def subwords_in(folder: Path) -> Subwords:
    """Read an encoder's sub-words once."""
    return Subwords(folder)
