"""SPICE+: SPICE with more of what a caption says read from its grammar."""

from earmark.metrics.descriptor import Explanation, FamilyInfo, FamilyOption, MetricInfo
from earmark.metrics.spice import graph_steps

OF_PHRASES = FamilyOption(
    "of_phrases",
    "second",
    signed="rules",
    signed_as={"second": "plus", "both": "plus_both"},
    choices=("second", "both"),
)

FAMILY = FamilyInfo(
    name="spice_plus",
    path="earmark.metrics.spice_plus.metric:SpicePlus",
    queue="cpu",
    group="Scene graphs",
    order=150,
    revision=3,
    seconds=1.5,
    options=(OF_PHRASES,),
    metrics=(
        MetricInfo(
            name="spice_plus",
            label="SPICE+",
            low=0.0,
            high=1.0,
            summary="SPICE with more of what a caption says read from its grammar",
            source="Gontier et al., SPICE+, ICASSP 2023",
            link="https://doi.org/10.1109/ICASSP49357.2023.10097021",
            explanation=Explanation(
                what=(
                    "SPICE with rules made for captions of sounds: complements are joined "
                    '("continues to pour"), passives and relative clauses count, conjuncts share '
                    'attributes, and "in the background" is an attribute.'
                ),
                misses="What SPICE misses. Tuples still match only by a shared word or synset.",
                clip="hall.wav",
                steps=graph_steps,
            ),
        ),
    ),
)
