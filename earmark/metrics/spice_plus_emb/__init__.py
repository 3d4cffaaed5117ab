"""SPICE+ with embeddings: tuples compared by the nearness of their vectors."""

from dataclasses import replace
from functools import partial

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo
from earmark.metrics.sbert import ENCODER
from earmark.metrics.spice_plus import OF_PHRASES


def _tuple_steps(side: str, detail: Detail) -> list[str]:
    return [
        f"{row['tuple']}: nearest {row['match']}, {row['similarity']:.3f}" for row in detail[side]
    ]


def side_steps(detail: Detail) -> list[str]:
    """Lines with precision and recall."""
    lines = []
    for side, name in (("candidate", "precision"), ("references", "recall")):
        best = [row["similarity"] for row in detail[side]]
        mean = sum(best) / len(best) if best else 0.0
        lines.append(f"{name} {mean:.3f}, the mean over {len(best)} tuples")
    return lines


def _embedded(name: str, label: str, summary: str, explanation: Explanation) -> MetricInfo:
    return MetricInfo(
        name=name,
        label=label,
        low=0.0,
        high=1.0,
        summary=summary,
        source="Gontier et al., SPICE+, ICASSP 2023",
        link="https://doi.org/10.1109/ICASSP49357.2023.10097021",
        explanation=explanation,
    )


RECALL_WEIGHT = FamilyOption(
    "recall_weight",
    1.0,
    signed="beta",
    texts=(("The harmonic mean", "The F-measure (recall weight {})"),),
)
TUPLE_WEIGHTS = FamilyOption(
    "tuple_weights", "uniform", signed="weights", choices=("uniform", "consensus")
)

FAMILY = FamilyInfo(
    name="spice_plus_emb",
    path="earmark.metrics.spice_plus_emb.metric:SpicePlusEmb",
    queue="gpu",
    group="Scene graphs",
    order=160,
    revision=3,
    seconds=2.5,
    options=(
        ENCODER,
        OF_PHRASES,
        replace(RECALL_WEIGHT, metrics=("spice_plus_emb",)),
        TUPLE_WEIGHTS,
        FamilyOption("threshold", 0.0, signed="thr"),
    ),
    metrics=(
        _embedded(
            "spice_plus_precision",
            "SPICE+ precision",
            "How similar the caption's tuples are to the references' by embeddings",
            Explanation(
                what=(
                    "Tuples of SPICE+ are written as texts and embedded; the score is the mean "
                    "over the caption's tuples of the best cosine with one of the references'. "
                    "It is low if the caption invents sounds."
                ),
                misses=(
                    "What the caption leaves out. Tuples about different things rarely have a "
                    "cosine of 0, so compare values rather than read one alone."
                ),
                clip="hall.wav",
                steps=partial(_tuple_steps, "candidate"),
            ),
        ),
        _embedded(
            "spice_plus_recall",
            "SPICE+ recall",
            "How similar the references' tuples are to the caption's by embeddings",
            Explanation(
                what=(
                    "The same from the other side: the mean over the references' tuples of the "
                    "best cosine with one of the caption's. It is low if the caption leaves "
                    "sounds out."
                ),
                misses=(
                    "What the caption invents. Five references together say more than one "
                    "caption can, so 1 is out of reach."
                ),
                clip="hall.wav",
                steps=partial(_tuple_steps, "references"),
            ),
        ),
        _embedded(
            "spice_plus_emb",
            "SPICE+emb",
            "F of SPICE+ precision and recall by embeddings",
            Explanation(
                what=(
                    "The harmonic mean of the two: SPICE+ with embeddings in place of words and "
                    'synsets, so "water pours" and "rain falls" are partly the same.'
                ),
                misses=(
                    "Fluency. What the parser misreads, and what the sentence embedding misses."
                ),
                clip="roof.wav",
                steps=side_steps,
            ),
        ),
    ),
)
