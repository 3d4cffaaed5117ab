"""FENSE."""

from earmark.metrics.descriptor import Explanation, FamilyInfo, MetricInfo
from earmark.metrics.fluency import DETECTOR, PENALTY, THRESHOLD, verdict_steps
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.sbert import ENCODER, similarity_steps
from earmark.metrics.sbert import FAMILY as SBERT

FAMILY = FamilyInfo(
    name="fense",
    path="earmark.metrics.fense.metric:Fense",
    queue="gpu",
    group="Embeddings and fluency",
    order=100,
    seconds=4.5,
    made_of=(SBERT, FLUENCY),
    options=(ENCODER, DETECTOR, THRESHOLD, PENALTY),
    metrics=(
        MetricInfo(
            name="fense",
            label="FENSE",
            low=-1.0,
            high=1.0,
            summary="SBERT similarity, reduced to a tenth if the caption is flagged as not fluent",
            source=(
                "Zhou et al., FENSE, ICASSP 2022, equation 2; detector trained for this project"
            ),
            link="https://arxiv.org/abs/2110.04684",
            explanation=Explanation(
                what=(
                    "SBERT similarity, reduced to a tenth if the fluency detector flags the "
                    "caption. The challenge metric of DCASE task 6 in 2024. Of all metrics that "
                    "use no large language model, it is close to the best in agreement with "
                    "human judgments."
                ),
                misses=(
                    "What the sentence embedding misses: swapped roles, counts, negation. The "
                    "penalty is all or nothing, so a small change to a caption at the threshold "
                    "gains or loses nine tenths."
                ),
                clip="station.wav",
                steps=lambda found: [*similarity_steps(found), *verdict_steps(found["fluency"])],
            ),
        ),
    ),
)
