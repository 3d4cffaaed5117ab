"""METEOR 1.5 with its four matchers, without Java."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, MetricInfo, listed


def _alignment_steps(detail: Detail) -> list[str]:
    pairs = [
        f"{row['candidate']} = {row['reference']} ({row['matcher']})" for row in detail["matches"]
    ]
    return [
        f"best reference: {detail['reference'] + 1}",
        f"aligned: {listed(pairs)}",
        f"precision {detail['precision']:.3f}, recall {detail['recall']:.3f}",
        f"penalty for pieces: {detail['penalty']:.3f}",
    ]


FAMILY = FamilyInfo(
    name="meteor",
    path="earmark.metrics.meteor.metric:Meteor",
    queue="cpu",
    group="Word sequences",
    order=30,
    seconds=0.3,
    metrics=(
        MetricInfo(
            name="meteor",
            label="METEOR",
            low=0.0,
            high=1.0,
            summary="Words aligned with the best reference by form, stem, synonym or paraphrase",
            source="Denkowski and Lavie, Meteor Universal, WMT 2014; version 1.5, -l en -norm",
            link="https://aclanthology.org/W14-3348/",
            explanation=Explanation(
                what=(
                    "Words of the caption are aligned one to one with those of a reference: by "
                    "the same form, the same stem, a common WordNet synset, or a phrase from a "
                    "table of paraphrases (weights 1, .6, .8, .6). Content words weigh more than "
                    "function words; an alignment in many pieces is penalised. The best "
                    "reference counts. Computed like METEOR 1.5, without Java."
                ),
                misses=(
                    "Who does what to whom, and sounds that are implied but not named. The "
                    "paraphrase table was learned from general text and also links words that no "
                    "listener would."
                ),
                clip="hall.wav",
                steps=_alignment_steps,
            ),
        ),
    ),
)
