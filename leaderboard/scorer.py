"""How this installation scores: families, their parameters, cache and device."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from inspect import Parameter
from pathlib import Path
from typing import Any

from django.conf import settings

from earmark import pipeline
from earmark.captions import Candidates, References
from earmark.chosen_metrics import options_of
from earmark.corpus_parts import is_large
from earmark.errors import ScoringError
from earmark.kept_references import KeptReferences
from earmark.metrics.composite.formula import NAME as COMPOSITE
from earmark.metrics.composite.formula import families_of_formula, read_formula
from earmark.metrics.family import Family
from earmark.prepared_cache import prepared_references
from earmark.read_ahead import ReadingAhead
from earmark.registry import FAMILIES, load_family
from earmark.results import MetricScore
from earmark.runtime import Device, Progress, give_memory_back, usable_processors
from earmark.signature import signature
from earmark.workspace import Workspace
from leaderboard.job_memory import memory_reason
from leaderboard.selectors.labellers.files import labeller_path, shipped_identity
from leaderboard.selectors.outside import installed_model

# Values that are remembered from submission to submission, the latest: all of some 7,000 captions;
# where systems wait for their rest, what ranked fifty of them, and all of 2,500 captions at least.
MOST_REMEMBERED = 150_000

# A worker mostly scores for one phase or two at a time.
_kept = KeptReferences()
# What reads ahead for the submission that is scored.
_readings: list[ReadingAhead] = []
# What ranked submissions while others waited to be ranked, until their rest comes.
_ranked: dict[Candidates, Workspace] = {}

# A family's keyword arguments, as a phase or an evaluation keeps them.
Parameters = Mapping[str, Any]


def family_arguments(name: str, own: Parameters | None = None) -> dict[str, Any]:
    """Arguments that a family is made with: ``own`` values over those of the installation.

    Where ``own`` names a labeller, that is its folder, the files in it verified; where it names
    a model of the settings, what a family knows that by. The metrics of a composite get theirs in
    the same way. Raises ``ScoringError``: where the labeller or the model cannot be had, or
    the formula cannot be read.
    """
    arguments = {**settings.SCORING_PARAMETERS.get(name, {}), **(own or {})}
    for option in _labeller_options(name):
        if own and option in own:
            arguments[option] = labeller_path(str(own[option]))
    for known in FAMILIES[name].options if name in FAMILIES else ():
        if own and known.name in own and known.names_installed is not None:
            model = installed_model(known.names_installed, str(own[known.name]))
            arguments[known.name] = model
    if name == COMPOSITE and own:
        parts = own.get("parts", {})
        arguments["parts"] = {
            part: family_arguments(part, parts.get(part))
            for part in families_of_formula(read_formula(str(own.get("formula", ""))))
        }
    return arguments


def family_own(name: str, values: Parameters) -> dict[str, Any]:
    """The values that differ from the installation's; the labeller is given by its name."""
    usual = family_defaults(name)
    own = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
    for option in _labeller_options(name):
        if own.get(option) == shipped_identity():
            del own[option]
    return own


def _labeller_options(name: str) -> tuple[str, ...]:
    return FAMILIES[name].labeller_options if name in FAMILIES else ()


def family_options(name: str) -> dict[str, Parameter]:
    """Options that a family may be made with: each with its type and the scorer's default.

    Raises ``ScoringError`` or ``ImportError``.
    """
    _expect_known(name)
    return options_of(name)


def _expect_known(name: str) -> None:
    if name not in FAMILIES:
        raise ScoringError(f"This version of the scorer has no metric family {name!r} any more.")


def family_defaults(name: str) -> dict[str, Any]:
    """Every parameter that a family takes, with its value on this installation."""
    options = family_options(name)
    return {key: option.default for key, option in options.items()} | family_arguments(name)


def family_parameters(name: str, own: Parameters | None = None) -> dict[str, str | int | float]:
    """Parameters of a family on this installation, as they appear in signatures.

    ``own`` are those of a phase or an evaluation that differ from the
    installation's. Raises ``ScoringError`` or ``ImportError`` where a model is
    missing or a value is refused.
    """
    return dict(_family(name, own).parameters)


def _family(name: str, own: Parameters | None) -> Family[Any]:
    """Make a family as this installation runs it with ``own`` parameters."""
    _expect_known(name)
    try:
        return load_family(name, **family_arguments(name, own))
    except ScoringError:
        raise
    except (TypeError, ValueError) as error:
        raise ScoringError(
            f"The scorer does not take these parameters of {name}: {error}"
        ) from error


def family_signature(name: str, references: References, own: Parameters | None = None) -> str:
    """The signature under which this installation computes a family now.

    ``own`` and what is raised as for ``family_parameters``.
    """
    family = _family(name, own)
    return signature(name, family.parameters, references.counts_label, family.revision)


