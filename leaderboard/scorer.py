"""How this installation scores: families, their parameters, cache and device."""

from dataclasses import replace
from functools import lru_cache

from django.conf import settings

from scoring import pipeline
from scoring.captions import Candidates, References
from scoring.errors import ScoringError
from scoring.registry import FAMILIES, load_family
from scoring.results import MetricResult
from scoring.signature import signature
from scoring.workspace import Progress, Workspace


class FamilyGone(ScoringError):
    """An evaluation asks for a metric family that the scorer had once."""

    def __init__(self, name: str) -> None:
        super().__init__(f"This version of the scorer has no metric family {name!r} any more.")


def family_parameters(name: str) -> dict[str, str | int | float]:
    """Give a family's parameters on this installation, as they stand in signatures.

    Raises ``ScoringError`` or ``ImportError`` where a model is missing.
    """
    if name not in FAMILIES:
        raise FamilyGone(name)
    return dict(load_family(name, **settings.SCORING_PARAMETERS.get(name, {})).parameters)


def family_signature(name: str, references: References) -> str:
    """Give the signature under which this installation computes a family now.

    Raises ``ScoringError`` or ``ImportError`` where a model is missing.
    """
    return signature(name, family_parameters(name), references.counts_label)


def score_family(
    name: str, candidates: Candidates, references: References, progress: Progress
) -> list[MetricResult]:
    """Score by every metric of a family, with details and this installation's cache and device."""
    workspace = replace(_shared(candidates, references.content_hash), progress=progress)
    parameters = settings.SCORING_PARAMETERS.get(name, {})
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
