"""SPICE: tuples of scene graphs in common with the references."""

from collections.abc import Iterable

from earmark.metrics.descriptor import (
    Detail,
    Explanation,
    FamilyInfo,
    FamilyOption,
    MetricInfo,
    listed,
)


def graph_steps(detail: Detail) -> list[str]:
    """Lines with the tuples matched, invented and missed."""
    return [f"{kind}: {_tuples(detail[kind])}" for kind in ("matched", "invented", "missed")]


def _tuples(rows: Iterable[Iterable[str]]) -> str:
    return listed(f"({', '.join(row)})" for row in rows)


FAMILY = FamilyInfo(
    name="spice",
    path="earmark.metrics.spice.metric:Spice",
    queue="cpu",
    group="Scene graphs",
    order=50,
    seconds=1.6,
    options=(
        FamilyOption(
            "parser",
            "general",
            signed="parser",
            signed_as={"general": "en_core_web_sm", "captions": "earmark-parse"},
            choices=("general", "captions"),
        ),
    ),
    metrics=(
        MetricInfo(
            name="spice",
            label="SPICE",
            low=0.0,
            high=1.0,
            summary="Objects, attributes and relations shared with the references",
            source="Anderson et al., SPICE, ECCV 2016",
            link="https://arxiv.org/abs/1607.08822",
            explanation=Explanation(
                what=(
                    "Caption and references are parsed into scene graphs: objects, their "
                    "attributes, and relations between them. The references' graphs are merged "
                    "into one. The score is the F1 over the tuples of both graphs; two tuples "
                    "match if all their slots share a word or a WordNet synset."
                ),
                misses=(
                    "Grammar and fluency: a list of the right nouns does well. Sounds described "
                    'in other words ("water pours", "rain falls"). What the parser misreads. The '
                    "parser is our own, not the Java one: values agree with the original's "
                    "overall, not caption by caption (docs/reference/spice.md)."
                ),
                clip="hall.wav",
                steps=graph_steps,
            ),
        ),
    ),
)
