"""ROUGE-L."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo


def _sequence_steps(detail: Detail) -> list[str]:
    return [
        f"longest common sequence: {' '.join(detail['words'])}",
        f"precision {detail['precision']:.3f} by reference {detail['reference'] + 1}",
        f"recall {detail['recall']:.3f} by reference {detail['recall_reference'] + 1}",
    ]


FAMILY = FamilyInfo(
    name="rouge_l",
    path="earmark.metrics.rouge_l.metric:RougeL",
    queue="cpu",
    group="Word sequences",
    order=20,
    seconds=0.1,
    options=(FamilyOption("beta", 1.2, signed="beta", texts=(("beta 1.2", "beta {}"),)),),
    metrics=(
        MetricInfo(
            name="rouge_l",
            label="ROUGE-L",
            low=0.0,
            high=1.0,
            summary="Longest common word sequence with the best reference, weighted towards recall",
            source="Lin, ROUGE, ACL workshop 2004; beta 1.2 as in COCO caption evaluation",
            link="https://aclanthology.org/W04-1013/",
            explanation=Explanation(
                what=(
                    "The longest sequence of words that caption and reference have in common, in "
                    "order, with gaps allowed. Precision is its length divided by that of the "
                    "caption, recall divided by that of the reference. The best of each over the "
                    "references go into an F-measure weighted towards recall (beta 1.2)."
                ),
                misses=(
                    "Synonyms, and which words matter. Precision and recall may come from "
                    "different references. Roles can be swapped at little cost: see yard.wav."
                ),
                clip="yard.wav",
                steps=_sequence_steps,
            ),
        ),
    ),
)
