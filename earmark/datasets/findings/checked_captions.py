"""The captions that findings are looked for in, and what is known of them as a whole."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from earmark.datasets.findings.words import CaptionWord, begins_sentence, text_key, words_of
from earmark.errors import ScoringError
from earmark.runtime import Heartbeat
from earmark.text.placed_parse import PlacedParse, parse_in_place
from earmark.workspace import Workspace

Found = TypeVar("Found")

# Nobody describes a clip in more. What stands behind is checked for its length alone, so that
# a file pasted into a caption costs little.
MOST_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class PlacedCaption:
    """A caption as written, the name of its clip, and its number among the clip's, from 1."""

    file_name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What may be set: the fewest and most words of a caption."""

    min_words: int = 8
    max_words: int = 20

    def __post_init__(self) -> None:
        if not 0 <= self.min_words <= self.max_words:
            raise LengthsImpossible(self.min_words, self.max_words)


class LengthsImpossible(ScoringError):
    """Limits of a caption's length that no caption can keep."""

    def __init__(self, min_words: int, max_words: int) -> None:
        super().__init__(
            f"Captions cannot have at least {min_words} and at most {max_words} words. Give two "
            "numbers from 0 up, the smaller one first."
        )


class CheckedCaptions:
    """Captions with what is counted over all of them, each thing when it is first asked for.

    Words and texts are counted once per set; a caption that somebody is writing is compared
    with them and counted nowhere. Not safe for threads that share it while things are counted.
    """

    def __init__(
        self,
        captions: Iterable[PlacedCaption],
        *,
        options: CheckOptions | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        self.captions: Sequence[PlacedCaption] = tuple(captions)
        self.options = options or CheckOptions()
        self.workspace = workspace or Workspace()
        self._known: dict[str, dict[str, Any]] = {}

    def once(self, kind: str, key: str, work_out: Callable[[], Found]) -> Found:
        """What a kind works out for this set under a key, done when it is first asked for."""
        known: dict[str, Found] = self._known.setdefault(kind, {})
        if key not in known:
            known[key] = work_out()
        return known[key]

    def _counted(self, counts: Callable[[str, CaptionWord], bool]) -> Counter[str]:
        return Counter(
            key
            for text in (cut(one.text) for one in self.captions)
            for key in {word.key for word in words_of(text) if counts(text, word)}
        )

    @cached_property
    def word_counts(self) -> Counter[str]:
        """In how many captions each word stands."""
        return self._counted(lambda _text, _word: True)

    @cached_property
    def lower_counts(self) -> Counter[str]:
        """In how many captions each word stands without a capital."""
        return self._counted(lambda text, word: text[word.start].islower())

    @cached_property
    def capital_counts(self) -> Counter[str]:
        """In how many captions each word has a capital that is not a sentence's first."""
        return self._counted(
            lambda text, word: text[word.start].isupper() and not begins_sentence(text, word.start)
        )

    @cached_property
    def of_clip(self) -> dict[str, list[PlacedCaption]]:
        """Captions of each clip, by their numbers."""
        clips = defaultdict(list)
        for caption in self.captions:
            clips[caption.file_name].append(caption)
        return dict(clips)

    @cached_property
    def clips_of_text(self) -> dict[str, set[str]]:
        """Clips that have a caption of these words, by what texts are compared by."""
        clips = defaultdict(set)
        for caption in self.captions:
            clips[text_key(caption.text)].add(caption.file_name)
        return dict(clips)

    def parse(self, caption: PlacedCaption) -> PlacedParse:
        """Parse of a caption (its first ``MOST_CHARS`` characters), made once."""
        return parse_in_place([cut(caption.text)], self.workspace)[0]

    def parse_all(self, heartbeat: Heartbeat | None = None) -> list[PlacedParse]:
        """Parses of all captions in order."""
        texts = [cut(caption.text) for caption in self.captions]
        return parse_in_place(texts, self.workspace, heartbeat=heartbeat)


def cut(text: str) -> str:
    """The part of a text that is looked at."""
    return text[:MOST_CHARS]
