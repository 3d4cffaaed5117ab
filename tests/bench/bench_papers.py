"""Write docs/measurements/papers.md: what the five papers print, beside what comes out here.

    python -m tests.bench.bench_papers [--write]

Without ``--write`` it prints the document. Values of systems are those of the published captions
on Clotho evaluation; agreement with people is what ``earmark/resources/benchmark`` keeps. The
document ends with the signatures that its numbers have; a test compares them with today's.
``papers.toml`` has what the papers print, and by which method of ``Numbers`` ours is found.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from earmark.benchmark_results import KINDS, measured
from earmark.captions import Candidates, References, read_references
from earmark.captions.corpus import one_reference_against_others
from earmark.metrics.cb.metric import frequency, share_of_ideal
from earmark.pipeline import score_family
from earmark.registry import METRICS
from earmark.results import MetricScore
from earmark.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.earmark.corpora import published
from tests.earmark.test_sbf import TABLE_2
from tests.real_data import ROOT

DOCUMENT = ROOT / "docs" / "measurements" / "papers.md"
PRINTED = Path(__file__).with_name("papers.toml")
SIGNATURES = "## Signatures"
AUDIOCAPS = "audiocaps/test.csv"
INTRODUCTION = """# The papers' tables and figures, and ours

    python -m tests.bench.bench_papers --write

writes this document. The papers are those that Earmark stands on
([papers](../reference/papers.md)). Every table and figure of theirs is named; where there is no
number of ours, the last column says why. Ours are made with the models that come with Earmark, on
the published captions of the systems and Clotho evaluation with five references; "accuracy" is
agreement with people on AudioCaps-Eval in per cent, HC / HI / HM / MM / all.
"""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Scores on real data, each computed once; ``signatures`` are those of what was used."""

    data: Path
    workspace: Workspace = field(default_factory=lambda: Workspace(device="cpu", details=True))
    signatures: set[str] = field(default_factory=set)

    @cache  # noqa: B019 - one for each run of the program
    def corpus(self, name: str) -> tuple[Candidates, References]:
        """A system, or one human ("human_clotho", "human_audiocaps")."""
        if not name.startswith("human"):
            return published(self.data, name)
        told = published(self.data, "dcase2022_baseline")[1]
        if name == "human_audiocaps":
            read = read_references((self.data / AUDIOCAPS).read_bytes(), file_name=AUDIOCAPS).value
            assert read is not None
            told = read
        return one_reference_against_others(told, seed=0)

    @cache  # noqa: B019
    def scores(self, name: str, metric: str, **parameters: Any) -> MetricScore:
        """The score of a system by a metric."""
        family = METRICS[metric].family
        found = score_family(family, *self.corpus(name), self.workspace, **parameters)[metric]
        self.signatures.add(found.signature)
        return found

    def value(self, name: str, metric: str, **parameters: Any) -> str:
        """The corpus value of a system."""
        return f"{self.scores(name, metric, **parameters).value:.3f}"[1:]

    def thresholds(self, name: str, metric: str) -> str:
        """The same of SBF by its threshold for tags."""
        found = (self.value(name, metric, tag_threshold=one) for one in (0.4, 0.45, 0.5))
        return " / ".join(found)

    def shares(self, name: str) -> str:
        """Per cent of clips at 0 and 1, and of captions with no event and one, of ``cb_score``."""
        found = self.scores(name, "cb_score")
        covered = found.per_clip[~np.isnan(found.per_clip)]
        events = [len({row["event"] for row in clip["candidate"]}) for clip in found.details or ()]
        parts = (covered == 0, covered == 1, np.equal(events, 0), np.equal(events, 1))
        return " / ".join(f"{100 * part.mean():.0f}" for part in parts)

    def accuracy(self, metric: str) -> str:
        """Agreement with people, as it is kept."""
        row = measured().metrics[metric]
        self.signatures.add(row.signature)
        return " / ".join(f"{row.accuracies[kind].percent:.1f}" for kind in KINDS)

    def sounds(self, row: str) -> str:
        """Hits, false alarms and misses of a row of SBF's Table 2."""
        said, told = TABLE_2[int(row) - 1][0], TABLE_2[int(row) - 1][2]
        references = References.build([("0.wav", [told])])
        found = score_family("sbf", Candidates.single([said]), references, self.workspace)["sbf"]
        (details,) = found.details or ()
        sides = ("hits", "false_alarms", "misses")
        return " / ".join(
            ", ".join(one["class"] for one in details[side]) or "none" for side in sides
        )

    def relevance(self, *events: str) -> str:
        """Content-based score of events under the relevance of that paper's Table 1."""
        (table,) = frequency([{"laughing": 10, "talking": 9, "bird": 4, "car": 2}])
        return f"{share_of_ideal(set(events), table, len(events)):.2f}"[1:]

    def clips(self, name: str) -> str:
        """Clips of a corpus."""
        return f"{len(self.corpus(name)[0]):,}"


def document(numbers: Numbers) -> Iterator[str]:
    """Write the document."""
    yield INTRODUCTION
    for paper in tomllib.loads(PRINTED.read_text())["paper"]:
        yield f"\n## {paper['name']}\n\n| where | what | printed | ours | difference |\n"
        yield "|---|---|---|---|---|\n"
        for row in paper["row"]:
            how, *arguments = row.get("ours", "").split() or [""]
            ours = getattr(numbers, how)(*arguments) if how else ""
            told = [row.get(key, "") for key in ("where", "what", "printed")]
            yield f"| {' | '.join((*told, ours, row.get('word', '')))} |\n"
    yield f"\n{SIGNATURES}\n\n"
    yield from (f"    {signature}\n" for signature in sorted(numbers.signatures))


def main() -> None:
    """Compute and write."""
    parser = argparse.ArgumentParser(description="What the papers print beside ours.")
    add_data_argument(parser)
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT.name}")
    arguments = parser.parse_args()
    stop_without(arguments.data / "systems")
    text = "".join(document(Numbers(arguments.data)))
    if arguments.write:
        DOCUMENT.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
