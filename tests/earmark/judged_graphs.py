"""Captions with what their scene graphs have to say, and what a graph has wrong of it.

The file says what a right graph is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from earmark.metrics.spice.graph import SceneGraph, SceneTuple
from earmark.metrics.spice.rules import RuleSet

FILE = Path(__file__).parent / "judged_captions.tsv"
PARTS = ("work", "unseen")
_OTHER_SET: dict[RuleSet, str] = {"spice": "+", "plus": "-", "plus_both": "-"}


@dataclass(frozen=True, slots=True)
class JudgedCaption:
    """A caption and its judgment: each of ``said`` is a list of readings of which one is enough."""

    part: str
    caption: str
    objects: frozenset[str]
    optional: frozenset[str]
    said: tuple[str, ...]
    denied: frozenset[SceneTuple]

    def readings(self, rule_set: RuleSet) -> list[list[SceneTuple]]:
        """What a rule set has to find."""
        asked = (text for text in self.said if not text.startswith(_OTHER_SET[rule_set]))
        return [[_tuple(one) for one in text.lstrip("+-").split("|")] for text in asked]


def judged_captions() -> list[JudgedCaption]:
    """All captions of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [_caption(line.split("\t")) for line in lines if line and not line.startswith("#")]


def _caption(fields: list[str]) -> JudgedCaption:
    part, caption, objects, said, denied = [*fields, *[""] * (5 - len(fields))]
    names = _parts(objects, ",")
    return JudgedCaption(
        part,
        caption,
        frozenset(name for name in names if not name.startswith("?")),
        frozenset(name[1:] for name in names if name.startswith("?")),
        tuple(_parts(said, ";")),
        frozenset(map(_tuple, _parts(denied, ";"))),
    )


def _parts(text: str, mark: str) -> list[str]:
    return [part.strip() for part in text.split(mark) if part.strip()]


def _tuple(text: str) -> SceneTuple:
    return tuple(text.split(","))


def faults(judged: JudgedCaption, graph: SceneGraph, rule_set: RuleSet) -> Iterator[str]:
    """What a graph has wrong, in words; nothing where it is right."""
    objects, tuples = set(graph.objects), set(graph.tuples)
    for name in sorted(judged.objects - objects):
        yield f"no {name}"
    for name in sorted(objects - judged.objects - judged.optional):
        yield f"{name} is no object"
    readings = judged.readings(rule_set)
    for choice in readings:
        if tuples.isdisjoint(choice):
            yield f"not said: {choice[0]}"
    yield from (f"denied: {row}" for row in sorted(judged.denied & tuples))
    yield from (f"said of another: {row}" for row in _misplaced(readings, graph))


def _misplaced(readings: Iterable[Iterable[SceneTuple]], graph: SceneGraph) -> Iterator[SceneTuple]:
    """Tuples that say of another thing what the readings say of theirs; "of" relates many."""
    subjects: dict[str, set[str]] = {}
    for row in (row for choice in readings for row in choice):
        subjects.setdefault(row[1].split()[0], set()).add(row[0])
    wholes = {(a, b) for a, name, b in graph.relations if name == "of"}
    for row in (*graph.attributes, *graph.relations):
        right = subjects.get(row[1].split()[0], set())
        shares = any((one, row[0]) in wholes or (row[0], one) in wholes for one in right)
        if right and row[0] not in right and row[1] != "of" and not shares:
            yield row
