"""SPICE: tuples of scene graphs in common with the references.

Source: Anderson et al., SPICE, ECCV 2016. ``Spice`` is also the class of SPICE+
but for the rules by which captions become tuples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.errors import UnusableParameter
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.spice import FAMILY
from earmark.metrics.spice.graph import SceneTuple, split_matched
from earmark.metrics.spice.graphs import (
    PARSERS,
    ReferenceGraphs,
    caption_graphs,
    graphs_ahead,
    merged,
    reference_graphs,
)
from earmark.metrics.spice.rules import VERSIONS, RuleSet
from earmark.read_ahead import TextsAhead
from earmark.results import Details, MetricScore
from earmark.text.parser import Parser, parser_identity
from earmark.workspace import Workspace

EVERY = 100  # clips between two reports of progress


@dataclass(frozen=True, slots=True)
class TupleMatch:
    """Tuples of a candidate, matched or invented, and those of the references that it misses."""

    matched: tuple[SceneTuple, ...]
    invented: tuple[SceneTuple, ...]
    missed: tuple[SceneTuple, ...]
    references: int

    @property
    def f1(self) -> float:
        """F1 of precision and recall, both by matched candidate tuples; 0 where a side is empty.

        Matching is not one to one; recall stops at 1.
        """
        total = len(self.matched) + len(self.invented)
        if not self.matched or not self.references:
            return 0.0
        precision = len(self.matched) / total
        recall = min(1.0, len(self.matched) / self.references)
        return 2 * precision * recall / (precision + recall)


class Spice:
    """F1 over the tuples of the caption's scene graph against the references' merged one.

    ``parser`` reads the captions: "general", with which the values are those that are
    published, or "captions", which is tuned on captions and misreads fewer. Raises
    ``UnusableParameter``.
    """

    name = "spice"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spice",)
    rule_set: RuleSet = "spice"

    def __init__(self, *, parser: str = PARSERS["spice"]) -> None:
        usable: Mapping[str, Parser] = {"general": "general", "captions": "captions"}
        if parser not in usable:
            raise UnusableParameter(self.name, "parser", parser, '"general" or "captions"')
        self._parser = usable[parser]

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the rules, the parser with the hash of its weights, and what matches."""
        return {
            "rules": f"{self.rule_set}-{VERSIONS[self.rule_set]}",
            "parser": parser_identity(self._parser),
            "match": "word+synset",
        }

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Hand captions to the process that parses."""
        graphs_ahead(texts.captions, self.rule_set, workspace, parser=self._parser)

    def prepare(self, references: References, workspace: Workspace) -> ReferenceGraphs:
        """Parse the references and merge their graphs; progress stays at 0 clips meanwhile."""
        heartbeat = workspace.waiting(self.name, len(references))
        return reference_graphs(
            references, self.rule_set, workspace, parser=self._parser, heartbeat=heartbeat
        )

    def dump(self, prepared: ReferenceGraphs) -> Arrays:
        """Turn what was prepared into arrays."""
        return prepared.dump()

    def load(self, arrays: Arrays) -> ReferenceGraphs:
        """Read what ``dump`` wrote."""
        return ReferenceGraphs.load(arrays)

    def chosen(
        self, prepared: ReferenceGraphs, references: References, places: Sequence[int]
    ) -> ReferenceGraphs:
        """Graphs of some clips."""
        return ReferenceGraphs(tuple(prepared.clips[place] for place in places))

    def match(
        self, captions: Sequence[str], prepared: ReferenceGraphs, workspace: Workspace
    ) -> list[TupleMatch]:
        """Match the graph of one caption per clip with the clip's references."""
        clips = len(captions)
        heartbeat = workspace.waiting(self.name, clips)
        graphs = caption_graphs(
            captions, self.rule_set, workspace, parser=self._parser, heartbeat=heartbeat
        )
        matches = []
        for i, (graph, clip) in enumerate(zip(graphs, prepared.clips, strict=True)):
            mine = merged([graph], self.rule_set).graph.tuples
            matches.append(match_tuples(mine, clip.graph.tuples))
            if i % EVERY == 0:
                workspace.progress(self.name, i, clips)
        workspace.progress(self.name, clips, clips)
        return matches

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: ReferenceGraphs,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        matches = self.match(candidates.first, prepared, workspace)
        scores = f1_scores(matches)
        details = match_details(matches) if workspace.details else None
        return {self.name: mean_score(self, self.name, scores, references, details)}


def match_tuples(mine: Sequence[SceneTuple], theirs: Sequence[SceneTuple]) -> TupleMatch:
    """Part the tuples of both sides into matched, invented and missed."""
    matched, invented = split_matched(mine, theirs)
    _, missed = split_matched(theirs, mine)
    return TupleMatch(tuple(matched), tuple(invented), tuple(missed), len(theirs))


def f1_scores(matches: Sequence[TupleMatch]) -> NDArray[np.float64]:
    """F1 per clip, shape (clips,)."""
    return np.array([match.f1 for match in matches], np.float64)


def match_details(matches: Sequence[TupleMatch]) -> Details:
    """List per clip the tuples matched, missed and invented."""
    return [
        {
            "matched": [list(row) for row in match.matched],
            "missed": [list(row) for row in match.missed],
            "invented": [list(row) for row in match.invented],
        }
        for match in matches
    ]
