"""Scene graphs of the captions of a run, each made once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from earmark.captions import References
from earmark.metrics.family import Arrays
from earmark.metrics.spice.graph import MergedGraph, SceneGraph, merge
from earmark.metrics.spice.rules import RuleSet, scene_graph
from earmark.runtime import Heartbeat
from earmark.text.arrays import pack_strings, unpack_strings
from earmark.text.parse import parse, parse_ahead
from earmark.text.parser import Parser, normalise
from earmark.workspace import Workspace

# The parser that reads captions for each rule set; signatures name it. SPICE keeps the general
# one: read rightly, more tuples match, and its values leave those that are published.
PARSERS: Mapping[RuleSet, Parser] = {
    "spice": "general",
    "plus": "captions",
    "plus_both": "captions",
}


@dataclass(frozen=True, slots=True)
class ReferenceGraphs:
    """One merged graph per clip."""

    clips: tuple[MergedGraph, ...]

    def dump(self) -> Arrays:
        """Turn the graphs into arrays."""
        text, lengths = pack_strings([graph.to_json() for graph in self.clips])
        return {"graphs": text, "graph_lengths": lengths}

    @classmethod
    def load(cls, arrays: Arrays) -> "ReferenceGraphs":
        """Read what ``dump`` wrote."""
        rows = unpack_strings(
            np.asarray(arrays["graphs"], np.uint8), np.asarray(arrays["graph_lengths"], np.int64)
        )
        return cls(tuple(MergedGraph.from_json(row) for row in rows))


def caption_graphs(
    captions: Sequence[str],
    rule_set: RuleSet,
    workspace: Workspace,
    *,
    parser: Parser | None = None,
    heartbeat: Heartbeat | None = None,
) -> list[SceneGraph]:
    """Scene graph of each caption, in order, every distinct one made once.

    Read by the parser of the rule set, unless another is given.
    """
    reads = parser or PARSERS[rule_set]
    return workspace.computed_once(
        f"scene_graphs:{rule_set}:{reads}",
        parser_texts(captions, rule_set, workspace),
        lambda new: [
            scene_graph(tokens, rule_set)
            for tokens in parse(new, workspace, dressed=False, parser=reads, heartbeat=heartbeat)
        ],
    )


def graphs_ahead(
    captions: Sequence[str],
    rule_set: RuleSet,
    workspace: Workspace,
    *,
    parser: Parser | None = None,
) -> None:
    """Hand captions to the process that parses, if the workspace has one."""
    if workspace.parsing is not None:
        texts = parser_texts(captions, rule_set, workspace)
        parse_ahead(texts, workspace, dressed=False, parser=parser or PARSERS[rule_set])


def parser_texts(captions: Sequence[str], rule_set: RuleSet, workspace: Workspace) -> list[str]:
    """Texts that the parser reads.

    For SPICE that is what COCO's pipeline hands to the original program: tokens in
    lower case without punctuation. SPICE+ came with a better parse, so it reads sentences.
    """
    if rule_set == "spice":
        return [" ".join(tokens) for tokens in workspace.tokens(captions)]
    return [normalise(caption) for caption in captions]


def merged(graphs: Sequence[SceneGraph], rule_set: RuleSet) -> MergedGraph:
    """Merge the graphs of one side of a clip as the rule set has it."""
    return merge(graphs, spread_of=rule_set == "plus_both")


def reference_graphs(
    references: References,
    rule_set: RuleSet,
    workspace: Workspace,
    *,
    parser: Parser | None = None,
    heartbeat: Heartbeat | None = None,
) -> ReferenceGraphs:
    """Merged graph of every clip; ``heartbeat`` is called while captions are parsed."""
    caption_graphs(references.captions, rule_set, workspace, parser=parser, heartbeat=heartbeat)
    return ReferenceGraphs(
        tuple(
            merged(caption_graphs(clip.references, rule_set, workspace, parser=parser), rule_set)
            for clip in references.clips
        )
    )
