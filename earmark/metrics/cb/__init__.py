"""CB-score: consensus of the references on sound events."""

from collections.abc import Mapping
from typing import Any

from earmark.metrics.descriptor import (
    Detail,
    Explanation,
    FamilyInfo,
    FamilyOption,
    MetricInfo,
    listed,
)
from earmark.metrics.facets import BOTH_SIDES, ClipFacet, both_sides

# Events that references name, with how many of them do, and those that the caption names.
Events = tuple[Mapping[str, int], frozenset[str]]


def _event_steps(detail: Detail) -> list[str]:
    events = [
        f"{row['event']} {row['relevance']:.3f} (named {row['references']} times)"
        for row in detail["relevance"]
    ]
    named = [
        f"{row['event']} {row['relevance']:.3f} (from {row['words']})"
        for row in detail["candidate"]
    ]
    return [
        f"the references' events: {listed(events)}",
        f"the caption's: {listed(named)}",
        f"the best caption with as many: {listed(detail['ideal'])}",
        f"the best caption of average length: {listed(detail['ideal_average'])}",
    ]


def slim_events(clip: Any) -> Events:
    """Keep the events of CB-score's details."""
    theirs = {str(row["event"]): int(row["references"]) for row in clip["relevance"]}
    return theirs, frozenset(str(row["event"]) for row in clip["candidate"])


_SOURCE = (
    "Martín-Morató, Harju and Mesaros, A Summarization Approach to Evaluating Audio Captioning, "
    "DCASE workshop 2022"
)

FAMILY = FamilyInfo(
    name="cb",
    path="earmark.metrics.cb.metric:ConsensusScore",
    queue="cpu",
    group="Sound events",
    order=120,
    seconds=1.1,
    options=(
        FamilyOption(
            "relevance",
            "frequency",
            signed="rel",
            texts=(("its share of all mentions", "its tf-idf among the references"),),
            choices=("frequency", "tfidf"),
        ),
        FamilyOption("depth", 2, signed="events:audioset-"),
        FamilyOption("senses", 2, signed="senses"),
    ),
    facet=ClipFacet("event", "Sound event", BOTH_SIDES, slim_events, both_sides),
    metrics=(
        MetricInfo(
            name="cb_score",
            label="CB-score",
            low=0.0,
            high=1.0,
            summary=(
                "How far the references agree on the sounds named, relative to the best choice "
                "of equally many"
            ),
            source=_SOURCE,
            link="https://dcase.community/documents/workshop2022/proceedings/DCASE2022Workshop_Martin-Morato_35.pdf",
            gaps="A clip has no value if its references name no sound event.",
            explanation=Explanation(
                what=(
                    "Which sound events of the AudioSet ontology a caption names, and how many "
                    "of the references agree on each. An event's relevance is its share of all "
                    "mentions; the caption's score is the relevance of its events divided by "
                    "that of the best caption with equally many events. A clip without events in "
                    "its references has no value."
                ),
                misses=(
                    "Everything but the events: order, place, manner, number, fluency. A caption "
                    "that names one event on which all agree gets 1, however much it leaves out: "
                    "read it together with CB recall."
                ),
                clip="hall.wav",
                steps=_event_steps,
            ),
        ),
        MetricInfo(
            name="cb_recall",
            label="CB recall",
            low=0.0,
            high=1.0,
            summary=(
                "Like CB-score, relative to the best choice of as many sounds as an average "
                "reference names"
            ),
            source=_SOURCE,
            link="https://dcase.community/documents/workshop2022/proceedings/DCASE2022Workshop_Martin-Morato_35.pdf",
            gaps="A clip has no value if its references name no sound event.",
            explanation=Explanation(
                what=(
                    "Like CB-score, but relative to the best caption with as many events as the "
                    "references have on average. A caption that names too few sounds scores "
                    "lower."
                ),
                misses=(
                    "Everything but the events. Invented sounds cost nothing here, so naming "
                    "more sounds than there are can only help: read it together with CB-score."
                ),
                clip="hall.wav",
                steps=_event_steps,
            ),
        ),
    ),
)
