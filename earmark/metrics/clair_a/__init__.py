"""CLAIR-A: a language model is asked how likely caption and references are of the same sound."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo
from earmark.metrics.fense import FAMILY as FENSE


def _steps(detail: Detail) -> list[str]:
    if detail["score"] is None:
        return [f"no score: {detail['fault']}"]
    return [
        f"score of the language model: {detail['score']:g} of 100",
        f"its reason: {detail['reason']}",
        f"FENSE, which decides between equal scores: {detail['fense']:.3f}",
    ]


FAMILY = FamilyInfo(
    name="clair_a",
    path="earmark.metrics.clair_a.metric:ClairA",
    queue="outside",
    group="Judges from elsewhere",
    order=300,
    seconds=600.0,
    made_of=(FENSE,),
    configured_by_phase=True,
    options=(FamilyOption("model", signed="llm", names_installed="language"),),
    metrics=(
        MetricInfo(
            name="clair_a",
            label="CLAIR-A",
            low=0.0,
            high=1.0,
            summary="How likely a language model finds it that caption and references are of the"
            " same sound",
            source=(
                "Wu et al., CLAIR-A: Leveraging Large Language Models to Judge Audio Captions, "
                "arXiv 2024; the prompt is written for this project after its protocol"
            ),
            link="https://arxiv.org/abs/2409.12962",
            gaps="A clip has no value if the language model gave none.",
            explanation=Explanation(
                what=(
                    "A language model reads the caption beside the references and answers with a "
                    "score from 0 to 100 and its reason: up to 90 points for how correctly and "
                    "precisely the caption says what sounds, up to 10 for grammar and plausible "
                    "detail. The score is divided by 100. FENSE decides between equal scores: it "
                    "has a weight of 0.0001."
                ),
                misses=(
                    "Everything that only the recording tells: the model hears nothing. Another "
                    "model, or the same one after an update by those who run it, gives other "
                    "scores. A caption that tries to talk the model into a score may succeed; its "
                    "reasons show it."
                ),
                clip="hall.wav",
                steps=_steps,
            ),
            not_judged="its scores are those of the language model that a phase chooses",
        ),
    ),
)
