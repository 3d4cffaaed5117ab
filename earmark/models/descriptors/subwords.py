"""Sub-words of a caption's words, cut into pieces that the encoder can read."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from earmark.errors import ScoringError

Answer = TypeVar("Answer")

LONGEST = 254  # sub-words in a piece, without the marks of its ends


class TokeniserFailed(ScoringError):
    """A tokeniser that cannot be read, or that gives up on a text."""

    def __init__(self, error: BaseException) -> None:
        reason = " ".join(str(error).split())[:160]
        super().__init__(f"The tokeniser of the labeller failed: {reason}. Use another labeller.")


@dataclass(frozen=True, slots=True)
class SubwordPiece:
    """Ids of a piece with its start and end, and the word that each sub-word belongs to.

    ``owners[i]`` is the index of a word of the caption, -1 for the marks.
    """

    ids: tuple[int, ...]
    owners: tuple[int, ...]


class Subwords:
    """The sub-words of an encoder, from the text of its ``tokenizer.json``.

    WordPiece, byte-level BPE and SentencePiece alike: every word is cut as if a
    space stood before it. ``longest`` is how many sub-words of words a piece
    may have, ``padding`` the id that fills batches up.
    """

    def __init__(self, text: str, *, longest: int = LONGEST, padding: int = 0) -> None:
        from tokenizers import Tokenizer

        tokenizer: Any = _tokeniser_answer(lambda: Tokenizer.from_str(text))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.text = text
        self.longest = longest
        self.padding = padding
        self._tokenizer = tokenizer
        self._start, self._end = _mark_ids(tokenizer)
        self._unknown = _unknown_id(tokenizer)

    @property
    def marks(self) -> int:
        """How many sub-words stand around those of words in each piece."""
        return len(self._start) + len(self._end)

    @property
    def highest(self) -> int:
        """The highest id that a piece can have."""
        known: Sequence[int] = self._tokenizer.get_vocab(with_added_tokens=True).values()
        return max((*known, *self._start, *self._end, self._unknown))

    def pieces(self, words: Sequence[str]) -> list[SubwordPiece]:
        """Cut words into pieces between words; most captions are one piece.

        A word that has no sub-word gets the unknown one, and of a word that
        alone is over the longest piece its start is read, so that every word
        has a label.
        """
        pieces: list[SubwordPiece] = []
        ids: list[int] = []
        owners: list[int] = []
        for word, group in enumerate(self._groups(words)):
            if ids and len(ids) + len(group) > self.longest:
                pieces.append(self._piece(ids, owners))
                ids, owners = [], []
            ids += group
            owners += [word] * len(group)
        return [*pieces, self._piece(ids, owners)] if ids else pieces

    def _groups(self, words: Sequence[str]) -> list[list[int]]:
        """Sub-words of each word."""
        groups: list[list[int]] = [[] for _ in words]
        encoded = _tokeniser_answer(
            lambda: self._tokenizer.encode(
                list(words), is_pretokenized=True, add_special_tokens=False
            )
        )
        for number, word in zip(encoded.ids, encoded.word_ids, strict=True):
            groups[word].append(number)
        return [group[: self.longest] or [self._unknown] for group in groups]

    def _piece(self, ids: list[int], owners: list[int]) -> SubwordPiece:
        before, after = (-1,) * len(self._start), (-1,) * len(self._end)
        return SubwordPiece((*self._start, *ids, *self._end), (*before, *owners, *after))


def _tokeniser_answer(act: Callable[[], Answer]) -> Answer:
    """Call the tokeniser's library; raise ``TokeniserFailed`` where it fails.

    What it raises itself is a bare Exception. Where its code in Rust gives up it is not
    even that, and would end a worker.
    """
    try:
        return act()
    except BaseException as error:
        if type(error) is Exception or type(error).__module__ == "pyo3_runtime":
            raise TokeniserFailed(error) from error
        raise


def _mark_ids(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ids before and after a text, as the tokeniser itself adds them."""
    plain, marked = _tokeniser_answer(
        lambda: [
            tokenizer.encode(["a"], is_pretokenized=True, add_special_tokens=special).ids
            for special in (False, True)
        ]
    )
    places = range(len(marked) - len(plain) + 1)
    first = next((at for at in places if marked[at : at + len(plain)] == plain), None)
    if first is None:
        raise TokeniserFailed(ValueError("its marks take the place of a text"))
    return tuple(marked[:first]), tuple(marked[first + len(plain) :])


def _unknown_id(tokenizer: Any) -> int:
    """Id for a word that has no sub-word."""
    for name in ("[UNK]", "<unk>"):
        number = tokenizer.token_to_id(name)
        if number is not None:
            return int(number)
    return 0


def with_leading_spaces(text: str) -> str:
    """Change a ``tokenizer.json`` so that a word given by itself is cut as after a space.

    Byte-level BPE (RoBERTa) and SentencePiece write the space into the first
    sub-word; without it a word inside a caption would be read as the start of a text.
    """
    settings: dict[str, Any] = json.loads(text)
    parts = settings.get("pre_tokenizer") or {}
    for part in [parts, *parts.get("pretokenizers", ())]:
        if part.get("type") == "ByteLevel":
            part["add_prefix_space"] = True
        if part.get("type") == "Metaspace":
            part["prepend_scheme"] = "always"
    return json.dumps(settings, ensure_ascii=False)


@lru_cache(maxsize=2)
def subwords_in(folder: Path) -> Subwords:
    """Read the sub-words of an encoder that has a ``tokenizer.json``, once."""
    return Subwords((folder / "tokenizer.json").read_text(encoding="utf-8"))
