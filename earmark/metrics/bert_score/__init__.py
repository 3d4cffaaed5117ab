"""BERTScore."""

from earmark.metrics.descriptor import (
    Detail,
    Explanation,
    FamilyInfo,
    FamilyOption,
    MetricInfo,
    listed,
)

# Whether sub-words are weighed, and by what.
NO_IDF, REFERENCES_IDF = "no", "references"


def _written(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _token_steps(detail: Detail) -> list[str]:
    lines = [
        f"best reference: {detail['reference'] + 1}",
        ", ".join(f"{part} {_written(detail[part])}" for part in ("precision", "recall")),
    ]
    for side, name in (("precision_matches", "caption"), ("recall_matches", "reference")):
        worst = sorted(detail[side], key=lambda row: float(row["similarity"]))[:3]
        matches = [f"{row['token']} = {row['match']} {row['similarity']:.3f}" for row in worst]
        lines.append(f"matched worst in the {name}: {listed(matches)}")
    return lines


FAMILY = FamilyInfo(
    name="bert_score",
    path="earmark.metrics.bert_score.metric:BertScore",
    queue="gpu",
    group="Embeddings and fluency",
    order=110,
    seconds=4.5,
    options=(
        FamilyOption(
            "encoder", "all-MiniLM-L6-v2", signed="model", shipped="all-MiniLM-L6-v2@53aa5117"
        ),
        FamilyOption("layer", -1, signed="layer", shipped="last"),
        FamilyOption(
            "idf",
            NO_IDF,
            signed="idf",
            texts=(
                ("no idf", "idf of the {}"),
                ("Rare words are not weighted more", "Rare words are weighted more"),
                ("All words count alike, so", "Frequent words count, too:"),
            ),
            choices=(NO_IDF, REFERENCES_IDF),
        ),
        FamilyOption("rescale", "", signed="rescale", texts=(("no rescaling", "rescaled"),)),
    ),
    metrics=(
        MetricInfo(
            name="bert_score",
            label="BERTScore",
            low=0.0,
            high=1.0,
            summary=(
                "Word pieces matched with those of the best reference by contextual embeddings"
            ),
            gaps=(
                "With idf a clip has no value if no sub-word of the caption, or of its references, "
                "is rarer than others."
            ),
            source="Zhang et al., BERTScore, ICLR 2020; F1, no idf, no rescaling",
            link="https://arxiv.org/abs/1904.09675",
            explanation=Explanation(
                what=(
                    "Every word piece of the caption is matched with the most similar one of a "
                    "reference by the cosine of their contextual embeddings, and the other way "
                    "round; the score is the F1 of the two means. The best reference counts. "
                    "Rare words are not weighted more."
                ),
                misses=(
                    'All words count alike, so "a" and "is" raise every score: compare values '
                    "rather than read one alone. A missed sound costs little if the rest agrees."
                ),
                clip="hall.wav",
                steps=_token_steps,
            ),
        ),
    ),
)
