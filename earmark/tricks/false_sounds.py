"""In how many cases each metric rises when a sound that is not there is added to a caption.

``earmark/resources/tricks/README.md`` says how the file of what was measured is written.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from random import Random

import numpy as np

from earmark.captions import Candidates, References
from earmark.captions.corpus import one_reference_against_others
from earmark.pipeline import Parameters, score
from earmark.registry import METRICS
from earmark.results import MetricScore
from earmark.text.porter2 import stem
from earmark.text.ptb import tokenize
from earmark.tricks.events import events_of, with_event
from earmark.tricks.measuring import RESULTS_FILE as TRICKS_FILE
from earmark.workspace import Workspace

RESULTS_FILE = TRICKS_FILE.with_name("false_sounds.json")
# A smaller change is one of the computation, not of the caption.
CHANGE = 1e-4
SEED = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """In how many cases a metric is better, and in how many worse, with the false sound.

    ``cases`` are those of which the metric says something.
    """

    better: int
    worse: int
    cases: int

    @property
    def percent(self) -> float:
        """Per cent of the cases in which it is better; NaN without cases."""
        return 100 * self.better / self.cases if self.cases else math.nan

    @property
    def percent_worse(self) -> float:
        """Per cent of the cases in which it is worse; NaN without cases."""
        return 100 * self.worse / self.cases if self.cases else math.nan


@dataclass(frozen=True, slots=True)
class MetricChanges:
    """A metric's changes for captions of people and of a system; the signature of the latter."""

    name: str
    signature: str
    human: Changes
    system: Changes

    @property
    def percent(self) -> float:
        """Per cent of all cases in which it is better."""
        return Changes(
            self.human.better + self.system.better, 0, self.human.cases + self.system.cases
        ).percent


@dataclass(frozen=True, slots=True)
class FalseSoundResults:
    """All metrics, in registry order; the files of the system's captions and of the references."""

    candidates: str
    references: str
    metrics: Mapping[str, MetricChanges]


def with_false_sounds(
    captions: Sequence[str], references: References, events: Sequence[str], *, seed: int = SEED
) -> list[str]:
    """The captions, each with one of ``events`` that is not in its clip; seeded.

    The event has at least two words that carry meaning, none of which stands, in any form, in
    the caption or its references. Where there is none, the caption stays as it is.
    """
    rng = Random(seed)  # noqa: S311 a choice of examples, no secret
    meanings = {event: _meaning([event]) for event in events}
    usable = [event for event, words in meanings.items() if len(words) > 1]
    altered = []
    for caption, clip in zip(captions, references.clips, strict=True):
        meant = _meaning([caption, *clip.references])
        drawn = rng.sample(usable, len(usable))
        event = next((event for event in drawn if not meanings[event] & meant), None)
        altered.append(caption if event is None else with_event(caption, event, rng))
    return altered


def _meaning(captions: Sequence[str]) -> frozenset[str]:
    """Stems of the words that carry meaning."""
    from spacy.lang.en.stop_words import STOP_WORDS

    words = (word for caption in captions for word in tokenize(caption))
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)


def measure_false_sounds(
    candidates: Candidates,
    references: References,
    metrics: Sequence[str],
    workspace: Workspace,
    parameters: Parameters | None = None,
) -> tuple[dict[str, MetricChanges], dict[str, str]]:
    """Score captions without and with a false sound: a reference of each clip, and a system's.

    Raises as ``pipeline.score`` does, and ``ValueError`` where no clip has two references.
    """
    missing: dict[str, str] = {}
    events = events_of(references.captions)

    def scored(captions: Sequence[str], told: References) -> Mapping[str, MetricScore]:
        run = score(Candidates.single(captions), told, metrics, workspace, parameters)
        missing.update(run.unavailable)
        return run.results

    def changed(captions: Sequence[str], told: References) -> dict[str, tuple[Changes, str]]:
        before = scored(captions, told)
        after = scored(with_false_sounds(captions, told, events), told)
        both = (name for name in before if name in after)
        return {
            name: (_changes(before[name], after[name]), before[name].signature) for name in both
        }

    people, others = one_reference_against_others(references)
    human, system = changed(people.first, others), changed(candidates.first, references)
    results = {
        name: MetricChanges(name, signature, human[name][0], changes)
        for name, (changes, signature) in system.items()
        if name not in missing
    }
    return results, missing


def _changes(before: MetricScore, after: MetricScore) -> Changes:
    gains = after.per_clip.astype(np.float64) - before.per_clip.astype(np.float64)
    gains *= 1 if METRICS[before.name].direction == "higher" else -1
    return Changes(
        int((gains > CHANGE).sum()), int((gains < -CHANGE).sum()), int(np.isfinite(gains).sum())
    )


def results_json(results: FalseSoundResults) -> str:
    """Write what was measured as JSON, one line for each metric."""
    rows = (asdict(row) for row in results.metrics.values())
    lines = ",\n".join(f"  {json.dumps(row.pop('name'))}: {json.dumps(row)}" for row in rows)
    head = "".join(
        f" {json.dumps(key)}: {json.dumps(getattr(results, key))},\n"
        for key in ("candidates", "references")
    )
    return f'{{\n{head} "metrics": {{\n{lines}\n }}\n}}\n'


@cache
def measured_false_sounds() -> FalseSoundResults:
    """What a false sound changes on Clotho, as stored with the project."""
    stored = json.loads(RESULTS_FILE.read_text())
    rows = {
        name: MetricChanges(
            name, row["signature"], Changes(**row["human"]), Changes(**row["system"])
        )
        for name, row in stored.pop("metrics").items()
    }
    return FalseSoundResults(**stored, metrics=rows)
