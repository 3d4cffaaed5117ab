"""Speech that is written down."""

from collections.abc import Iterator

from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from scoring.datasets.findings.finding import FindingKind, FoundPlace
from scoring.datasets.findings.reported_speech import quotations, reported_speech


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """What stands between quotation marks, and words that a speaker says of themselves."""
    text = cut(caption.text)
    yield from (FoundPlace(start, end) for start, end in quotations(text))
    for report in reported_speech(text):
        if report.direct:
            without = () if report.without is None else (report.without,)
            yield FoundPlace(report.start, report.end, without)


KIND = FindingKind(
    name="speech",
    explanation='Speech written down: quotation marks, or what a speaker says ("says I am here")',
    suggests="the speaking without the words, if a rule can say how; nothing for quotation marks",
    default=True,
    find=find,
)
