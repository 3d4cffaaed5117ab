"""Scene graphs: what a caption says there is, how it is, and what relates to what.

Two of their tuples say the same where they match slot by slot, by a shared word or WordNet synset.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from earmark.metrics.meteor.lexicon import load_lexicon

SceneTuple = tuple[str, ...]

JOIN = "/"


@lru_cache(maxsize=1 << 16)
def keys(slot: str) -> frozenset[str]:
    """Keys that a slot may share with another: its words and METEOR's synsets of them.

    A slot that was merged from synonyms ("voice/sound") has the keys of each.
    """
    lexicon = load_lexicon()
    words = slot.split(JOIN)
    synsets = (lexicon.synsets(word) for word in words)
    return frozenset(f"={word}" for word in words).union(*synsets)


def slots_match(slot: str, other: str) -> bool:
    """Whether two slots share a word or a synset."""
    return not keys(slot).isdisjoint(keys(other))


def tuples_match(row: SceneTuple, other: SceneTuple) -> bool:
    """Whether two tuples have equally many slots and all of them match in turn."""
    return len(row) == len(other) and all(map(slots_match, row, other))


def split_matched(
    candidate: Iterable[SceneTuple], references: Iterable[SceneTuple]
) -> tuple[list[SceneTuple], list[SceneTuple]]:
    """Part the candidate's tuples into those with a match and those without."""
    theirs = list(references)
    matched: list[SceneTuple] = []
    invented: list[SceneTuple] = []
    for mine in candidate:
        has_match = any(tuples_match(mine, other) for other in theirs)
        (matched if has_match else invented).append(mine)
    return matched, invented


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """Objects, (object, attribute) pairs and (subject, relation, object) triples.

    Names are lemmas; a node merged from synonyms joins them by a slash, as in
    "voice/sound". Subjects and objects of relations stand in ``objects``.
    """

    objects: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()

    @property
    def tuples(self) -> tuple[SceneTuple, ...]:
        """All tuples: relations, objects, attributes."""
        return (*self.relations, *((name,) for name in self.objects), *self.attributes)

    def standing_for(self, seconds: Mapping[str, Sequence[str]]) -> "SceneGraph":
        """The graph in which B stands for A, of each A and its B, as in "group of people".

        B has what is said of A and what relates to it; A is gone, and so is "A of B".
        """

        def ends(name: str, seen: tuple[str, ...] = ()) -> list[str]:
            others = [] if name in seen else [one for one in seconds.get(name, ()) if one != name]
            return [end for one in others for end in ends(one, (*seen, name))] or [name]

        return SceneGraph(
            tuple(end for name in self.objects for end in ends(name)),
            tuple((end, value) for holder, value in self.attributes for end in ends(holder)),
            tuple(
                (a, name, b)
                for subject, name, to in self.relations
                if not (name == "of" and to in seconds.get(subject, ()))
                for a in ends(subject)
                for b in ends(to)
            ),
        ).without_repeats()

    def to_dot(self) -> str:
        """Write the graph for Graphviz: objects as boxes, attributes as ellipses."""
        lines = ["digraph scene {", "  rankdir=LR;"]
        lines += [f"  {_quoted(name)} [shape=box];" for name in self.objects]
        for name, attribute in self.attributes:
            node = _quoted(f"{name}: {attribute}")
            lines.append(f"  {node} [label={_quoted(attribute)}, shape=ellipse];")
            lines.append(f"  {_quoted(name)} -> {node} [arrowhead=none];")
        for subject, relation, to in self.relations:
            lines.append(f"  {_quoted(subject)} -> {_quoted(to)} [label={_quoted(relation)}];")
        return "\n".join([*lines, "}"])

    def without_repeats(self) -> "SceneGraph":
        """Keep the first of equal entries, and give every holder and end its object."""
        ends = [end for subject, _, to in self.relations for end in (subject, to)]
        holders = [holder for holder, _ in self.attributes]
        return SceneGraph(
            tuple(dict.fromkeys([*self.objects, *holders, *ends])),
            tuple(dict.fromkeys(self.attributes)),
            tuple(dict.fromkeys(self.relations)),
        )


