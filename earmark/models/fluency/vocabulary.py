"""Normalised text, classes of errors, and the sub-words of a detector's own word list."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLASSES = ("add_tail", "repeat_event", "repeat_adv", "remove_conj", "remove_verb", "error")
ERROR = CLASSES.index("error")

_REMOVED = re.compile(r"[^\w\s]")


def normalise(caption: str) -> str:
    r"""Remove everything but words and space (``[^\w\s]``), and lower the case.

    >>> normalise("A dog, far off, barks.")
    'a dog far off barks'
    """
    return _REMOVED.sub("", caption).lower()


START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
FILE = "vocab.txt"


class SubwordVocabulary:
    """Sub-words and their ids; a caption is cut greedily, longest sub-word first."""

    def __init__(self, pieces: Sequence[str]) -> None:
        from tokenizers import Tokenizer, normalizers, pre_tokenizers
        from tokenizers.models import WordPiece

        self.pieces = tuple(pieces)
        ids = {piece: number for number, piece in enumerate(self.pieces)}
        self._start, self._end = ids[START], ids[END]
        tokenizer: Any = Tokenizer(WordPiece(ids, unk_token=UNKNOWN, max_input_chars_per_word=100))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self._tokenizer = tokenizer

    @classmethod
    def read(cls, folder: Path) -> "SubwordVocabulary":
        """Read the list of sub-words of a detector's folder."""
        return cls((folder / FILE).read_text(encoding="utf-8").splitlines())

    def write(self, folder: Path) -> None:
        """Write the list of sub-words into a folder."""
        (folder / FILE).write_text("\n".join(self.pieces) + "\n", encoding="utf-8")

    def ids(self, texts: Sequence[str], *, longest: int) -> list[list[int]]:
        """Ids of each normalised text between start and end, cut to ``longest``."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[self._start, *item.ids[: longest - 2], self._end] for item in encoded]

    def used(self, texts: Sequence[str], *, at_least: int) -> "SubwordVocabulary":
        """Words and sub-words that texts use this often, and all letters and digits.

        With these every word in Latin letters can still be written. What is rarer
        than ``at_least`` is cut into sub-words of this vocabulary.
        """
        words = Counter(word for text in texts for word in text.split())
        known = set(self.pieces)
        whole = [
            word
            for word, count in words.items()
            if count >= at_least and word not in known and word.isascii() and word.isalnum()
        ]
        counts: Counter[int] = Counter()
        for item in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            counts.update(item.ids)
        pieces = [
            piece
            for number, piece in enumerate(self.pieces)
            if counts[number] >= at_least
            or piece in (START, END, UNKNOWN)
            or (piece.removeprefix("##").isascii() and len(piece.removeprefix("##")) == 1)
        ]
        return SubwordVocabulary([*pieces, *sorted(whole)])
