"""Fluency error rate: the share of captions that the error detector flags."""

from collections.abc import Iterator
from typing import Any

from earmark.metrics.descriptor import (
    Detail,
    Explanation,
    FamilyInfo,
    FamilyOption,
    MetricInfo,
)
from earmark.metrics.facets import ANY_ERROR, NO_ERROR, WRITTEN, ClipFacet, Finding


def verdict_steps(detail: Detail) -> list[str]:
    """Lines with the detector's verdict."""
    verdict = "flagged" if detail["flag"] else "not flagged"
    sure = detail["probabilities"]
    kind = max(list(sure)[:-1], key=sure.__getitem__)
    return [
        f"{verdict}: p(error) = {sure['error']:.3f}",
        f"likeliest kind: {kind} ({sure[kind]:.3f})",
    ]


def slim_error(clip: Any) -> str:
    """Name the likeliest error of a flagged caption, "" for one that is not."""
    return str(clip["likeliest"]) if clip["flag"] else ""


def _error_findings(error: str) -> Iterator[Finding]:
    if error:
        yield WRITTEN, ANY_ERROR
    yield WRITTEN, error or NO_ERROR


DETECTOR = FamilyOption("detector", "", signed="fl", shipped="earmark-fl-2@39673b39")
THRESHOLD = FamilyOption("threshold", 0.9, signed="thr", texts=(("is above .9", "is above {}"),))
_TENTH = (
    ("reduced to a tenth if", "reduced by {} of it if"),
    ("gains or loses nine tenths", "gains or loses that much"),
)
PENALTY = FamilyOption("penalty", 0.9, signed="pen", texts=_TENTH)

FAMILY = FamilyInfo(
    name="fluency",
    path="earmark.metrics.fluency.metric:Fluency",
    queue="gpu",
    group="Embeddings and fluency",
    order=90,
    seconds=0.7,
    options=(DETECTOR, THRESHOLD),
    facet=ClipFacet("error", "Fluency", {WRITTEN: "Fluency"}, slim_error, _error_findings),
    metrics=(
        MetricInfo(
            name="fer",
            label="Fluency error rate",
            low=0.0,
            high=1.0,
            direction="lower",
            summary="Share of captions flagged as repeated, cut off or otherwise not fluent",
            source=(
                "Zhou et al., FENSE, ICASSP 2022, section 3.2; detector trained for this project"
            ),
            link="https://arxiv.org/abs/2110.04684",
            explanation=Explanation(
                what=(
                    'The share of captions that the fluency detector flags: broken off ("and '
                    'a"), repeating an event or an adverb, lacking a conjunction or a verb, or '
                    "with words out of place. The detector gives six probabilities; a caption is "
                    "flagged if the last one, that of any error, is above .9. Lower is better."
                ),
                misses=(
                    "Whether the caption is correct. A fluent caption of another clip is not "
                    "flagged."
                ),
                clip="station.wav",
                steps=verdict_steps,
            ),
            not_judged="it says yes or no, so that nearly all pairs tie",
        ),
    ),
)