@dataclass(frozen=True, slots=True)
class MergedGraph:
    """The graph of several captions, and in how many of them each tuple stands."""

    graph: SceneGraph
    support: tuple[int, ...]

    def to_json(self) -> str:
        """Write the graph and the support as one line."""
        graph = self.graph
        parts = [graph.objects, graph.attributes, graph.relations, self.support]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "MergedGraph":
        """Read what ``to_json`` wrote."""
        objects, attributes, relations, support = json.loads(text)
        graph = SceneGraph(
            tuple(objects), tuple(map(tuple, attributes)), tuple(map(tuple, relations))
        )
        return cls(graph, tuple(support))


def merge(graphs: Sequence[SceneGraph], *, spread_of: bool = False) -> MergedGraph:
    """Merge the graphs of a clip's captions into one.

    Objects that share a word or a synset become one node, directly or through
    others (so the order of the graphs does not matter to what is merged); so do
    attributes of one object and relations between the same two. ``spread_of``
    gives the attributes of A in "A of B" to B as well.
    """
    objects = _groups(name for graph in graphs for name in graph.objects)
    placed = [_renamed(graph, objects) for graph in graphs]
    if spread_of:
        placed = _spread(placed)
    attributes = _last_slot_groups([pair for graph in placed for pair in graph.attributes])
    relations = _middle_slot_groups([triple for graph in placed for triple in graph.relations])
    named = [
        SceneGraph(
            graph.objects,
            tuple((holder, attributes[holder, value]) for holder, value in graph.attributes),
            tuple((a, relations[a, name, b], b) for a, name, b in graph.relations),
        ).without_repeats()
        for graph in placed
    ]
    whole = SceneGraph(
        tuple(name for graph in named for name in graph.objects),
        tuple(pair for graph in named for pair in graph.attributes),
        tuple(triple for graph in named for triple in graph.relations),
    ).without_repeats()
    counts = [frozenset(graph.tuples) for graph in named]
    support = tuple(sum(row in tuples for tuples in counts) for row in whole.tuples)
    return MergedGraph(whole, support)


def _groups(names: Iterable[str]) -> dict[str, str]:
    """Map every name to the joined name of all that it is linked to by synonymy."""
    distinct = list(dict.fromkeys(names))
    root = {name: name for name in distinct}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for one, other in combinations(distinct, 2):
        if slots_match(one, other):
            root[find(other)] = find(one)
    members: dict[str, list[str]] = {}
    for name in distinct:
        members.setdefault(find(name), []).append(name)
    return {name: JOIN.join(sorted(members[find(name)])) for name in distinct}


def _renamed(graph: SceneGraph, objects: Mapping[str, str]) -> SceneGraph:
    return SceneGraph(
        tuple(objects[name] for name in graph.objects),
        tuple((objects[holder], value) for holder, value in graph.attributes),
        tuple((objects[a], name, objects[b]) for a, name, b in graph.relations),
    )


def _spread(graphs: Sequence[SceneGraph]) -> list[SceneGraph]:
    """Add the attributes of a whole to its parts, over all captions of the clip."""
    held: dict[str, list[str]] = {}
    for graph in graphs:
        for holder, value in graph.attributes:
            held.setdefault(holder, []).append(value)
    spread = []
    for graph in graphs:
        parts = [(a, b) for a, name, b in graph.relations if name == "of" and a != b]
        more = tuple((b, value) for a, b in parts for value in held.get(a, ()))
        spread.append(SceneGraph(graph.objects, (*graph.attributes, *more), graph.relations))
    return spread


def _last_slot_groups(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    by_holder: dict[str, list[str]] = {}
    for holder, value in pairs:
        by_holder.setdefault(holder, []).append(value)
    return {
        (holder, value): joined
        for holder, values in by_holder.items()
        for value, joined in _groups(values).items()
    }


def _middle_slot_groups(
    triples: Sequence[tuple[str, str, str]],
) -> dict[tuple[str, str, str], str]:
    by_ends: dict[tuple[str, str], list[str]] = {}
    for subject, name, to in triples:
        by_ends.setdefault((subject, to), []).append(name)
    return {
        (subject, name, to): joined
        for (subject, to), names in by_ends.items()
        for name, joined in _groups(names).items()
    }


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
