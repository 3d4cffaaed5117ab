"""What is said, or in which language."""

from collections.abc import Iterator

from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from scoring.datasets.findings.finding import FindingKind, FoundPlace
from scoring.datasets.findings.reported_speech import reported_speech


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """What a speaker says, tells or talks about, and the language spoken."""
    for report in reported_speech(cut(caption.text)):
        if not report.direct:
            without = () if report.without is None else (report.without,)
            yield FoundPlace(report.start, report.end, without)


KIND = FindingKind(
    name="saying",
    explanation='What is said, or the language: "says hello", "talking about cars", "in Spanish"',
    suggests="only that somebody speaks, if a rule can say how",
    default=True,
    find=find,
)
