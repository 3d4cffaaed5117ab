"""ACES: sound descriptors of the caption against those of the references."""

from dataclasses import replace
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
from earmark.metrics.fluency import DETECTOR, PENALTY, THRESHOLD
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.sbert import ENCODER

# Descriptor labels of the references, and of the caption.
Labels = tuple[frozenset[str], frozenset[str]]


def _label_steps(detail: Detail) -> list[str]:
    words = [f"{row['text']} {row['label']}" for row in detail["words"] if row["label"] != "O"]
    lines = [f"labelled: {listed(words)}"]
    for row in detail["labels"]:
        pairs = [f"{x['span']} = {x['match']} {x['similarity']:.3f}" for x in row["spans"]]
        lines.append(f"{row['label']}: {listed(pairs)}; F {row['f']:.3f}")
    lines.append(f"labels of the caption alone: {listed(detail['only_candidate'])}")
    lines.append(f"labels of the references alone: {listed(detail['only_references'])}")
    return lines


def _balanced_steps(detail: Detail) -> list[str]:
    own = detail["balanced"]
    parts = ", ".join(f"{name} {own[name]:.3f}" for name in ("precision", "recall"))
    whole = f"over all spans: {parts}, F {own['f']:.3f}; nearness {own['nearness']:.3f} / 1850"
    return [*_label_steps(detail), whole]


def slim_labels(clip: Any) -> Labels:
    """Keep the descriptor labels of ACES's details."""
    theirs = frozenset(str(word["label"]) for caption in clip["references"] for word in caption)
    return theirs, frozenset(str(word["label"]) for word in clip["words"])


_NOT_HALVED = (
    ("; halved if not fluent", ""),
    ("; it is halved if the fluency detector flags the caption", ""),
    (", halved if the fluency detector flags the caption", ""),
)

FAMILY = FamilyInfo(
    name="aces",
    path="earmark.metrics.aces.metric:Aces",
    queue="gpu",
    group="Descriptors",
    order=130,
    seconds=4.6,
    made_of=(FLUENCY,),
    options=(
        FamilyOption("mode", "combined", signed="mode", choices=("combined", "max")),
        FamilyOption(
            "labeller", "", signed="desc", shipped="earmark-desc-1@e07255e9", names_labeller=True
        ),
        ENCODER,
        FamilyOption(
            "fluency",
            "earmark",
            signed="fl",
            texts=_NOT_HALVED,
            choices=("earmark", "none"),
        ),
        DETECTOR,
        THRESHOLD,
        replace(PENALTY, default=0.5, texts=(("halved if", "reduced by {} of it if"),)),
        FamilyOption(
            "beta", 9.0, signed="beta", metrics=("aces",), texts=(("(beta 9)", "(beta {})"),)
        ),
    ),
    judged_with={"mode": "max"},
    facet=ClipFacet("label", "Descriptor", BOTH_SIDES, slim_labels, both_sides),
    metrics=(
        MetricInfo(
            name="aces",
            label="ACES",
            low=0.0,
            high=1.0,
            summary=(
                "Similarity to the references in what sounds, how and where; halved if not fluent"
            ),
            source=(
                "Wijngaard et al., ACES, arXiv 2403.18572, 2024; labeller and detector trained "
                "for this project"
            ),
            link="https://arxiv.org/abs/2403.18572",
            explanation=Explanation(
                what=(
                    "A labeller says for each word what it describes: who, what, how, when, "
                    "where and so on. Spans of the same label are compared by the cosine of "
                    "their embeddings; for each label that both sides have, precision and recall "
                    "of the best matches give an F-measure weighted towards recall (beta 9). The "
                    "score is their mean, less a little for each label that is not shared; it is "
                    "halved if the fluency detector flags the caption."
                ),
                misses=(
                    "Labels that only one side has cost almost nothing. The score depends on the "
                    "labeller, whose error rates are in docs/reference/descriptors.md, and can "
                    "only be compared with scores by the same labeller."
                ),
                clip="hall.wav",
                steps=_label_steps,
            ),
        ),
        MetricInfo(
            name="aces_balanced",
            label="ACES balanced",
            low=0.0,
            high=1.0,
            summary=(
                "ACES with precision and recall alike, so that a sound that matches nothing costs"
            ),
            source="This project, after Wijngaard et al., ACES, arXiv 2403.18572, 2024",
            link="https://arxiv.org/abs/2403.18572",
            explanation=Explanation(
                what=(
                    "Words are labelled and spans compared as for ACES. A span counts with the "
                    "cosine of the nearest span that has the same label on the other side; where "
                    "that is below 0.45, or there is none, it counts 0. Precision is the mean over "
                    "all spans of the caption, recall that over all spans of the references, and "
                    "the score their harmonic mean, halved if the fluency detector flags the "
                    "caption. So that captions without any match are told apart, 1/1850 of how "
                    "near their spans come is added. A sound more that matches nothing can only "
                    "lower the score."
                ),
                misses=(
                    "Order, and what the labeller gets wrong: a sound more may change the labels "
                    "of other words. What no reference says counts as wrong, even if it can be "
                    "heard. It can only be compared with scores by the same labeller."
                ),
                clip="hall.wav",
                steps=_balanced_steps,
            ),
        ),
    ),
)
