"""SBF: false alarms and misses by sound tags."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from earmark.metrics.descriptor import (
    Detail,
    Explanation,
    FamilyInfo,
    FamilyOption,
    MetricInfo,
    listed,
)
from earmark.metrics.facets import IMAGINED, LEFT_OUT, ClipFacet, Finding
from earmark.metrics.sbert import ENCODER

PHRASES = ("pattern", "clause", "word")


def _tag_steps(sides: tuple[str, ...], detail: Detail) -> list[str]:
    lines = [f"phrases: {listed(detail['phrases'])}"]
    clip = len(detail["reference_phrases"])
    for side in sides:
        rows = detail[side]
        most = [f"{row['class']} ({row['references']} of {clip}, {row['phrase']})" for row in rows]
        times = sum(row["references"] for row in rows)
        heading = f"{side.replace('_', ' ')}, {times} over the references"
        lines.append(f"{heading}, the most frequent: {listed(most[:5])}")
    return lines


# What is not as close as this to a phrase is no finding: below it stand many slips of likeness
# ("a constant speed": Accelerating). Chosen on published systems; docs/reference/sbf.md.
CERTAIN = 0.6
# So many references name a sound that a caption misses, where there are so many.
AGREED = 2


def slim_tags(clip: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Keep the certain false alarms and misses of SBF's details: by class, the share of references.

    A class is certain where its phrase is close to it; a false alarm, moreover, where no
    reference has anything like it, a miss where several references name it.
    """
    references = max(1, len(clip["reference_phrases"]))
    fewest = {"false_alarms": references, "misses": min(AGREED, references)}
    return {
        side: {
            str(row["class"]): row["references"] / references
            for row in clip[side]
            if row["references"] >= count and row["similarity"] >= CERTAIN
        }
        for side, count in fewest.items()
    }


def _tag_findings(clip: Mapping[str, Mapping[str, float]]) -> Iterator[Finding]:
    yield from ((LEFT_OUT, name) for name in clip["misses"])
    yield from ((IMAGINED, name) for name in clip["false_alarms"])


def _sbf(
    name: str, label: str, sides: tuple[str, ...], *, summary: str, what: str, misses: str
) -> MetricInfo:
    return MetricInfo(
        name=name,
        label=label,
        low=0.0,
        high=1.0,
        summary=summary,
        source="Mahfuz et al., Detecting False Alarms and Misses in Audio Captions, arXiv 2023",
        link="https://arxiv.org/abs/2309.03326",
        gaps="A clip has no value if neither its caption nor a reference suggests a sound.",
        explanation=Explanation(
            what=what, misses=misses, clip="hall.wav", steps=partial(_tag_steps, sides)
        ),
    )


FAMILY = FamilyInfo(
    name="sbf",
    path="earmark.metrics.sbf.metric:Sbf",
    queue="gpu",
    group="Sound events",
    order=140,
    revision=2,
    seconds=1.7,
    options=(
        ENCODER,
        FamilyOption("phrases", "pattern", signed="phrases", choices=PHRASES),
        FamilyOption("tag_threshold", 0.4, signed="tag"),
        FamilyOption("deviations", 3.0, signed="dev"),
        FamilyOption("similarity_threshold", 0.45, signed="sim"),
        FamilyOption("redundancy_threshold", 0.45, signed="rep"),
    ),
    facet=ClipFacet(
        "tag",
        "Class by similarity",
        {LEFT_OUT: "Missed", IMAGINED: "False alarm"},
        slim_tags,
        _tag_findings,
    ),
    metrics=(
        _sbf(
            "sbf_precision",
            "SBF precision",
            ("hits", "false_alarms"),
            summary=("Share of the sounds suggested by the caption that a reference also suggests"),
            what=(
                "The share of the sounds suggested by the caption that the reference also "
                "suggests, averaged over the references. Phrases of a caption are compared with "
                "the names of AudioSet's classes by their embeddings; classes that are similar "
                "enough are the caption's tags. Tags without a similar one in the reference are "
                "false alarms."
            ),
            misses=(
                'Everything but the tags. Tags come from the similarity of words: "metal roof" '
                'may suggest "heavy metal". Missed sounds do not count here.'
            ),
        ),
        _sbf(
            "sbf_recall",
            "SBF recall",
            ("hits", "misses"),
            summary=("Share of the sounds suggested by a reference that the caption also suggests"),
            what=(
                "The share of the sounds suggested by the reference that the caption also "
                "suggests, averaged over the references. Tags are found as for SBF precision; "
                "tags of the reference without a similar one in the caption are misses."
            ),
            misses="Everything but the tags. False alarms do not count here.",
        ),
        _sbf(
            "sbf",
            "SBF",
            ("hits", "false_alarms", "misses"),
            summary="F of SBF precision and recall: few false alarms and few misses",
            what=(
                "The harmonic mean of SBF precision and recall for each reference, averaged: how "
                "free a caption is from false alarms and misses. The details list both; over a "
                "corpus they show which sounds a system imagines and which it does not hear."
            ),
            misses=(
                "Manner, number, order and fluency. Compared with a single reference, even a "
                "good caption has misses, because people name different sounds: values well "
                "below 1 are normal."
            ),
        ),
    ),
)
