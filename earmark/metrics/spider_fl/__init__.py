"""SPIDEr-FL."""

from earmark.metrics.cider_d import ALONE, SIGMA
from earmark.metrics.descriptor import Explanation, FamilyInfo, MetricInfo
from earmark.metrics.fluency import DETECTOR, PENALTY, THRESHOLD, verdict_steps
from earmark.metrics.fluency import FAMILY as FLUENCY
from earmark.metrics.spider import FAMILY as SPIDER
from earmark.metrics.spider import part_steps

FAMILY = FamilyInfo(
    name="spider_fl",
    path="earmark.metrics.spider_fl.metric:SpiderFl",
    queue="gpu",
    group="Scene graphs",
    order=70,
    seconds=2.0,
    made_of=(SPIDER, FLUENCY),
    options=(SIGMA, DETECTOR, THRESHOLD, PENALTY),
    metrics=(
        MetricInfo(
            name="spider_fl",
            label="SPIDEr-FL",
            low=0.0,
            high=5.5,
            summary="SPIDEr, reduced to a tenth if the caption is flagged as not fluent",
            source=(
                "DCASE 2023 task 6a, after Liu et al., SPIDEr, ICCV 2017, and Zhou et al., FENSE, "
                "ICASSP 2022; detector trained for this project"
            ),
            link="https://dcase.community/challenge2023/task-automated-audio-captioning",
            alone=ALONE,
            explanation=Explanation(
                what=(
                    "SPIDEr, reduced to a tenth if the fluency detector flags the caption. The "
                    "challenge metric of DCASE task 6a in 2023."
                ),
                misses=(
                    "The same as SPIDEr, except fluency. The detector is not always right: see "
                    "the error rates in docs/reference/fluency.md."
                ),
                clip="station.wav",
                steps=lambda found: [*part_steps(found), *verdict_steps(found["fluency"])],
            ),
        ),
    ),
)
