"""Look-up of clips by file names as people and programs really write them."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

_MAX_NAME = 300
_MAX_POSTINGS = 100
_CLOSE = 0.75
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{2,4}$")


def name_key(name: str) -> str:
    """Reduce a file name to what identifies the clip.

    HTML entities are resolved (``O&#39;Farrell.wav`` is ``O'Farrell.wav``),
    accents composed, and white space and byte order marks around it dropped.
    """
    plain = html.unescape(name) if "&" in name else name
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain).replace("\ufeff", "")
    return plain.strip()


def _loose(name: str) -> str:
    """Reduce a name to its letters and digits, without folder and extension."""
    base = re.split(r"[/\\]", name_key(name))[-1]
    bare = _EXTENSION.sub("", base) or base
    return "".join(char for char in bare.casefold() if char.isalnum())


def _grams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(len(text) - 2)}


class ClipNames:
    """The file names of a corpus, for look-up and for suggestions."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._exact = {name: index for index, name in enumerate(names)}
        self._keys: dict[str, int] = {}
        for index, name in enumerate(names):
            self._keys.setdefault(name_key(name), index)
        self._nearest: _Nearest | None = None

    def find(self, name: str) -> int | None:
        """Position of the clip with this name, or None."""
        index = self._exact.get(name)
        return self._keys.get(name_key(name)) if index is None else index

    def nearest(self, name: str) -> str | None:
        """Suggest the clip that was probably meant, or None where none is close."""
        if self._nearest is None:
            self._nearest = _Nearest(self._names)
        return self._nearest.suggest(name)


class _Nearest:
    """Suggestions for misspelt names.

    Comparing each unknown name with each known one would take a second per
    hundred names. So names that differ only in case, punctuation, folder or
    extension are looked up, and only those that share rare trigrams are
    compared, for the first ``budget`` names.
    """

    def __init__(self, names: Sequence[str], budget: int = 200) -> None:
        self._names = names
        self._budget = budget
        self._loose = [_loose(name[:_MAX_NAME]) for name in names]
        self._by_loose = {loose: index for index, loose in enumerate(self._loose) if loose}
        self._postings: dict[str, list[int]] = {}
        for index, loose in enumerate(self._loose):
            for gram in _grams(loose):
                self._postings.setdefault(gram, []).append(index)

    def suggest(self, name: str) -> str | None:
        if len(name) > _MAX_NAME:
            return None
        loose = _loose(name)
        index = self._by_loose.get(loose)
        if index is None and self._budget > 0:
            self._budget -= 1
            index = self._closest(loose)
        return None if index is None else self._names[index]

    def _closest(self, loose: str) -> int | None:
        shared: Counter[int] = Counter()
        for gram in sorted(_grams(loose)):
            postings = self._postings.get(gram, ())
            if len(postings) <= _MAX_POSTINGS:
                shared.update(postings)
        scored = [
            (SequenceMatcher(None, loose, self._loose[index], autojunk=False).ratio(), index)
            for index, _ in shared.most_common(5)
        ]
        ratio, index = max(scored, key=lambda pair: (pair[0], -pair[1]), default=(0.0, 0))
        return index if ratio >= _CLOSE else None
