"""Write the SPICE family's numbers beside the original's, as the tables of docs/reference/spice.md.

    python -m tests.bench.bench_spice [--write]

Ten clips with the originals' tuples and scores (published with SPICE+), three published
systems on Clotho evaluation, and judged captions (tests/earmark/judged_captions.tsv).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from earmark.benchmark import human_agreement, read_judgments
from earmark.benchmark_results import KINDS
from earmark.captions import Candidates, References
from earmark.metrics.spice.graph import JOIN, SceneTuple
from earmark.metrics.spice.graphs import caption_graphs, merged, parser_texts
from earmark.metrics.spice.rules import RuleSet, scene_graph
from earmark.pipeline import score_family
from earmark.text.parse import parse
from earmark.text.parser import Parser
from earmark.workspace import Workspace
from tests.bench.data import stop_without
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.corpora import SYSTEMS, published
from tests.earmark.judged_graphs import PARTS, faults, judged_captions

# (file, rule set, the metric whose scores the file has, its parameters): the authors' examples keep
# both of "A of B".
EXAMPLES: tuple[tuple[str, RuleSet, str, dict[str, str]], ...] = (
    ("spice_examples", "spice", "spice", {}),
    ("spicep_examples", "plus_both", "spice_plus_emb", {"of_phrases": "both"}),
    ("spicep_examples", "plus", "spice_plus_emb", {}),
)
# Expressions that sections 2.1 and 2.2 of SPICE+ print, what they say of each, and our tuples.
PRINTED: tuple[tuple[str, str, str], ...] = (
    ("rain continues to pour", "the open complement is handled", "rain; rain,continue to pour"),
    ("a radio is being played", "so is the subject of a passive", "radio; radio,play"),
    ("people talking", "so is a clause on a noun", "people; people,talk"),
    (
        "men and women are talking and laughing",
        "nodes man and woman, each with talk and laugh",
        "man; woman; man,talk; woman,talk; man,laugh; woman,laugh",
    ),
    ("group of people", "what is said of the group is people's", "people"),
    ("body of water", "what is said of the body is water's", "water"),
    (
        "a metal tube clanging",
        "comparable with the next, no word in common",
        "tube; tube,metal; tube,clang",
    ),
    ("something hitting a pipe", "", "something,hit,pipe; something; pipe"),
)
PUBLISHED = {"dcase2023_baseline": 0.119, "dcase2022_baseline": 0.106, "audiocaption": 0.082}
WITHIN = 0.010


@dataclass(frozen=True)
class Agreement:
    """Ten clips: mean F1 of tuples (captions and references), counts, correlation of scores."""

    tuple_f1: float
    ours: int
    theirs: int
    correlation: float


def same(one: SceneTuple, other: SceneTuple) -> bool:
    """Say whether two tuples share a word in every slot."""
    return len(one) == len(other) and all(
        set(a.split(JOIN)) & set(b.split(JOIN)) for a, b in zip(one, other, strict=True)
    )


def tuple_f1(mine: set[SceneTuple], theirs: set[SceneTuple]) -> float:
    """F1 of two sets of tuples."""
    kept = sum(any(same(row, other) for other in theirs) for row in mine)
    found = sum(any(same(row, other) for other in mine) for row in theirs)
    return 2 * kept * found / (kept * len(theirs) + found * len(mine)) if kept else 0.0


def examples(data: Path, file: str) -> list[dict[str, Any]]:
    """Read the ten clips of one of the originals."""
    rows: list[dict[str, Any]] = json.loads((data / "spice" / f"{file}.json").read_text())
    return rows


def sides(row: dict[str, Any]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """(captions, the original's tuples) of the candidate and of the references."""
    yield [row["test_caps"]], row["test_tups"]
    yield row["ref_caps"], row["ref_tups"]


def agreement(
    rows: list[dict[str, Any]],
    rule_set: RuleSet,
    metric: str,
    parameters: dict[str, str],
    workspace: Workspace,
) -> Agreement:
    """Compare tuples and scores with the original's."""
    scores: list[float] = []
    ours = theirs = 0
    for captions, told in (side for row in rows for side in sides(row)):
        graphs = caption_graphs(captions, rule_set, workspace)
        mine = set(merged(graphs, rule_set).graph.tuples)
        other: set[SceneTuple] = {tuple(text.split(",")) for text in told}
        scores.append(tuple_f1(mine, other))
        ours, theirs = ours + len(mine), theirs + len(other)
    references = References.build((str(row["example_id"]), row["ref_caps"]) for row in rows)
    said = Candidates.single([row["test_caps"] for row in rows])
    found = score_family(metric, said, references, workspace, **parameters)[metric].per_clip
    expected = [row["scores"]["F"] for row in rows]
    return Agreement(
        float(np.mean(scores)), ours, theirs, float(np.corrcoef(found, expected)[0, 1])
    )


def wrong_graphs(part: str, rule_set: RuleSet, parser: Parser, workspace: Workspace) -> int:
    """Count the wrong graphs of one half of the judged captions, with either parser."""
    captions = [one for one in judged_captions() if one.part == part]
    texts = parser_texts([one.caption for one in captions], rule_set, workspace)
    parses = parse(texts, workspace, dressed=False, parser=parser)
    return sum(
        any(faults(one, scene_graph(tokens, rule_set), rule_set))
        for one, tokens in zip(captions, parses, strict=True)
    )


def printed_row(expression: str, paper: str, workspace: Workspace) -> tuple[str, ...]:
    """One row of the table of the paper's expressions, with the tuples found now."""
    [graph] = caption_graphs([expression], "plus", workspace)
    tuples = "; ".join(",".join(row) for row in merged([graph], "plus").graph.tuples)
    return expression, paper, tuples


def printed(workspace: Workspace) -> str:
    """Write the expressions of the paper beside our tuples."""
    rows = (printed_row(expression, paper, workspace) for expression, paper, _ in PRINTED)
    return table(("expression", "the paper", "tuples of spice_plus"), rows)


def judged(workspace: Workspace) -> str:
    """Write how many graphs of judged captions are wrong."""
    head = ("wrong graphs of 100 judged captions", "general parser", "parser of captions")
    # The judgments name both of "A of B".
    rule_sets: tuple[RuleSet, ...] = ("spice", "plus_both")
    rows = (
        (
            f"{rule_set}, {part}",
            wrong_graphs(part, rule_set, "general", workspace),
            wrong_graphs(part, rule_set, "captions", workspace),
        )
        for rule_set in rule_sets
        for part in PARTS
    )
    return table(head, rows)


def ten_clips(data: Path, workspace: Workspace) -> Iterator[tuple[object, ...]]:
    """Write the table of the ten clips."""
    yield "ten clips", "tuple F1", "tuples, ours", "tuples, original", "correlation of scores"
    for file, rule_set, metric, parameters in EXAMPLES:
        found = agreement(examples(data, file), rule_set, metric, parameters, workspace)
        yield (
            " ".join([metric, *parameters.values()]),
            f"{found.tuple_f1:.3f}",
            found.ours,
            found.theirs,
            f"{found.correlation:.3f}",
        )


def systems(
    data: Path, workspace: Workspace, signatures: list[str]
) -> Iterator[tuple[object, ...]]:
    """Write the table of the published systems."""
    yield "Clotho evaluation, spice", "ours", "published", "difference", "within .010"
    for system in SYSTEMS:
        told = PUBLISHED[system]
        found = score_family("spice", *published(data, system), workspace)["spice"]
        signatures.append(found.signature)
        verdict = "yes" if abs(found.value - told) <= WITHIN else "no"
        difference = f"{found.value - told:+.4f}"
        yield system, f"{found.value:.4f}", f"{told:.3f}", difference, verdict


def people(data: Path, workspace: Workspace, signatures: list[str]) -> Iterator[tuple[object, ...]]:
    """Write the agreement with people of both readings of "A of B"."""
    judgments = read_judgments((data / "benchmark" / "audiocaps_eval.json").read_bytes())
    names = ("spice_plus", "spice_plus_emb")
    yield "AudioCaps-Eval", *KINDS
    for reading in ("", "both"):
        chosen = {name: {"of_phrases": reading} for name in names} if reading else {}
        found = human_agreement(judgments, names, workspace, chosen)
        signatures += found.signatures.values()
        for name, one in found.accuracies.items():
            shares = (f"{one[kind].percent:.1f}" for kind in KINDS)
            yield f"{name} {reading}".strip(), *shares


def main() -> None:
    """Write all tables."""
    parsed = arguments(__doc__ or "").parse_args()
    data: Path = parsed.data
    stop_without(data / "spice")
    workspace = Workspace(device="cpu")
    signatures: list[str] = []
    rows = {
        "ten clips": ten_clips(data, workspace),
        "systems": systems(data, workspace, signatures),
        "people": people(data, workspace, signatures),
    }
    made = {name: table(next(some), some) for name, some in rows.items()}
    made |= {"expressions": printed(workspace), "judged": judged(workspace)}
    made["signatures"] = indented(signatures)
    tell({f"bench_spice: {name}": text for name, text in made.items()}, write=parsed.write)


if __name__ == "__main__":
    main()
