"""MACE: close to the recording, close to the references, and fluent."""

from dataclasses import replace

from earmark.metrics.clap_score import heard_steps
from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo
from earmark.metrics.fluency import DETECTOR, PENALTY, THRESHOLD, verdict_steps
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.sbert import similarity_steps


def _steps(detail: Detail) -> list[str]:
    return [*heard_steps(detail), *similarity_steps(detail), *verdict_steps(detail["fluency"])]


FAMILY = FamilyInfo(
    name="mace",
    path="earmark.metrics.mace.metric:Mace",
    queue="gpu",
    group="Judges from elsewhere",
    order=320,
    seconds=300.0,
    made_of=(FLUENCY,),
    configured_by_phase=True,
    options=(
        FamilyOption("model", signed="clap", names_installed="clap"),
        DETECTOR,
        THRESHOLD,
        replace(
            PENALTY,
            default=0.3,
            texts=(("less 30 %", "less {} of it"), ("loses 30 %", "loses {} of it")),
        ),
    ),
    metrics=(
        MetricInfo(
            name="mace",
            label="MACE",
            low=-1.0,
            high=1.0,
            summary="Mean of the caption's CLAP similarity to the recording and to the references,"
            " less 30 % if it is flagged as not fluent",
            source="Dixit et al., MACE, arXiv 2024; detector trained for this project",
            link="https://arxiv.org/abs/2411.00321",
            gaps="A clip has no value if it has no recording that can be read.",
            explanation=Explanation(
                what=(
                    "A CLAP model hears the recording and reads caption and references. The score "
                    "is the mean of two numbers: the cosine of the caption with the recording, and "
                    "the mean cosine of the caption with each reference. If the fluency detector "
                    "flags the caption, it loses 30 %."
                ),
                misses=(
                    "What the CLAP model misses: order, counts, fine detail. The two cosines lie "
                    "on different levels, that of texts higher, and which one decides differs from "
                    "model to model."
                ),
                clip="station.wav",
                steps=_steps,
            ),
            not_judged="the recordings of the judged captions are not part of the benchmark",
        ),
    ),
)
