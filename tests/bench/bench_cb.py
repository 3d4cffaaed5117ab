"""Write CB-score's numbers beside the literature's: the tables of docs/reference/cb_score.md.

    python -m tests.bench.bench_cb [--write]

For people, each reference in turn is the candidate against the others: the mean of all, and
the lowest and the highest of ten draws of one reference per clip, which is what the paper did.
Readings are those of what the paper leaves open.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References, read_references
from earmark.captions.corpus import one_reference_against_others
from earmark.metrics.cb.events import find_events
from earmark.metrics.cb.metric import STRATEGIES, count_mentions, share_of_ideal
from earmark.metrics.cb.vocabulary import Vocabulary, load_vocabulary
from earmark.pipeline import score_family
from earmark.text.parse import parse
from earmark.workspace import Workspace
from tests.bench.data import stop_without
from tests.bench.tables import arguments, indented, table, tell
from tests.earmark.cb_captions import REFERENCES, TABLE_1, TABLE_2
from tests.earmark.corpora import SYSTEMS, published

AUDIOCAPS = "audiocaps/test.csv"
DRAWS = range(10)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One system, or one human, over one corpus."""

    label: str
    candidates: Candidates
    references: References


def human(label: str, references: References, seed: int) -> Row:
    """Take one reference of each clip for the candidate, drawn with the seed (bench_sbf)."""
    return Row(label, *one_reference_against_others(references, seed=seed))


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; ``changed`` alters the vocabulary."""

    label: str
    depth: int = 2
    senses: int = 2
    relevance: str = "frequency"
    unmatched: bool = True
    changed: Callable[[Vocabulary], Vocabulary] = lambda one: one


def cut(levels: int) -> Callable[[Vocabulary], Vocabulary]:
    """Count every class as its ancestor so many levels below the root, a source or not."""

    def changed(one: Vocabulary) -> Vocabulary:
        def ancestor(class_id: str) -> str:
            chain = [class_id]
            while parents := one.classes[chain[-1]].parents:
                chain.append(parents[0])
            return chain[max(len(chain) - 1 - levels, 0)]

        events = {class_id: ancestor(class_id) for class_id in one.classes}
        return replace(one, events=events, shared=frozenset())

    return changed


def apart(one: Vocabulary) -> Vocabulary:
    """A class and one above it in the same caption are two events."""
    return replace(one, above=dict.fromkeys(one.classes, frozenset()))


READINGS = (
    Reading("as defined"),
    Reading("relevance tfidf", relevance="tfidf"),
    Reading("depth 1", depth=1),
    Reading("depth 3", depth=3),
    Reading("senses 1", senses=1),
    Reading("senses 4", senses=4),
    Reading("a class and one above it are two events", changed=apart),
    Reading("every class cut at 1, a source or not", changed=cut(1)),
    Reading("every class cut at 2", changed=cut(2)),
    Reading("every class cut at 2, and two events", changed=lambda one: apart(cut(2)(one))),
    Reading("every class cut at 3", changed=cut(3)),
    Reading("every class cut at 3, and two events", changed=lambda one: apart(cut(3)(one))),
    Reading("classes never cut", changed=cut(9)),
    Reading("names of classes only", changed=lambda one: replace(one, related={})),
    Reading("unmatched words are no events", unmatched=False),
)
HEAD = (
    ("reading", "2022 baseline", "at 0", "at 1", "no event", "one", "human, Clotho", "at 0", "at 1",
     "human, AudioCaps", "at 1"),
    ("literature", ".49 (.46 to .51)", "33 %", "27 %", "6 %", "45 %", ".64 (.62 to .66)", "17 %",
     "about 40 %", ".76 (.75 to .78)", "about 40 %"),
)  # fmt: skip


class Read:
    """Captions by one reading; every caption is parsed once for all of them."""

    def __init__(self, reading: Reading, workspace: Workspace) -> None:
        vocabulary = load_vocabulary(depth=reading.depth, senses=reading.senses)
        self.reading = reading
        self.workspace = workspace
        self.vocabulary = reading.changed(vocabulary)
        self.known: dict[str, frozenset[str]] = {}

    def keys(self, captions: Sequence[str]) -> list[frozenset[str]]:
        """Events of each caption."""
        new = [text for text in dict.fromkeys(captions) if text not in self.known]
        for text, parsed in zip(new, parse(new, self.workspace), strict=True):
            events = find_events(parsed, self.vocabulary, senses=self.reading.senses)
            self.known[text] = frozenset(
                event.key
                for event in events
                if self.reading.unmatched or event.match != "unmatched"
            )
        return [self.known[text] for text in captions]

    def scores(self, row: Row) -> Floats:
        """CB-score of each clip; NaN without events in the references."""
        mentions = [count_mentions(self.keys(clip.references)) for clip in row.references.clips]
        tables = STRATEGIES[self.reading.relevance](mentions, mentions)
        events = self.keys(row.candidates.first)
        pairs = zip(events, tables, strict=True)
        return np.array([share_of_ideal(keys, table, len(keys)) for keys, table in pairs])


def in_turn(told: References) -> list[Row]:
    """Take the first reference of each clip for the candidate, then the second and so on."""
    rows = []
    for place in range(len(told.clips[0].references)):
        said = [clip.references[place] for clip in told.clips]
        others = [
            (clip.file_name, [*clip.references[:place], *clip.references[place + 1 :]])
            for clip in told.clips
        ]
        rows.append(Row(f"reference {place}", Candidates.single(said), References.build(others)))
    return rows


def drawn_means(scores: Floats) -> list[float]:
    """Means of ten draws of one reference per clip; ``scores`` has a row per reference."""
    means = []
    for seed in DRAWS:
        random = Random(seed)
        rows = [random.randrange(len(scores)) for _ in range(scores.shape[1])]
        means.append(float(np.nanmean(scores[rows, range(scores.shape[1])])))
    return means


def reading_row(read: Read, system: Row, people: Sequence[Sequence[Row]]) -> list[str]:
    """Write a row of the table of readings."""
    values = read.scores(system)
    values = values[~np.isnan(values)]
    half = 1.96 * values.std(ddof=1) / len(values) ** 0.5
    cells = [read.reading.label, f"{values.mean():.3f} ± {half:.3f}"]
    counts = np.array(list(map(len, read.keys(system.candidates.first))))
    cells += [
        f"{100 * s.mean():.0f} %" for s in (values == 0, values == 1, counts == 0, counts == 1)
    ]
    for place, turns in enumerate(people):
        scores = np.array([read.scores(row) for row in turns])
        means = drawn_means(scores)
        every = scores[~np.isnan(scores)]
        cells.append(f"{every.mean():.3f} ({min(means):.3f} to {max(means):.3f})")
        shares = [every == 0, every == 1][place:]  # of AudioCaps, the paper says only "at 1"
        cells += [f"{100 * share.mean():.0f} %" for share in shares]
    return cells


def paper_tables(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Write Tables 1 and 2 of the paper beside ours."""
    said = Candidates.single(list(TABLE_2))
    told = References.build((f"{i}.wav", REFERENCES) for i in range(len(TABLE_2)))
    result = score_family("cb", said, told, workspace)["cb_score"]
    details = result.details or []
    yield "table 1", table(
        ("event", "references", "relevance", "printed"),
        (
            (row["event"], row["references"], f"{row['relevance']:.2f}",
             f"{TABLE_1[row['event']][1]:.2f}")
            for row in details[0]["relevance"]
        ),
    )  # fmt: skip
    yield "table 2", table(
        ("caption", "events", "cb_score", "printed"),
        (
            (text, ", ".join(dict.fromkeys(event["event"] for event in clip["candidate"])),
             f"{value:.2f}", f"{printed:.2f}")
            for clip, value, (text, (_, printed)) in zip(
                details, result.per_clip, TABLE_2.items(), strict=True
            )
        ),
    )  # fmt: skip


