"""SBERT similarity."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo


def similarity_steps(detail: Detail) -> list[str]:
    """Lines with the similarity to each reference."""
    return [f"cosine with reference {i}: {x:.3f}" for i, x in enumerate(detail["similarities"], 1)]


ENCODER = FamilyOption(
    "encoder", "all-MiniLM-L6-v2", signed="sbert", shipped="all-MiniLM-L6-v2@53aa5117"
)

FAMILY = FamilyInfo(
    name="sbert",
    path="earmark.metrics.sbert.metric:Sbert",
    queue="gpu",
    group="Embeddings and fluency",
    order=80,
    seconds=4.0,
    options=(ENCODER,),
    metrics=(
        MetricInfo(
            name="sbert_sim",
            label="SBERT similarity",
            low=-1.0,
            high=1.0,
            summary="Mean cosine between the caption's sentence embedding and each reference's",
            source="Zhou et al., FENSE, ICASSP 2022, equation 1",
            link="https://arxiv.org/abs/2110.04684",
            explanation=Explanation(
                what=(
                    "A sentence embedding model turns caption and references into vectors; the "
                    "score is the mean cosine between the caption's vector and each reference's. "
                    "Other words for the same sound count."
                ),
                misses=(
                    "Who does what to whom (see yard.wav, where the roles are swapped), "
                    "negation, counts, and whether the caption is a sentence at all. The model "
                    'knows words from reading, not sounds from hearing: "thunder" and '
                    '"lightning" are close.'
                ),
                clip="roof.wav",
                steps=similarity_steps,
            ),
        ),
    ),
)