def score_family(
    name: str,
    candidates: Candidates,
    references: References,
    progress: Progress,
    own: Parameters | None = None,
    means: Mapping[str, Any] | None = None,
    *,
    others: Callable[[], Mapping[str, Parameters]] | None = None,
) -> list[MetricScore]:
    """Score by every metric of a family, with details and this installation's cache and device.

    ``means`` are fields of the workspace for metrics that listen or ask. ``others`` are the
    families that the submission waits for, with their own parameters, for which networks read
    its captions ahead; asked for until there are some.
    """
    parameters = family_arguments(name, own)
    if is_large(references):
        # Of such a corpus nothing is to stay in memory.
        forgetful = replace(_workspace().forgetful(), kept=None)
        large = replace(forgetful, progress=progress, **(means or {}))
        results = pipeline.score_family(name, candidates, references, large, **parameters)
        return list(results.values())
    shared = _shared(candidates, references.content_hash)
    if others is not None:
        shared.read_ahead(candidates, references, others)
    shared.begin(name)
    workspace = replace(shared.workspace_of(name), progress=progress, **(means or {}))
    try:
        results = pipeline.score_family(name, candidates, references, workspace, **parameters)
    finally:
        shared.note_want_of_memory()
    return list(results.values())


def references_prepare(name: str, references: References, own: Parameters | None) -> None:
    """Prepare references for a family as ``score_family`` will need them, and keep that."""
    prepared_references(_family(name, own), references, _workspace())


class _SharedWork:
    """What the families of a submission share, which mostly come one after another.

    What one has tokenised, parsed or embedded the next need not do again.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._apart = workspace.forgetful()
        self._reading: ReadingAhead | None = None

    def workspace_of(self, family: str) -> Workspace:
        """Workspace for a family; one of its own, where phases say what may be sent or heard."""
        configured = family in FAMILIES and FAMILIES[family].configured_by_phase
        return self._apart if configured else self.workspace

    def read_ahead(
        self,
        candidates: Candidates,
        references: References,
        others: Callable[[], Mapping[str, Parameters]],
    ) -> None:
        """Have networks read ahead, the first time that a family of the submission comes."""
        if self._reading is not None:
            return
        families = dict(_arguments_of(others()))
        self.workspace = _workspace_in_turn(candidates, rest=bool(families))
        if families and self.workspace.processors > 1:
            self._reading = ReadingAhead(
                tuple(families), candidates, references, self.workspace, families
            )
            _readings.append(self._reading)

    def note_want_of_memory(self) -> None:
        """Have the process end after this job where what reads ahead was refused memory."""
        if self._reading is not None and self._reading.error is not None:
            memory_reason(self._reading.error)

    def begin(self, family: str) -> None:
        """Leave a processor to a family, unless it waits for networks."""
        if self._reading is not None:
            self._reading.use(all_processors=FAMILIES[family].queue == "gpu")


def _arguments_of(families: Mapping[str, Parameters]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Arguments of families; one that cannot be made says so when its turn comes."""
    for name, own in families.items():
        with suppress(ScoringError):
            yield name, family_arguments(name, own)


@lru_cache(maxsize=1)
def _shared(_candidates: Candidates, _reference_hash: str) -> _SharedWork:
    """What the families of one submission share, beside what earlier ones have left.

    Of a system that is handed in again, only captions that have changed are computed. Of the
    one before nothing more is read ahead; where its turn goes on later, that begins again. What
    it needed in passing goes back to the system, or holes in it grow from turn to turn.
    """
    while _readings:
        _readings.pop().stop()
    _workspace().forget_oldest(max(MOST_REMEMBERED - _remembered_apart(), MOST_REMEMBERED // 3))
    give_memory_back()
    return _SharedWork(_workspace())


def _workspace_in_turn(candidates: Candidates, *, rest: bool) -> Workspace:
    """What is remembered; for what ranks, until the submission's ``rest``, a workspace apart."""
    if not rest:
        while _remembered_apart() > MOST_REMEMBERED:
            del _ranked[next(iter(_ranked))]
        return _ranked.setdefault(candidates, _workspace().forgetful())
    if candidates in _ranked:
        _ranked.pop(candidates).leave_to(_workspace())
    return _workspace()


def _remembered_apart() -> int:
    return sum(one.remembered for one in _ranked.values())


def _workspace() -> Workspace:
    return _remembering(
        settings.SCORING_CACHE_DIR, settings.SCORING_CACHE_BYTES, settings.SCORING_DEVICE
    )


@lru_cache(maxsize=1)
def _remembering(cache_dir: Path, cache_bytes: int, device: Device) -> Workspace:
    return Workspace(
        cache_dir=cache_dir,
        cache_bytes=cache_bytes,
        device=device,
        details=True,
        sub_words=True,
        processors=usable_processors(),
        kept=_kept,
    )
