"""SPIDEr and SPIDEr-max."""

from earmark.metrics.cider_d import ALONE, SIGMA
from earmark.metrics.cider_d import FAMILY as CIDER_D
from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, MetricInfo
from earmark.metrics.spice import FAMILY as SPICE


def part_steps(detail: Detail) -> list[str]:
    """Lines with the two parts of the mean."""
    return [f"SPICE {detail['spice']:.3f}, CIDEr-D {detail['cider_d']:.3f}"]


def _best_candidate_steps(detail: Detail) -> list[str]:
    """Parts of the best candidate; a clip with one candidate has no other."""
    best = detail.get("best", detail)
    return [f"best candidate: {best['candidate']}", *part_steps(best)]


FAMILY = FamilyInfo(
    name="spider",
    path="earmark.metrics.spider.metric:Spider",
    queue="cpu",
    group="Scene graphs",
    order=60,
    seconds=1.6,
    made_of=(SPICE, CIDER_D),
    options=(SIGMA,),
    metrics=(
        MetricInfo(
            name="spider",
            label="SPIDEr",
            low=0.0,
            high=5.5,
            summary="Mean of SPICE and CIDEr-D",
            source="Liu et al., SPIDEr, ICCV 2017",
            link="https://arxiv.org/abs/1612.00370",
            alone=ALONE,
            explanation=Explanation(
                what=(
                    "The mean of SPICE and CIDEr-D: meaning as a graph, and wording. The "
                    "challenge metric of DCASE task 6 from 2020 to 2022."
                ),
                misses=(
                    "CIDEr-D runs to 10 and SPICE to 1, so CIDEr-D decides nearly everything. A "
                    "caption that repeats itself or breaks off can score well."
                ),
                clip="station.wav",
                steps=part_steps,
            ),
        ),
        MetricInfo(
            name="spider_max",
            label="SPIDEr-max",
            low=0.0,
            high=5.5,
            summary="SPIDEr of the best of several candidates for each clip",
            source="Labbé et al., SPIDEr-max, DCASE workshop 2022",
            link="https://arxiv.org/abs/2211.08983",
            alone=ALONE,
            explanation=Explanation(
                what=(
                    "SPIDEr of the best candidate of each clip, for systems that give several. "
                    "Rarity is still counted over the references alone. A system with more "
                    "candidates meets the wording of a reference by chance more often: compare "
                    "it only at equal numbers of candidates."
                ),
                misses=(
                    "Which candidate the system itself prefers. It is an upper bound that knows "
                    "the references, not what a listener would get."
                ),
                clip="roof.wav",
                steps=_best_candidate_steps,
            ),
            several=True,
            not_judged="a judged caption has no other candidates beside it",
        ),
    ),
)
