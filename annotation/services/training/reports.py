"""The report of a training: as it is stored, and compared with the labeller in use."""

import gzip
from collections.abc import Collection, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from django.conf import settings

from annotation.models import Project, TrainingRun
from annotation.selectors.training.runs import backbone_title
from earmark.errors import ScoringError
from leaderboard.models import Labeller
from leaderboard.selectors.labellers.files import shipped_identity
from leaderboard.selectors.labellers.use import identity_in_use, labeller_path_in_use
from leaderboard.web.redaction import without_paths

if TYPE_CHECKING:
    from earmark.train.descriptors import AnnotatedCaption, LabelSet, TrainingPlan


def sets_of(run: TrainingRun) -> "list[LabelSet]":
    """Read the captions that a training learns from."""
    from earmark.train.descriptors import jsonl_sets

    return jsonl_sets(gzip.decompress(bytes(run.data.content)).decode().split("\n"))


def comparison_with_labeller_in_use(
    run: TrainingRun, sets: "Sequence[LabelSet]", plan: "TrainingPlan"
) -> dict[str, Any]:
    """Measure the labeller in use on the held-out captions of a training.

    Gives ``identity`` with ``scores`` (micro, weighted, accuracy, span, captions), or
    with ``reason`` where it cannot be measured. ``seen`` counts the captions that it
    learned from (None: it is not known here which), and ``unseen`` has the scores over the rest.
    """
    from earmark.models.descriptors import find_labeller, label
    from earmark.train.descriptors.data_split import held_out_split
    from earmark.train.descriptors.labelled_captions import caption_digest

    try:
        identity = identity_in_use()
        labeller = find_labeller(labeller_path_in_use())
    except ScoringError as error:
        return {"identity": "", "reason": without_paths(str(error))}
    own = sets[0]
    if set(labeller.labels) != set(own.labels):
        reason = "Its labels are different from those of this project."
        return {"identity": identity, "reason": reason}
    judged = held_out_split(sets, plan.held_out, plan.recipe.seed).judged[0].captions
    try:
        # By their words, as they were read for the training.
        texts = [" ".join(caption.words) for caption in judged]
        labels = [row.labels for row in label(labeller, texts, device=settings.SCORING_DEVICE)]
    except ScoringError as error:
        return {"identity": identity, "reason": without_paths(str(error))}
    known = _learned_from(identity, run.project)
    comparison: dict[str, Any] = {"identity": identity, "scores": _scores(judged, labels)}
    comparison["seen"] = None
    if known is None:
        return comparison
    pairs = zip(judged, labels, strict=True)
    unseen = [pair for pair in pairs if caption_digest(pair[0]) not in known]
    comparison["seen"] = len(judged) - len(unseen)
    if unseen and comparison["seen"]:
        comparison["unseen"] = _scores([pair[0] for pair in unseen], [pair[1] for pair in unseen])
    return comparison


def _scores(
    captions: "Sequence[AnnotatedCaption]", labels: Sequence[tuple[str, ...]]
) -> dict[str, Any]:
    from earmark.train.descriptors import token_agreement

    agreement = token_agreement([caption.labels for caption in captions], labels)
    names = ("micro", "weighted", "accuracy", "span", "captions")
    return {name: getattr(agreement, name) for name in names}


def _learned_from(identity: str, project: Project) -> Collection[str] | None:
    """Digests of the captions that the shipped labeller, or one of this project, learned from.

    None where that is unknown, or of another project: who brings captions here could find
    out by the count which of them are there, and hidden references may be.
    """
    from earmark.train.descriptors.data_split import held_out_split
    from earmark.train.descriptors.labelled_captions import (
        caption_digests,
        digests_learned_by_shipped,
    )

    if identity == shipped_identity():
        return digests_learned_by_shipped()
    runs = TrainingRun.objects.select_related("data").filter(project=project)
    trained = runs.filter(labeller__identity=identity).first()
    # Uploaded, but made from captions that were downloaded here: then perhaps from all.
    labeller = Labeller.objects.filter(identity=identity).exclude(data_hash="").first()
    by_data = runs.filter(report__data_hash=labeller.data_hash) if labeller else runs.none()
    run = trained or by_data.first()
    if run is None:
        return None
    sets = sets_of(run)
    options: dict[str, Any] = run.options
    if trained is not None and not options["learn_all"]:
        sets = held_out_split(sets, options["held_out"], options["seed"]).learned
    return set(caption_digests(sets))


def storable_report(report: dict[str, Any], *, own: str) -> dict[str, Any]:
    """A report as it is kept; ``own`` names the inventory of the project.

    Captions of projects that only helped are left out: who reads this project's report
    may not read theirs. So is the folder of the backbone on this server.
    """
    stored: dict[str, Any] = _finite(report)
    for part in ("inventories", "folds"):
        for name, scores in (stored.get(part) or {}).items():
            if name != own and isinstance(scores, dict):
                scores["errors"] = []
    recipe = stored.get("recipe") or {}
    if "backbone" in recipe:
        recipe["backbone"] = backbone_title(str(recipe["backbone"]))
    return stored


def _finite(value: Any) -> Any:
    """Replace numbers that are not finite by None, at any depth."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
