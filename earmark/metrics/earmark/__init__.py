"""Earmark: one number out of similarity, content and fluency, weighted as people judge."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo
from earmark.metrics.fluency import DETECTOR
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.sbert import ENCODER
from earmark.metrics.sbert import FAMILY as SBERT
from earmark.metrics.spice_plus_emb import FAMILY as SPICE_PLUS_EMB


def _steps(detail: Detail) -> list[str]:
    lines = [
        f"{part['label']}: {part['value']:.3f} x {part['weight']:.3f} = {part['share']:.3f}"
        for part in detail["parts"]
    ]
    return [*lines, f"sum: {sum(part['share'] for part in detail['parts']):.3f}"]


FAMILY = FamilyInfo(
    name="earmark",
    path="earmark.metrics.earmark.metric:Earmark",
    queue="gpu",
    group="Combined",
    order=165,
    seconds=7.0,
    made_of=(SBERT, FLUENCY, SPICE_PLUS_EMB),
    options=(
        ENCODER,
        DETECTOR,
        FamilyOption("weights", "", signed="learned", shipped="earmark-2@16696946"),
    ),
    metrics=(
        MetricInfo(
            name="earmark",
            label="Earmark",
            low=0.0,
            high=1.0,
            summary="Similarity, content named and fluency, weighted as people judge captions",
            source=(
                "This project; parts after Zhou et al., FENSE, ICASSP 2022, and Gontier et al., "
                "SPICE+, ICASSP 2023"
            ),
            link="https://arxiv.org/abs/2110.04684",
            explanation=Explanation(
                what=(
                    "A weighted mean of parts that lie from 0 to 1: how similar the caption is to "
                    "the references as a sentence, how much of their content it names (scene "
                    "graphs, compared by meaning), and how sure the fluency detector is that "
                    "nothing is wrong with its language. The weights were learned from pairs of "
                    "captions that people compared, and from captions with one thing wrong. A "
                    "better part never lowers the whole."
                ),
                misses=(
                    "Order of events, negation and counts, as its parts do. The judgments are of "
                    "captions of AudioCaps; for other sounds people may weigh differently."
                ),
                clip="station.wav",
                steps=_steps,
            ),
            not_judged=(
                "its weights were learned from these pairs; weights that did not see a clip order "
                "87.5 % of its pairs as people did"
            ),
            learned_from_judgments=True,
        ),
    ),
)
