"""Computing every metric of one caption, in the web process, one caption at a time."""

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from time import monotonic, thread_time
from typing import Any

from django.conf import settings

from leaderboard.places import without_places
from leaderboard.selectors.labellers import labeller_path_in_use
from leaderboard.selectors.progress import family_label
from leaderboard.services.trying.ahead import read_ahead
from leaderboard.services.trying.texts import TryTexts
from leaderboard.services.trying.workspace import TryWorkspace
from scoring.captions import References
from scoring.details import json_ready
from scoring.errors import ScoringError
from scoring.explanations.example import example_corpus
from scoring.pipeline import Scores, Unavailable, score
from scoring.registry import FAMILIES, METRICS, MetricInfo, families_of, metrics_for, metrics_of

# Who comes while another's caption is computed waits so long, and so many may wait: each
# holds a thread of the server meanwhile.
WAIT_SECONDS = 4.0
RETRY_SECONDS = 5
# Page and API count together.
RATE_GROUP = "leaderboard.try"
DOCUMENTS = "the references of the packaged example, 6 clips"
MOST_WAITING = 2
METRICS_OF_ACES = tuple(info.name for info in metrics_of("aces"))
KEPT_REPORTS = 64
# What is tokenised, parsed and embedded is kept, as the next caption mostly has the same
# references; after so many captions it is dropped, so that it does not grow for ever.
WORKSPACE_USES = 32
# Rare words are split into so many pieces that a text of the length allowed takes long; what is
# not computed after so long is given up. Seconds of the processor bound what one person can take
# from others, seconds of the clock how long the next has to wait on a busy machine. Models may
# load for longer, which they do once.
MOST_PROCESSOR_SECONDS, MOST_SECONDS, MOST_SECONDS_COLD = 3.0, 8.0, 120.0


class Busy(Exception):
    """Others' captions are being computed; ``str`` says what to do."""

    def __init__(self) -> None:
        super().__init__("Other captions are being computed just now. Try again in a moment.")


class TookTooLong(ScoringError):
    """Texts that take too long to compute; what was computed until then stands."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The metrics were not all computed in {seconds:g} seconds. Shorten the caption or the "
            "references."
        )


@dataclass(frozen=True, slots=True)
class TriedMetric:
    """A metric of the caption; None where it says nothing of it."""

    info: MetricInfo
    value: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class TriedFamily:
    """What a metric family says of the caption; ``note`` says why it says nothing."""

    name: str
    label: str
    metrics: tuple[TriedMetric, ...]
    details: Mapping[str, Any] | None
    note: str


@dataclass(frozen=True, slots=True)
class LabellerTried:
    """The labeller that ACES is tried with, or why there is none; empty: the installation's."""

    path: str = ""
    fault: str = ""


INSTALLED = LabellerTried()


@dataclass(frozen=True, slots=True)
class TryReport:
    """All that the metrics say of the texts, families in the order of the registry."""

    texts: TryTexts
    families: tuple[TriedFamily, ...]
    labeller: LabellerTried = INSTALLED

    @property
    def metrics(self) -> dict[str, TriedMetric]:
        """Every metric that was computed, by name."""
        return {metric.info.name: metric for family in self.families for metric in family.metrics}


