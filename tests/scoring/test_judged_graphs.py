"""Scene graphs of captions of everyday sounds, judged by a written rule: few are wrong."""

from collections import Counter

import pytest

from scoring.metrics.spice.graph import SceneGraph
from scoring.metrics.spice.graphs import caption_graphs
from scoring.metrics.spice.rules import RuleSet
from scoring.workspace import Workspace
from tests.scoring.judged_graphs import PARTS, JudgedCaption, faults, judged_captions


def test_there_are_two_hundred_captions_in_two_halves() -> None:
    captions = judged_captions()
    assert Counter(one.part for one in captions) == dict.fromkeys(PARTS, 100)
    assert len({one.caption.lower() for one in captions}) == 200


@pytest.mark.parametrize(("rule_set", "most"), [("plus_both", 0.1), ("spice", 0.6)])
@pytest.mark.parametrize("part", PARTS)
def test_few_of_the_graphs_are_wrong(part: str, rule_set: RuleSet, most: float) -> None:
    """SPICE keeps the general parser, with which its values are those that are published.

    The judgments name both of "A of B".
    """
    captions = [one for one in judged_captions() if one.part == part]
    graphs = caption_graphs([one.caption for one in captions], rule_set, Workspace())
    wrong = {
        one.caption: found
        for one, graph in zip(captions, graphs, strict=True)
        if (found := list(faults(one, graph, rule_set)))
    }
    assert len(wrong) < most * len(captions), wrong


DOG = JudgedCaption(
    "work",
    "the small dog of a man barks at a cat",
    frozenset({"dog", "man", "cat"}),
    frozenset(),
    ("dog,bark at,cat|dog,bark", "+dog,of,man", "-dog,small"),
    frozenset({("cat", "bark")}),
)
RIGHT = SceneGraph(
    ("dog", "man", "cat"),
    (("dog", "small"), ("dog", "bark")),
    (("dog", "of", "man"), ("dog", "bark at", "cat")),
)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (RIGHT, []),
        (
            SceneGraph(("dog", "man", "bark"), RIGHT.attributes, RIGHT.relations),
            ["no cat", "bark is no object"],
        ),
        (
            SceneGraph(RIGHT.objects, (), (("dog", "of", "man"),)),
            ["not said: ('dog', 'bark at', 'cat')"],
        ),
        (
            SceneGraph(RIGHT.objects, (*RIGHT.attributes, ("cat", "bark")), RIGHT.relations),
            ["denied: ('cat', 'bark')", "said of another: ('cat', 'bark')"],
        ),
        (  # what a dog of a man does may be said of the man
            SceneGraph(RIGHT.objects, (*RIGHT.attributes, ("man", "bark")), RIGHT.relations),
            [],
        ),
    ],
)
def test_faults_are_those_of_the_written_rule(graph: SceneGraph, expected: list[str]) -> None:
    assert list(faults(DOG, graph, "plus")) == expected


def test_a_rule_set_is_asked_for_its_own() -> None:
    bare = SceneGraph(("dog", "man", "cat"), (("dog", "bark"),))
    assert list(faults(DOG, bare, "spice")) == ["not said: ('dog', 'small')"]
    assert list(faults(DOG, bare, "plus")) == ["not said: ('dog', 'of', 'man')"]
