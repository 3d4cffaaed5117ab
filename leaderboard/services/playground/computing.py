"""Computing every metric of one caption, in the web process, one caption at a time."""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from time import monotonic, thread_time
from typing import Any

from django.conf import settings

from earmark.captions import References
from earmark.errors import ScoringError
from earmark.explanations import example_corpus
from earmark.json_values import json_ready
from earmark.models.encoder import Encoder, Vectors
from earmark.pipeline import CorpusScores, score
from earmark.registry import METRICS, families_of, metrics_for, metrics_of, standard_families
from earmark.runtime import Heartbeat
from earmark.workspace import Workspace
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.labellers.use import labeller_path_in_use
from leaderboard.services.playground.texts import PlaygroundTexts
from leaderboard.web.page_cache import Busy
from leaderboard.web.redaction import without_paths

# A visitor waits at most this long while another's caption is computed, which takes some seconds
# more where models are loaded first; only few may wait, since each holds a thread of the server.
# The browser of who was refused sends the caption again by itself.
WAIT_SECONDS = 20.0
RETRY_SECONDS = 5
# Page and API count together.
RATE_GROUP = "leaderboard.try"
DOCUMENTS = "the references of the packaged example, 6 clips"
MOST_WAITING = 2
KEPT_REPORTS = 64
# The workspace is reused, as the next caption mostly has the same references; after so many
# captions it is dropped, so that it does not grow for ever.
WORKSPACE_USES = 32
# Rare words are split into so many pieces that a text of the allowed length may take long; after
# these limits the computation is given up. Processor seconds bound what one person can take from
# others, clock seconds how long the next one waits on a busy machine. Models may take longer to
# load, which they do once.
MOST_PROCESSOR_SECONDS, MOST_SECONDS, MOST_SECONDS_COLD = 3.0, 8.0, 120.0


@dataclass(frozen=True, slots=True)
class PlaygroundFamily:
    """The results of a metric family for the caption; ``note`` says why there are none."""

    name: str
    label: str
    metrics: tuple[MetricValue, ...]
    details: Mapping[str, Any] | None
    note: str


@dataclass(frozen=True, slots=True)
class PlaygroundLabeller:
    """The labeller that ACES uses, or why there is none; empty: the installation's."""

    path: str = ""
    fault: str = ""


INSTALLED = PlaygroundLabeller()


@dataclass(frozen=True, slots=True)
class PlaygroundReport:
    """The results of all metrics for the texts, families in the order of the registry."""

    texts: PlaygroundTexts
    families: tuple[PlaygroundFamily, ...]
    labeller: PlaygroundLabeller = INSTALLED

    @property
    def metrics(self) -> dict[str, MetricValue]:
        """Every metric that was computed, by name."""
        return {metric.metric: metric for family in self.families for metric in family.metrics}