class _Kept:
    """The reports of the last texts; a report of a metric that failed is not kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reports: OrderedDict[tuple[TryTexts, LabellerTried], TryReport] = OrderedDict()

    def get(self, texts: TryTexts, labeller: LabellerTried) -> TryReport | None:
        with self._lock:
            found = self._reports.get((texts, labeller))
            if found is not None:
                self._reports.move_to_end((texts, labeller))
            return found

    def keep(self, report: TryReport) -> None:
        if any(family.note for family in report.families):
            return
        with self._lock:
            self._reports[report.texts, report.labeller] = report
            while len(self._reports) > KEPT_REPORTS:
                self._reports.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._reports.clear()


class _Bench:
    """The workspace that one caption after another is computed in."""

    def __init__(self) -> None:
        self._uses = 0
        self._workspace: TryWorkspace | None = None
        # Families that were computed in this process, so that their models are loaded.
        self.met: set[str] = set()
        self._limit = _Limit(0, 0)

    def workspace(self) -> TryWorkspace:
        if self._workspace is None or self._uses >= WORKSPACE_USES:
            # Nothing is written: what strangers type must not fill the disk.
            self._workspace = TryWorkspace(device=settings.SCORING_DEVICE, details=True)
            self._uses = 0
        self._uses += 1
        warm = self.met >= set(FAMILIES)
        self._limit = (
            _Limit(MOST_SECONDS, MOST_PROCESSOR_SECONDS)
            if warm
            else _Limit(MOST_SECONDS_COLD, MOST_SECONDS_COLD)
        )
        self._workspace.progress = self._limit
        return self._workspace

    def note(self, report: TryReport) -> None:
        """Remember which families have had their time: all of a run that was not stopped."""
        if not self._limit.reached:
            self.met.update(family.name for family in report.families)


class _Limit:
    """A report of progress that stops the run once this thread has had its seconds."""

    def __init__(self, clock: float, processor: float) -> None:
        self._clock, self._processor = clock, processor
        self._clock_end, self._processor_end = monotonic() + clock, thread_time() + processor
        self.reached = False

    def __call__(self, _family: str, _done: int, _total: int) -> None:
        over = [(thread_time() > self._processor_end, self._processor)]
        over.append((monotonic() > self._clock_end, self._clock))
        for is_over, seconds in over:
            if is_over:
                self.reached = True
                raise TookTooLong(seconds)


_kept, _bench = _Kept(), _Bench()
_computing, _waiting = Lock(), BoundedSemaphore(MOST_WAITING + 1)


def documents() -> References:
    """Give the corpus that weighs words: the packaged example of six clips."""
    return example_corpus()[1]


def try_compute(texts: TryTexts, labeller: LabellerTried = INSTALLED) -> TryReport:
    """Compute every metric of one caption with its explanation, or raise ``Busy``.

    A metric whose model is missing says so; the others stand.
    """
    report = _kept.get(texts, labeller)
    if report is not None:
        return report
    if not _waiting.acquire(blocking=False):
        raise Busy
    try:
        return _computed(texts, labeller)
    finally:
        _waiting.release()


def forget() -> None:
    """Forget the reports of all texts."""
    _kept.clear()


def labeller_tried() -> LabellerTried:
    """Find the labeller in use, its files verified."""
    try:
        return LabellerTried(path=labeller_path_in_use())
    except ScoringError as error:
        return LabellerTried(fault=without_places(str(error)))


def _computed(texts: TryTexts, labeller: LabellerTried) -> TryReport:
    if not _computing.acquire(timeout=WAIT_SECONDS):
        raise Busy
    try:
        report = _kept.get(texts, labeller)
        if report is None:
            scores = _scores(texts, labeller, _bench.workspace())
            report = _report(texts, labeller, scores)
        _kept.keep(report)
        _bench.note(report)
        return report
    finally:
        _computing.release()


def _scores(texts: TryTexts, labeller: LabellerTried, workspace: TryWorkspace) -> Scores:
    wanted, parameters = metrics_for(several=False), _parameters(labeller)
    if labeller.fault:
        wanted = tuple(name for name in wanted if METRICS[name].family != "aces")
    read_ahead(texts, families_of(wanted), workspace, parameters)
    found = score(texts.candidates, texts.against(documents()), wanted, workspace, parameters)
    if not labeller.fault:
        return found
    missing = {name: Unavailable(name, labeller.fault) for name in METRICS_OF_ACES}
    return Scores(found.results, {**found.unavailable, **missing})


def _parameters(labeller: LabellerTried) -> dict[str, dict[str, object]]:
    """Give the installation's parameters, the labeller, and METEOR a place for its index."""
    own = settings.SCORING_PARAMETERS
    meteor = {"index": str(settings.SCORING_CACHE_DIR), **own.get("meteor", {})}
    if not labeller.path:
        return {**own, "meteor": meteor}
    return {**own, "meteor": meteor, "aces": {**own.get("aces", {}), "labeller": labeller.path}}


def _report(texts: TryTexts, labeller: LabellerTried, scores: Scores) -> TryReport:
    names = families_of(metrics_for(several=False))
    return TryReport(texts, tuple(_family(name, scores) for name in names), labeller)


def _family(name: str, scores: Scores) -> TriedFamily:
    infos = metrics_of(name)
    results = [scores.results[info.name] for info in infos if info.name in scores.results]
    reasons = [
        without_places(row.reason)
        for row in scores.unavailable.values()
        if METRICS[row.name].family == name
    ]
    told = next((result.details for result in results if result.details), None)
    return TriedFamily(
        name=name,
        label=family_label(name),
        metrics=tuple(
            TriedMetric(METRICS[result.name], _finite(result.value), result.signature)
            for result in results
        ),
        details=None if told is None else json_ready(told[0]),
        note="" if results else next(iter(reasons), ""),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
