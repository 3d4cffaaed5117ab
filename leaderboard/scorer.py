"""How this installation scores: families, their parameters, cache and device."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from inspect import Parameter
from inspect import signature as signature_of
from typing import Any, Literal, get_args, get_origin

from django.conf import settings

from leaderboard.selectors.labellers import labeller_path, shipped_identity
from scoring import pipeline
from scoring.captions import Candidates, References
from scoring.errors import ScoringError
from scoring.registry import FAMILIES, load_family
from scoring.results import MetricResult
from scoring.running import Progress
from scoring.signature import signature
from scoring.workspace import Workspace

# A family's keyword arguments, as a phase or an evaluation keeps them.
Parameters = Mapping[str, Any]


class FamilyGone(ScoringError):
    """An evaluation asks for a metric family that the scorer had once."""

    def __init__(self, name: str) -> None:
        super().__init__(f"This version of the scorer has no metric family {name!r} any more.")


class ParametersRefused(ScoringError):
    """Parameters that the scorer does not take, be it any more."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(f"The scorer does not take these parameters of {name}: {error}")


def family_arguments(name: str, own: Parameters | None = None) -> dict[str, Any]:
    """Give what a family is made with: ``own`` values over those of the installation.

    Where ``own`` names a labeller, that is its folder, the files in it verified. Raises
    ``LabellerUnknown`` or ``LabellerTampered``.
    """
    found = {**settings.SCORING_PARAMETERS.get(name, {}), **(own or {})}
    if name == "aces" and own and "labeller" in own:
        found["labeller"] = labeller_path(str(own["labeller"]))
    return found


def family_own(name: str, values: Parameters) -> dict[str, Any]:
    """Keep the values that are not the installation's own; the labeller is kept by its name."""
    usual = family_defaults(name)
    own = {key: value for key, value in values.items() if key not in usual or usual[key] != value}
    if name == "aces" and own.get("labeller") == shipped_identity():
        del own["labeller"]
    return own


def family_options(name: str) -> dict[str, Parameter]:
    """Give what a family may be made with: each with its type and the scorer's default.

    Raises ``FamilyGone``, ``ScoringError`` or ``ImportError``.
    """
    if name not in FAMILIES:
        raise FamilyGone(name)
    made = signature_of(type(load_family(name)).__init__, eval_str=True).parameters
    return {key: option for key, option in made.items() if option.kind is Parameter.KEYWORD_ONLY}


def family_choices(name: str, option: str) -> tuple[str, ...]:
    """List what may be written for an option that names one of several ways; empty: anything."""
    annotation = family_options(name)[option].annotation
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    if (name, option) == ("cb", "relevance"):
        from scoring.metrics.cb.relevance import STRATEGIES

        return tuple(STRATEGIES)
    if (name, option) == ("sbf", "phrases"):
        from scoring.metrics.sbf.phrases import READINGS

        return tuple(READINGS)
    return ()


def family_defaults(name: str) -> dict[str, Any]:
    """Give every parameter that a family takes with its value on this installation."""
    options = family_options(name)
    return {key: option.default for key, option in options.items()} | family_arguments(name)


def family_parameters(name: str, own: Parameters | None = None) -> dict[str, str | int | float]:
    """Give a family's parameters on this installation, as they stand in signatures.

    ``own`` are those of a phase or an evaluation that differ from the
    installation's. Raises ``ScoringError`` or ``ImportError`` where a model is
    missing or a value is refused.
    """
    if name not in FAMILIES:
        raise FamilyGone(name)
    try:
        family = load_family(name, **family_arguments(name, own))
    except (TypeError, ValueError) as error:
        raise ParametersRefused(name, error) from error
    return dict(family.parameters)


def family_signature(name: str, references: References, own: Parameters | None = None) -> str:
    """Give the signature under which this installation computes a family now.

    ``own`` and what is raised as for ``family_parameters``.
    """
    return signature(name, family_parameters(name, own), references.counts_label)


def score_family(
    name: str,
    candidates: Candidates,
    references: References,
    progress: Progress,
    own: Parameters | None = None,
) -> list[MetricResult]:
    """Score by every metric of a family, with details and this installation's cache and device."""
    workspace = replace(_shared(candidates, references.content_hash), progress=progress)
    parameters = family_arguments(name, own)
    results = pipeline.score_family(name, candidates, references, workspace, **parameters)
    return list(results.values())


@lru_cache(maxsize=2)
def _shared(_candidates: Candidates, _reference_hash: str) -> Workspace:
    """Give the families of one submission, which mostly come one after another, one workspace.

    What one has tokenised, parsed or embedded the next need not do again.
    """
    return Workspace(
        cache_dir=settings.SCORING_CACHE_DIR, device=settings.SCORING_DEVICE, details=True
    )
