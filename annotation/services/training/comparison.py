"""A new labeller beside the one in use, on the captions that were held out from the new one."""

import gzip
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings

from annotation.models import Project, TrainingRun
from leaderboard.models import Labeller
from leaderboard.places import without_places
from leaderboard.selectors.labellers import (
    identity_in_use,
    labeller_path_in_use,
    shipped_identity,
)
from scoring.errors import ScoringError

if TYPE_CHECKING:
    from scoring.train.descriptors import Annotated, LabelSet, Plan


def compared(run: TrainingRun, sets: "Sequence[LabelSet]", plan: "Plan") -> dict[str, Any]:
    """Measure the labeller in use on the held-out captions of a training.

    Gives ``identity`` with ``scores`` (micro, weighted, accuracy, span, captions), or
    with ``reason`` where it cannot be measured. ``seen`` counts the captions that it
    learned from (None: it is not known here which), and ``unseen`` has the scores over the rest.
    """
    from scoring.models.descriptors import find_labeller
    from scoring.train.descriptors.learned import caption_digest
    from scoring.train.descriptors.parting import held_out

    try:
        identity = identity_in_use()
        found = find_labeller(labeller_path_in_use())
    except ScoringError as error:
        return {"identity": "", "reason": without_places(str(error))}
    own = sets[0]
    if set(found.labels) != set(own.labels):
        reason = "It knows other labels than this project."
        return {"identity": identity, "reason": reason}
    judged = held_out(sets, plan.held_out, plan.recipe.seed).judged[0].captions
    try:
        said = _labels(found, judged)
    except ScoringError as error:
        return {"identity": identity, "reason": without_places(str(error))}
    known = _learned_from(identity, run.project)
    told: dict[str, Any] = {"identity": identity, "scores": _scores(judged, said), "seen": None}
    if known is None:
        return told
    rest = [pair for pair in zip(judged, said, strict=True) if caption_digest(pair[0]) not in known]
    told["seen"] = len(judged) - len(rest)
    if rest and told["seen"]:
        told["unseen"] = _scores([one for one, _ in rest], [labels for _, labels in rest])
    return told


def _labels(labeller: Any, captions: "Sequence[Annotated]") -> list[tuple[str, ...]]:
    """Label captions by their words, as they were read for the training."""
    from scoring.models.descriptors import label

    texts = [" ".join(caption.words) for caption in captions]
    return [row.labels for row in label(labeller, texts, device=settings.SCORING_DEVICE)]


def _scores(given: "Sequence[Annotated]", found: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    from scoring.train.descriptors import agreement

    told = agreement([caption.labels for caption in given], found)
    return {
        "micro": told.micro,
        "weighted": told.weighted,
        "accuracy": told.accuracy,
        "span": told.span,
        "captions": told.captions,
    }


def _learned_from(identity: str, project: Project) -> Collection[str] | None:
    """Give digests of the captions that the shipped labeller, or one of this project, learned from.

    None where that is unknown, or of another project: who brings captions here could find
    out by the count which of them are there, and hidden references may be.
    """
    from scoring.train.descriptors import jsonl_sets
    from scoring.train.descriptors.learned import learned_by_shipped, learned_lines
    from scoring.train.descriptors.parting import held_out

    if identity == shipped_identity():
        return learned_by_shipped()
    runs = TrainingRun.objects.select_related("data").filter(project=project)
    made = runs.filter(labeller__identity=identity).first()
    # Uploaded, but made from captions that were downloaded here: then perhaps from all.
    kept = Labeller.objects.filter(identity=identity).exclude(data_hash="").first()
    same = runs.filter(report__data_hash=kept.data_hash).first() if kept and not made else None
    found = made or same
    if found is None:
        return None
    sets = jsonl_sets(gzip.decompress(bytes(found.data.content)).decode().split("\n"))
    options: dict[str, Any] = found.options
    if made is not None and not options["learn_all"]:
        sets = held_out(sets, options["held_out"], options["seed"]).learned
    return set(learned_lines(sets))
