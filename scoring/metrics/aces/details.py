"""What a person sees of an ACES score: coloured words and the best match per label."""

from collections.abc import Sequence
from typing import Any

from scoring.metrics.aces.matching import AcesJudgement, SpanMatch
from scoring.models.descriptors import LabelledCaption


def clip_details(
    caption: LabelledCaption,
    references: Sequence[LabelledCaption],
    judgement: AcesJudgement,
    best: int | None,
) -> dict[str, Any]:
    """Give one clip's words with their labels, and per shared label who matches whom.

    ``best`` is the place of the reference that counts, None where all are pooled.
    """
    said = {span.label for span in caption.spans}
    counted = references if best is None else [references[best]]
    told = {span.label for other in counted for span in other.spans}
    shared = [match.label for match in judgement.matches]
    return {
        "words": [
            {"text": word.text, "label": label, "confidence": round(sure, 6)}
            for word, label, sure in zip(
                caption.words, caption.labels, caption.confidences, strict=True
            )
        ],
        "references": [
            [
                {"text": word.text, "label": label}
                for word, label in zip(other.words, other.labels, strict=True)
            ]
            for other in references
        ],
        "reference": best,
        "labels": [_label(match) for match in judgement.matches],
        "only_candidate": sorted(said.difference(shared)),
        "only_references": sorted(told.difference(shared)),
    }


def _label(match: SpanMatch) -> dict[str, Any]:
    """Give a label's figures, and of every span on both sides the span that it is nearest to."""
    return {
        "label": match.label,
        "precision": round(match.precision, 6),
        "recall": round(match.recall, 6),
        "f": round(match.f, 6),
        "spans": _nearest(match.candidate, match.reference, match.cosines.tolist()),
        "reference_spans": _nearest(match.reference, match.candidate, match.cosines.T.tolist()),
    }


def _nearest(
    spans: Sequence[str], others: Sequence[str], cosines: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    found = []
    for span, row in zip(spans, cosines, strict=True):
        place = max(range(len(row)), key=row.__getitem__)
        found.append({"span": span, "match": others[place], "similarity": round(row[place], 6)})
    return found
