"""Write the SPICE family's numbers beside the original's, as the tables of docs/reference/spice.md.

    python -m tests.bench.bench_spice

Ten clips with the originals' tuples and scores (published with SPICE+), three published
systems on Clotho evaluation, and judged captions (tests/scoring/judged_captions.tsv).
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring.captions import Candidates, References
from scoring.metrics.spice.graph import JOIN, SceneTuple
from scoring.metrics.spice.graphs import caption_graphs, merged, parser_texts
from scoring.metrics.spice.rules import RuleSet, scene_graph
from scoring.pipeline import score_family
from scoring.text.parse import Parser, parse
from scoring.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.scoring.corpora import SYSTEMS, published
from tests.scoring.judged_graphs import PARTS, faults, judged_captions

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


def printed_row(expression: str, paper: str, workspace: Workspace) -> str:
    """One row of the table of the paper's expressions, with the tuples found now."""
    [graph] = caption_graphs([expression], "plus", workspace)
    tuples = "; ".join(",".join(row) for row in merged([graph], "plus").graph.tuples)
    return f"| {expression} | {paper} | {tuples} |"


def write_printed(workspace: Workspace) -> None:
    """Print the expressions of the paper beside our tuples."""
    sys.stdout.write("| expression | the paper | tuples of spice_plus |\n|---|---|---|\n")
    for expression, paper, _ in PRINTED:
        sys.stdout.write(f"{printed_row(expression, paper, workspace)}\n")


def write_judged(workspace: Workspace) -> None:
    """Print how many graphs of judged captions are wrong."""
    sys.stdout.write(
        "\n| wrong graphs of 100 judged captions | general parser | parser of captions |\n"
        "|---|---|---|\n"
    )
    # The judgments name both of "A of B".
    rule_sets: tuple[RuleSet, ...] = ("spice", "plus_both")
    for rule_set in rule_sets:
        for part in PARTS:
            general = wrong_graphs(part, rule_set, "general", workspace)
            tuned = wrong_graphs(part, rule_set, "captions", workspace)
            sys.stdout.write(f"| {rule_set}, {part} | {general} | {tuned} |\n")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="The SPICE family beside the originals.")
    add_data_argument(parser)
    data = parser.parse_args().data
    stop_without(data / "spice")
    workspace = Workspace(device="cpu")
    write_printed(workspace)
    sys.stdout.write(
        "\n| ten clips | tuple F1 | tuples, ours | tuples, original | correlation of scores |\n"
        "|---|---|---|---|---|\n"
    )
    for file, rule_set, metric, parameters in EXAMPLES:
        found = agreement(examples(data, file), rule_set, metric, parameters, workspace)
        sys.stdout.write(
            f"| {' '.join([metric, *parameters.values()])} | {found.tuple_f1:.3f} | {found.ours} |"
            f" {found.theirs} | {found.correlation:.3f} |\n"
        )
    sys.stdout.write(
        "\n| Clotho evaluation | spice | published | difference | within .010 | spice_plus |\n"
        "|---|---|---|---|---|---|\n"
    )
    for system in SYSTEMS:
        told = PUBLISHED[system]
        corpus = published(data, system)
        ours = score_family("spice", *corpus, workspace)["spice"].value
        plus = score_family("spice_plus", *corpus, workspace)["spice_plus"].value
        verdict = "yes" if abs(ours - told) <= WITHIN else "no"
        sys.stdout.write(
            f"| {system} | {ours:.4f} | {told:.3f} | {ours - told:+.4f} | {verdict} |"
            f" {plus:.4f} |\n"
        )
    write_judged(workspace)


if __name__ == "__main__":
    main()
