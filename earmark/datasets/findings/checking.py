"""Checking captions: all of a set, or one that somebody is writing."""

from collections.abc import Iterable, Iterator

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from earmark.datasets.findings.finding import CheckFinding, FindingKind
from earmark.datasets.findings.kinds import (
    compound,
    contraction,
    name,
    opening,
    rare_word,
    speech,
    spelling,
    whole_caption,
)
from earmark.errors import ScoringError
from earmark.runtime import Heartbeat

KINDS: dict[str, FindingKind] = {
    kind.name: kind
    for kind in (
        *(compound.KIND, contraction.KIND, whole_caption.DUPLICATE, whole_caption.LENGTH),
        *(name.KIND, opening.KIND, rare_word.KIND, whole_caption.SAME_TEXT),
        *(speech.SAYING, speech.SPEECH, spelling.KIND),
    )
}
DEFAULT_KINDS = tuple(name for name, kind in KINDS.items() if kind.default)
# For a caption that somebody is writing; the set's other captions are not parsed.
WRITING_KINDS = tuple(name for name, kind in KINDS.items() if kind.writing)


class UnknownFindingKind(ScoringError):
    """A name that no kind of finding has."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f'There is no kind of finding "{name}". Choose from: {", ".join(KINDS)}, all.'
        )


def kinds_named(names: Iterable[str]) -> tuple[FindingKind, ...]:
    """Kinds of these names, each once and in the registry's order; raises ``UnknownFindingKind``.

    "all" names every kind.
    """
    wanted = set(names)
    unknown = sorted(wanted - {*KINDS, "all"})
    if unknown:
        raise UnknownFindingKind(unknown[0])
    return tuple(kind for name, kind in KINDS.items() if {name, "all"} & wanted)


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
    findings = (
        CheckFinding(caption, kind.name, place.start, place.end, place.suggestions)
        for kind in kinds
        for place in dict.fromkeys(kind.find(caption, captions))
    )
    return sorted(findings, key=lambda one: (one.start, one.end, one.kind))
