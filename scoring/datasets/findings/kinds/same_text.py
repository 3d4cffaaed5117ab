"""Captions with the words of a caption of another clip."""

from collections.abc import Iterator

from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from scoring.datasets.findings.finding import FindingKind, FoundPlace
from scoring.datasets.findings.words import text_key


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """The whole caption, where another clip has the same one."""
    key = text_key(caption.text)
    clips = captions.clips_of_text.get(key, set()) if key else set()
    if len(clips) > 1 or (clips and caption.file_name not in clips):
        yield FoundPlace(0, len(caption.text))


KIND = FindingKind(
    name="same_text",
    explanation=(
        "The same words as a caption of another clip, so that the clips cannot be told apart"
    ),
    suggests="nothing is suggested",
    default=False,
    find=find,
)