def system_tables(data: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Write a row for each published system, and the signatures."""
    rows, signatures = [], set()
    for system in SYSTEMS:
        results = score_family("cb", *published(data, system), workspace)
        one, recall = results["cb_score"], results["cb_recall"].value
        interval = f"{one.interval.low:.3f} to {one.interval.high:.3f}"
        covered = f"{one.coverage} of {len(one.per_clip)}"
        rows.append((system, f"{one.value:.3f} ({interval})", f"{recall:.3f}", covered))
        signatures |= {result.signature for result in results.values()}
    yield "systems", table(("system", "cb_score (95 %)", "cb_recall", "clips with a value"), rows)
    yield "signatures", indented(signatures)


def readings(data: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Write a row for each reading of what the paper leaves open."""
    system = Row(SYSTEMS[0], *published(data, SYSTEMS[0]))
    audiocaps = read_references((data / AUDIOCAPS).read_bytes(), file_name=AUDIOCAPS)
    if audiocaps.value is None:
        raise ValueError(f"{AUDIOCAPS}: {audiocaps.errors[0]}")
    people = [in_turn(told) for told in (system.references, audiocaps.value)]
    rows = (reading_row(Read(reading, workspace), system, people) for reading in READINGS)
    yield "readings", table(HEAD[0], (HEAD[1], *rows))


def main() -> None:
    """Write the paper's tables, the systems and the readings."""
    parsed = arguments(__doc__ or "").parse_args()
    stop_without(parsed.data / "systems")
    workspace = Workspace(details=True)
    made = chain(
        paper_tables(workspace),
        system_tables(parsed.data, workspace),
        readings(parsed.data, workspace),
    )
    tell({f"bench_cb: {name}": text for name, text in made}, write=parsed.write)


if __name__ == "__main__":
    main()
