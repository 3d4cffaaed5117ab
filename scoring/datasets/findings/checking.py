"""Checking captions: all of a set, or one that somebody is writing."""

from collections.abc import Iterable, Iterator

from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from scoring.datasets.findings.finding import CheckFinding, FindingKind
from scoring.datasets.findings.registry import DEFAULT_KINDS, WRITING_KINDS, kinds_named
from scoring.runtime import Heartbeat


def check_captions(
    captions: CheckedCaptions,
    *,
    kinds: Iterable[str] = DEFAULT_KINDS,
    heartbeat: Heartbeat | None = None,
) -> Iterator[CheckFinding]:
    """Findings in a whole set: by caption in the set's order, then by place, then by kind.

    Takes time in proportion to the set. ``heartbeat(done, total)`` counts the captions
    that were parsed, where a kind needs that. Raises ``UnknownFindingKind``.
    """
    wanted = kinds_named(kinds)
    if any(kind.parses for kind in wanted):
        captions.parse_all(heartbeat)
    for caption in captions.captions:
        yield from _findings_in(caption, captions, wanted)


def check_caption(
    caption: PlacedCaption,
    captions: CheckedCaptions,
    *,
    kinds: Iterable[str] = WRITING_KINDS,
) -> list[CheckFinding]:
    """Findings in one caption, compared with a set that need not have it.

    For a caption that is being written or was changed: words and texts of the set count as
    they stand there. Where the set has a caption of the same clip and number, that is taken
    for an earlier version and not compared with. Raises ``UnknownFindingKind``.
    """
    return list(_findings_in(caption, captions, kinds_named(kinds)))


def _findings_in(
    caption: PlacedCaption, captions: CheckedCaptions, kinds: Iterable[FindingKind]
) -> list[CheckFinding]:
    """Findings of a caption by place; what two kinds say of one place stays two findings."""
    found = (
        CheckFinding(caption, kind.name, place.start, place.end, place.suggestions)
        for kind in kinds
        for place in dict.fromkeys(kind.find(caption, captions))
    )
    return sorted(found, key=lambda one: (one.start, one.end, one.kind))
