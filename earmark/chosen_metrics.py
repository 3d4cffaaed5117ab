"""The metrics of a run as somebody asked for them: checked, and their families made."""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypedDict

from earmark.captions import References
from earmark.errors import ResourceMissing, ScoringError, UnusableInput
from earmark.metric_sets import metric_names, split_names
from earmark.metrics.family import Family
from earmark.pipeline import CorpusScores, Parameters, check_families, failure_reason
from earmark.registry import PackageMetricBroken, families_of, load_family, metrics_for
from earmark.runtime import Device, device_name
from earmark.scores import NoScore, Scores
from earmark.workspace import Workspace

if TYPE_CHECKING:
    import torch

# All runs of a process share its models, and a tokeniser serves one thread at a time.
_turn = RLock()

# A length penalty or a weight of nought makes no number.
ABOVE_NOUGHT = {"sigma", "beta", "recall_weight"}
# Ends of names of what is a share, a probability or a cosine.
AT_MOST_ONE = ("threshold", "penalty")


class ParametersUnusable(UnusableInput):
    """Parameters that a metric family does not take."""


class FamilyNotAsked(ParametersUnusable):
    """Parameters of a family that no metric asked for is computed by."""

    def __init__(self, family: str, families: Iterable[str]) -> None:
        super().__init__(
            f"Parameters are given to {family!r}, which no metric asked for is computed by. "
            f"Give parameters to: {', '.join(families)}."
        )


class RunOptions(TypedDict, total=False):
    """How metrics are run, as ``score`` and all that scores take it by keywords.

    ``parameters`` maps metric families to their keyword arguments. Networks run on ``device``,
    a name or a torch.device ("auto": on a GPU if there is one). What is prepared from references
    is stored in ``cache_dir``; without it nothing is written. With ``strict`` a metric that cannot
    be computed is an error (``NoScore``). ``progress`` shows what is done on standard error.
    """

    parameters: Parameters | None
    device: "Device | torch.device"
    cache_dir: str | Path | None
    strict: bool
    progress: bool


@dataclass(frozen=True, slots=True)
class ChosenMetrics:
    """Metrics that are wanted, their families, and how these are run.

    ``wanted`` are the names as they were given; all ``options`` are there. ``families`` are made
    and load nothing before they are used; ``missing`` has the reason for each that could not be.
    """

    wanted: tuple[str, ...]
    options: RunOptions
    families: dict[str, Family[Any]]
    missing: dict[str, str]

    @property
    def parameters(self) -> Parameters:
        """Keyword arguments of families."""
        return self.options["parameters"] or {}

    def names(self, *, several: bool) -> tuple[str, ...]:
        """Names of the metrics for clips with ``several`` candidates or with one."""
        return metric_names(self.wanted, metrics_for(several=several))

    @contextmanager
    def run(self, clips: int, **settings: Any) -> Iterator[Workspace]:
        """The workspace of a run of so many clips, alone in this process while the block runs."""
        bars: Any = nullcontext()
        if self.options["progress"]:
            from earmark.progress_bars import shown_progress

            bars = shown_progress(tuple(self.families), clips)
        folder = self.options["cache_dir"]
        with _turn, bars as report:
            yield Workspace(
                cache_dir=None if folder is None else Path(folder),
                device=str(self.options["device"]),
                **({"progress": report} if report else {}),
                **settings,
            )

    def scores(self, scored: CorpusScores, references: References) -> Scores:
        """Scores of a run; raises ``NoScore`` where one is missing and the run is strict."""
        scores = Scores.of(scored, references)
        if self.options["strict"] and scores.unavailable:
            raise NoScore(" ".join(scores.table.notes))
        return scores


def choose_metrics(
    wanted: str | Iterable[str],
    *,
    parameters: Parameters | None = None,
    device: "Device | torch.device" = "auto",
    cache_dir: str | Path | None = None,
    strict: bool = False,
    progress: bool = False,
) -> ChosenMetrics:
    """Check what is wanted and make the families; no model is loaded.

    Raises ``UnknownMetric``, ``NoMetricNamed``, ``UnknownFamily``, ``ParametersUnusable`` and
    ``UnknownDevice``, and what a family raises where the value of a parameter cannot be used.
    """
    names, parameters = tuple(split_names(wanted)), parameters or {}
    families = families_of(metric_names(names))
    check_families(parameters)
    for family in parameters:
        if family not in families:
            raise FamilyNotAsked(family, families)
    made: dict[str, Family[Any]] = {}
    missing: dict[str, str] = {}
    for family in families:
        try:
            made[family] = made_with(family, parameters.get(family, {}))
        except (ResourceMissing, ImportError, OSError, PackageMetricBroken) as error:
            missing[family] = failure_reason(family, error)
    options = RunOptions(
        parameters=parameters,
        device=device_name(device),
        cache_dir=cache_dir,
        strict=strict,
        progress=progress,
    )
    return ChosenMetrics(names, options, made, missing)


def options_of(family: str) -> dict[str, inspect.Parameter]:
    """Keyword arguments that a family may be made with, by name. Raises as ``load_family``."""
    args = inspect.signature(type(load_family(family)).__init__, eval_str=True).parameters
    return {key: option for key, option in args.items() if option.kind is option.KEYWORD_ONLY}


def made_with(family: str, chosen: Any) -> Family[Any]:
    """A family with parameters; raises as ``load_family``, and ``ParametersUnusable``."""
    try:
        return load_family(family, **chosen)
    except ScoringError:
        raise
    except (TypeError, ValueError) as error:
        if not chosen:
            raise
        raise ParametersUnusable(
            f"The family {family!r} does not take the parameters {dict(chosen)!r}: {error}. What "
            "it takes stands in docs/reference/metrics.md."
        ) from error
