"""CIDEr-D."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo


def _ngram_steps(detail: Detail) -> list[str]:
    return [
        f"{row['ngram']}: in {row['references']} of the references, idf {row['idf']:.3f}, "
        f"adds {row['part']:.3f}"
        for row in detail["shared"][:5]
    ]


# As in the authors' program, where the weight of all words is log 1 then.
ALONE = (
    "There is only one clip, so no words are rarer than others: CIDEr-D, also as a part of SPIDEr, "
    "is 0 whatever the caption says."
)
SIGMA = FamilyOption("sigma", 6.0, signed="sigma", texts=(("sigma 6", "sigma {}"),))

FAMILY = FamilyInfo(
    name="cider_d",
    path="earmark.metrics.cider_d.metric:CiderD",
    queue="cpu",
    group="Word sequences",
    order=40,
    revision=2,
    seconds=0.1,
    options=(SIGMA,),
    metrics=(
        MetricInfo(
            name="cider_d",
            label="CIDEr-D",
            low=0.0,
            high=10.0,
            summary="Shared word sequences, each weighted by how rare it is among the references",
            source="Vedantam et al., CIDEr, CVPR 2015; n 4, sigma 6, times 10",
            link="https://arxiv.org/abs/1411.5726",
            alone=ALONE,
            explanation=Explanation(
                what=(
                    "Sequences of one to four words are weighted by how rare they are among the "
                    "references of the phase (tf-idf). The cosine between caption and reference "
                    "is averaged over the references and over the four lengths. Counts are "
                    "clipped, a difference in length is penalised by a Gaussian (sigma 6), and "
                    "the result is multiplied by 10."
                ),
                misses=(
                    "Synonyms. A clip's value depends on the other clips of the corpus, because "
                    "they decide what is rare: values on different reference sets cannot be "
                    "compared. In a corpus of one clip, every weight is 0."
                ),
                clip="garden.wav",
                steps=_ngram_steps,
            ),
        ),
    ),
)
