"""Composite: other metrics, weighted as the organisers of a phase decided."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo


def _steps(detail: Detail) -> list[str]:
    lines = [f"{term['label']}: {_product(term)} = {term['share']:.3f}" for term in detail["terms"]]
    return [*lines, f"sum: {sum(term['share'] for term in detail['terms']):.3f}"]


def _product(term: Detail) -> str:
    if (term["centre"], term["scale"]) == (0.0, 1.0):
        return f"{term['weight']:g} x {term['value']:.3f}"
    return f"{term['weight']:g} x ({term['value']:.3f} - {term['centre']:g}) / {term['scale']:g}"


FAMILY = FamilyInfo(
    name="composite",
    path="earmark.metrics.composite.metric:Composite",
    queue="gpu",
    group="Combined",
    order=170,
    seconds=20.0,
    configured_by_phase=True,
    options=(FamilyOption("formula", signed="formula", bare=True),),
    metrics=(
        MetricInfo(
            name="composite",
            label="Composite",
            low=float("-inf"),
            high=float("inf"),
            summary="Other metrics, weighted as the organisers of the phase decided",
            source="This project; after Liu et al., SPIDEr, ICCV 2017, a mean of two metrics",
            link="https://arxiv.org/abs/1612.00370",
            explanation=Explanation(
                what=(
                    "A weighted sum of other metrics, whose formula the phase shows. Organisers "
                    "choose metrics and weights in the ranking lab, where they see how often the "
                    "sum agrees with people and what tricks gain by it. Where metrics have "
                    "different scales, each is first put on one: the formula then subtracts a "
                    "mean and divides by a standard deviation, both fixed when the formula was "
                    "published."
                ),
                misses="What all of its metrics miss.",
                clip="station.wav",
                steps=_steps,
            ),
        ),
    ),
)
