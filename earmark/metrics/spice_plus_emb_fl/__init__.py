"""SPICE+ with embeddings and the fluency penalty."""

from earmark.metrics.descriptor import Explanation, FamilyInfo, MetricInfo
from earmark.metrics.fluency import DETECTOR, PENALTY, THRESHOLD, verdict_steps
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.sbert import ENCODER
from earmark.metrics.spice_plus import OF_PHRASES
from earmark.metrics.spice_plus_emb import FAMILY as SPICE_PLUS_EMB
from earmark.metrics.spice_plus_emb import RECALL_WEIGHT, TUPLE_WEIGHTS, side_steps

FAMILY = FamilyInfo(
    name="spice_plus_emb_fl",
    path="earmark.metrics.spice_plus_emb_fl.metric:SpicePlusEmbFl",
    queue="gpu",
    group="Scene graphs",
    order=162,
    seconds=4.5,
    made_of=(SPICE_PLUS_EMB, FLUENCY),
    options=(ENCODER, OF_PHRASES, RECALL_WEIGHT, TUPLE_WEIGHTS, DETECTOR, THRESHOLD, PENALTY),
    metrics=(
        MetricInfo(
            name="spice_plus_emb_fl",
            label="SPICE+emb with fluency",
            low=0.0,
            high=1.0,
            summary="SPICE+emb, reduced to a tenth if the caption is flagged as not fluent",
            source=(
                "Gontier et al., SPICE+, ICASSP 2023, section 3.2; detector trained for this "
                "project"
            ),
            link="https://doi.org/10.1109/ICASSP49357.2023.10097021",
            explanation=Explanation(
                what=(
                    "The harmonic mean of SPICE+ precision and recall by embeddings, reduced to a "
                    "tenth if the fluency detector flags the caption. Its authors advise to use "
                    "SPICE+emb with such a penalty, as it compares what is said and not how."
                ),
                misses=(
                    "What the parser misreads, and what the sentence embedding misses. The penalty "
                    "is all or nothing, so a small change to a caption at the threshold gains or "
                    "loses nine tenths."
                ),
                clip="station.wav",
                steps=lambda found: [*side_steps(found), *verdict_steps(found["fluency"])],
            ),
        ),
    ),
)
