"""The two sides of a comparison, as plain immutable values."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random


@dataclass(frozen=True, slots=True)
class Clip:
    """One audio clip with its reference captions, as written (at least one)."""

    file_name: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class References:
    """The references of a corpus; the order of the clips is fixed and part of the identity.

    ``documents`` is the corpus that document frequencies are counted over,
    where it is not this one (a part of a corpus, or clips that repeat).
    ``chosen_from`` says where the clips stand in other references, if ``chosen`` made these.
    """

    clips: tuple[Clip, ...]
    documents: "References | None" = None
    chosen_from: "ClipPlaces | None" = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.clips)

    def chosen(self, places: Sequence[int]) -> "References":
        """The clips at these places, in their order, with document frequencies of all clips.

        A clip may be chosen again and again, as when several captions of it are compared.
        """
        clips = tuple(self.clips[place] for place in places)
        return References(clips, self.documents or self, ClipPlaces(self, tuple(places)))

    def parts(self, captions: int) -> "Iterator[References]":
        """Consecutive clips that have this many captions or a few more, until all have come.

        Document frequencies are those of all clips.
        """
        first = count = 0
        for place, clip in enumerate(self.clips, 1):
            count += len(clip.references)
            if count >= captions or place == len(self):
                yield References(self.clips[first:place], self.documents or self)
                first, count = place, 0

    @cached_property
    def file_names(self) -> tuple[str, ...]:
        """File names in corpus order."""
        return tuple(clip.file_name for clip in self.clips)

    @cached_property
    def places_by_name(self) -> dict[str, int]:
        """Place of each clip by its file name, from 0; of clips of one name the first."""
        return {name: place for place, name in reversed([*enumerate(self.file_names)])}

    @cached_property
    def captions(self) -> tuple[str, ...]:
        """Every reference caption, clip after clip."""
        return tuple(caption for clip in self.clips for caption in clip.references)

    @cached_property
    def content_hash(self) -> str:
        """Sha256 (hex) over names and captions in order, and over ``documents`` if given."""
        text = self.to_json()
        if self.documents is not None:
            text += f"\n{self.documents.content_hash}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def counts_label(self) -> str:
        """References per clip for signatures: "5", or "2-5" where clips differ."""
        counts = {len(clip.references) for clip in self.clips}
        low, high = min(counts), max(counts)
        return str(low) if low == high else f"{low}-{high}"

    def to_json(self) -> str:
        """Canonical JSON of the clips: a list of [file_name, [reference, ...]]."""
        rows = [[clip.file_name, list(clip.references)] for clip in self.clips]
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "References":
        """Read what ``to_json`` wrote."""
        return cls.build(json.loads(text))

    @classmethod
    def build(cls, rows: Iterable[tuple[str, Iterable[str]]]) -> "References":
        """Make references from (file name, captions) pairs."""
        return cls(tuple(Clip(name, tuple(captions)) for name, captions in rows))


@dataclass(frozen=True, slots=True)
class ClipPlaces:
    """Places of clips in the references that they were chosen from, counted from 0."""

    references: References
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """A system's captions in the order of the references, best candidate first.

    ``captions[i]`` holds the k >= 1 candidates of clip i. Metrics other than
    ``spider_max`` score the first. ``whole`` are all of the system's, where these are a part.
    """

    captions: tuple[tuple[str, ...], ...]
    whole: "Candidates | None" = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.captions)

    @property
    def several(self) -> bool:
        """Whether some clip has more than one candidate, be it in another part."""
        if self.whole is not None:
            return self.whole.several
        return any(len(ranked) > 1 for ranked in self.captions)

    @property
    def first(self) -> tuple[str, ...]:
        """The first candidate of every clip."""
        return tuple(ranked[0] for ranked in self.captions)

    def part(self, first: int, last: int) -> "Candidates":
        """Those of the clips from one place to before another."""
        return Candidates(self.captions[first:last], self.whole or self)

    @classmethod
    def single(cls, captions: Iterable[str]) -> "Candidates":
        """Wrap one caption per clip."""
        return cls(tuple((caption,) for caption in captions))


SEED = 0


def one_reference_against_others(
    references: References, *, seed: int = SEED
) -> tuple[Candidates, References]:
    """Draw one reference of every clip for its caption; the others stay its references.

    A clip with a single reference is left out. Document frequencies are still counted
    over all references. Raises ``ValueError`` where no clip has two.
    """
    random = Random(seed)  # noqa: S311 a reproducible draw, no secret
    captions: list[str] = []
    rows: list[tuple[str, tuple[str, ...]]] = []
    for clip in references.clips:
        drawn = random.randrange(len(clip.references))
        others = clip.references[:drawn] + clip.references[drawn + 1 :]
        if others:
            captions.append(clip.references[drawn])
            rows.append((clip.file_name, others))
    if not captions:
        raise ValueError("No clip has two references, so people cannot be compared.")
    clips = References.build(rows).clips
    return Candidates.single(captions), References(clips, documents=references)