class _ReportCache:
    """The reports of the last texts; those with a failed metric are not kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reports: OrderedDict[tuple[PlaygroundTexts, PlaygroundLabeller], PlaygroundReport] = (
            OrderedDict()
        )

    def get(self, texts: PlaygroundTexts, labeller: PlaygroundLabeller) -> PlaygroundReport | None:
        with self._lock:
            report = self._reports.get((texts, labeller))
            if report is not None:
                self._reports.move_to_end((texts, labeller))
            return report

    def keep(self, report: PlaygroundReport) -> None:
        if any(family.note for family in report.families):
            return
        with self._lock:
            self._reports[report.texts, report.labeller] = report
            while len(self._reports) > KEPT_REPORTS:
                self._reports.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._reports.clear()


class PlaygroundWorkspace(Workspace):
    """Checks before every access whether there is time left.

    Some families report progress only after a first batch, and there are seventeen of them.
    """

    def memo(self, name: str) -> dict[Any, Any]:
        """The memo of this name."""
        self.progress(name, 0, 1)
        return super().memo(name)

    def embeddings(
        self,
        sentences: Sequence[str],
        encoder: Encoder,
        *,
        heartbeat: Heartbeat | None = None,
    ) -> Vectors:
        """Unit vector of each sentence, shape (sentences, dimensions)."""
        self.progress("embeddings", 0, 1)
        return super().embeddings(sentences, encoder, heartbeat=heartbeat)


class _SharedWorkspace:
    """The workspace that one caption after another is computed in."""

    def __init__(self) -> None:
        self._uses = 0
        self._workspace: PlaygroundWorkspace | None = None
        # Families that were computed in this process, so that their models are loaded.
        self.met: set[str] = set()
        self._limit = _TimeLimit(0, 0)

    def workspace(self) -> PlaygroundWorkspace:
        if self._workspace is None or self._uses >= WORKSPACE_USES:
            # Nothing prepared is kept: what strangers type must not fill the disk.
            self._workspace = PlaygroundWorkspace(
                cache_dir=settings.SCORING_CACHE_DIR,
                cache_bytes=0,
                device=settings.SCORING_DEVICE,
                details=True,
            )
            self._uses = 0
        self._uses += 1
        warm = self.met >= set(standard_families())
        self._limit = (
            _TimeLimit(MOST_SECONDS, MOST_PROCESSOR_SECONDS)
            if warm
            else _TimeLimit(MOST_SECONDS_COLD, MOST_SECONDS_COLD)
        )
        self._workspace.progress = self._limit
        return self._workspace

    def note(self, report: PlaygroundReport) -> None:
        """Remember which families have loaded their models: all of a run that was not stopped."""
        if not self._limit.reached:
            self.met.update(family.name for family in report.families)


class _TimeLimit:
    """A progress callback that stops the run once this thread has used up its seconds.

    It raises ``ScoringError``; what was computed until then is shown.
    """

    def __init__(self, clock: float, processor: float) -> None:
        self._clock, self._processor = clock, processor
        self._clock_end, self._processor_end = monotonic() + clock, thread_time() + processor
        self.reached = False

    def __call__(self, _family: str, _done: int, _total: int) -> None:
        for now, end, seconds in (
            (thread_time(), self._processor_end, self._processor),
            (monotonic(), self._clock_end, self._clock),
        ):
            if now > end:
                self.reached = True
                raise ScoringError(
                    f"The metrics were not all computed in {seconds:g} seconds. Shorten the "
                    "caption or the references."
                )


_reports, _shared = _ReportCache(), _SharedWorkspace()
_computing, _waiting = Lock(), BoundedSemaphore(MOST_WAITING + 1)


def word_weight_documents() -> References:
    """The corpus that weighs words: the packaged example of six clips."""
    return example_corpus()[1]


def playground_compute(
    texts: PlaygroundTexts, labeller: PlaygroundLabeller = INSTALLED
) -> PlaygroundReport:
    """Compute every metric of one caption with its explanation, or raise ``Busy``.

    A metric whose model is missing says so; the others are computed.
    """
    report = _reports.get(texts, labeller)
    if report is not None:
        return report
    if not _waiting.acquire(blocking=False):
        raise _busy()
    try:
        return _compute_alone(texts, labeller)
    finally:
        _waiting.release()


def _busy() -> Busy:
    text = "Other captions are being computed just now. Try again in a moment."
    return Busy(503, text, RETRY_SECONDS)


def playground_labeller() -> PlaygroundLabeller:
    """The labeller in use, its files verified."""
    try:
        return PlaygroundLabeller(path=labeller_path_in_use())
    except ScoringError as error:
        return PlaygroundLabeller(fault=without_paths(str(error)))


def _compute_alone(texts: PlaygroundTexts, labeller: PlaygroundLabeller) -> PlaygroundReport:
    if not _computing.acquire(timeout=WAIT_SECONDS):
        raise _busy()
    try:
        report = _reports.get(texts, labeller)
        if report is None:
            scores = _scores(texts, labeller, _shared.workspace())
            names = families_of(metrics_for(several=False))
            families = tuple(_family(name, scores) for name in names)
            report = PlaygroundReport(texts, families, labeller)
        _reports.keep(report)
        _shared.note(report)
        return report
    finally:
        _computing.release()


def _scores(
    texts: PlaygroundTexts, labeller: PlaygroundLabeller, workspace: PlaygroundWorkspace
) -> CorpusScores:
    names, parameters = metrics_for(several=False), settings.SCORING_PARAMETERS
    if labeller.path:
        aces = {**parameters.get("aces", {}), "labeller": labeller.path}
        parameters = {**parameters, "aces": aces}
    if labeller.fault:
        names = tuple(name for name in names if METRICS[name].family != "aces")
    scores = score(
        texts.candidates, texts.against(word_weight_documents()), names, workspace, parameters
    )
    if not labeller.fault:
        return scores
    missing = {info.name: labeller.fault for info in metrics_of("aces")}
    return CorpusScores(scores.results, {**scores.unavailable, **missing})


def _family(name: str, scores: CorpusScores) -> PlaygroundFamily:
    infos = metrics_of(name)
    results = [scores.results[info.name] for info in infos if info.name in scores.results]
    reasons = [
        without_paths(reason)
        for metric, reason in scores.unavailable.items()
        if METRICS[metric].family == name
    ]
    details = next((result.details for result in results if result.details), None)
    return PlaygroundFamily(
        name=name,
        label=family_label(name),
        metrics=tuple(
            MetricValue(
                result.name,
                result.value if math.isfinite(result.value) else None,
                signature=result.signature,
            )
            for result in results
        ),
        details=None if details is None else json_ready(details[0]),
        note="" if results else next(iter(reasons), ""),
    )
