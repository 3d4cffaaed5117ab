"""References as organisers look at them, and captions that one phase hides and another shows."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Q

from earmark.captions import References
from earmark.captions.faults import count_of
from leaderboard.models import Phase, ReferenceSet, User
from leaderboard.selectors.clips.corpus import references_of


@dataclass(frozen=True, slots=True)
class SharedCaptions:
    """What hidden references have in common with public ones.

    ``other`` is the other phase, which is the one that hides them if ``other_hides``. Of ``total``
    distinct hidden captions ``captions`` are public word for word; ``clips`` have one file name
    in both.
    """

    other: Phase
    other_hides: bool
    captions: int
    total: int
    clips: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the hidden captions is hidden."""
        return self.captions == self.total

    def __str__(self) -> str:
        part = f"{self.captions:,} of {self.total:,}"
        clips = f"{count_of(self.clips, 'clip')} of the same file name"
        if self.other_hides:
            return f"Here everyone can read {part} captions that {self.other} hides; {clips}."
        return f"Everyone can read {part} hidden captions in {self.other}; {clips}."


def shared_captions(
    references: References, *, phase: Phase, public: bool, actor: User | None
) -> list[SharedCaptions]:
    """Compare references that ``phase`` shows or hides with those that others hide or show.

    Hidden ones are compared with what everyone can read on this site. Public ones are compared
    with those hidden in challenges that ``actor`` organises, since nothing may tell of others;
    None: in all.
    """
    others = Phase.objects.filter(reference_set__isnull=False).exclude(pk=phase.pk)
    if not public:
        readable = Q(challenge__published=True) | Q(challenge=phase.challenge_id)
        others = others.filter(readable, references_public=True)
    else:
        others = others.filter(references_public=False)
        if actor is not None and not actor.is_superuser:
            others = others.filter(challenge__organisers=actor)
    rows = others.select_related("challenge", "reference_set").defer("reference_set__payload")
    captions, names, shared = set(references.captions), set(references.file_names), []
    for other in rows.order_by("challenge", "position", "pk"):
        if other.reference_set is None:
            continue
        theirs = references_of(other.reference_set.content_hash)
        both, clips = captions.intersection(theirs.captions), names.intersection(theirs.file_names)
        total = len(set(theirs.captions)) if public else len(captions)
        if both or clips:
            shared.append(SharedCaptions(other, public, len(both), total, len(clips)))
    return shared


ROWS = 5


def preview_of(
    references: References, phase: Phase, organised: Collection[int], actor: User
) -> dict[str, Any]:
    """Describe references that ``phase`` might get from ``actor``.

    ``organised`` holds the ids of the challenges that the reader runs: that others
    have the same references is not told. ``twin`` names the phases that have the same already,
    ``shared`` says what of them is hidden in one phase and public in another.
    """
    counts = [len(clip.references) for clip in references.clips]
    lengths = [len(caption.split()) for caption in references.captions]
    twins = Phase.objects.filter(
        reference_set__content_hash=references.content_hash, challenge__in=organised
    ).exclude(pk=phase.pk)
    same = ReferenceSet.objects.filter(phases=phase, content_hash=references.content_hash)
    return {
        "clips": len(references),
        "captions": sum(counts),
        "fewest": min(counts),
        "median": median(counts),
        "most": max(counts),
        "words": sum(lengths) / len(lengths),
        "rows": references.clips[:ROWS],
        "twin": [str(twin) for twin in twins.select_related("challenge")],
        "same": same.exists(),
        "shared": shared_captions(
            references, phase=phase, public=phase.references_public, actor=actor
        ),
    }
