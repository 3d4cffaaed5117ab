"""Labelling the words of references against which no system was scored yet."""

import logging
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from earmark.errors import ScoringError
from earmark.models.descriptors import DescriptorLabeller, find_labeller, label
from leaderboard.models import ClipDetails, Evaluation, EvaluationState, LabelledReferences, Phase
from leaderboard.scorer import family_arguments
from leaderboard.selectors.clips.corpus import references_of

logger = logging.getLogger(__name__)


def phases_to_label() -> list[int]:
    """Phases whose references are not labelled with the phase's labeller.

    Where a system was scored, the labels are stored with its scores.
    """
    labelled = set(LabelledReferences.objects.values_list("reference_set", "identity"))
    phase_ids = []
    for phase in _without_scores():
        if not phase.computes("aces"):
            continue
        try:
            identity = _labeller(phase).identity
        except ScoringError:
            # The references of the other phases are labelled all the same.
            logger.exception("The labeller of %s cannot be used", phase)
            continue
        if (phase.reference_set_id, identity) not in labelled:
            phase_ids.append(phase.pk)
    return phase_ids


def _without_scores() -> QuerySet[Phase]:
    scored = Evaluation.objects.filter(
        submission__phase=OuterRef("pk"),
        submission__other_references=None,
        reference_hash=OuterRef("reference_set__content_hash"),
        family="aces",
        state=EvaluationState.DONE,
    ).filter(Exists(ClipDetails.objects.filter(evaluation=OuterRef("pk"))))
    return Phase.objects.filter(~Exists(scored), reference_set__isnull=False)


def _labeller(phase: Phase) -> DescriptorLabeller:
    """The labeller that the phase is scored with."""
    arguments = family_arguments("aces", phase.parameters.get("aces"))
    return find_labeller(str(arguments.get("labeller", "")))


def reference_words_make(*, phase_id: int, now: datetime) -> bool:
    """Label the references of a phase and store the labels; False where they are there.

    Safe to run twice. Raises ``ScoringError``.
    """
    phase = _without_scores().filter(pk=phase_id).select_related("reference_set").first()
    if phase is None or phase.reference_set is None:
        return False
    labeller, reference_set = _labeller(phase), phase.reference_set
    key = {"reference_set": reference_set, "identity": labeller.identity}
    if LabelledReferences.objects.filter(**key).exists():
        return False
    clips = references_of(reference_set.content_hash).clips
    captions = list(dict.fromkeys(text for clip in clips for text in clip.references))
    labelled = dict(
        zip(captions, label(labeller, captions, device=settings.SCORING_DEVICE), strict=True)
    )
    rows = [
        [
            [
                {"text": word.text, "label": name}
                for word, name in zip(labelled[text].words, labelled[text].labels, strict=True)
            ]
            for text in clip.references
        ]
        for clip in clips
    ]
    content = ClipDetails.pack([{"references": references} for references in rows])
    LabelledReferences.objects.get_or_create(**key, defaults={"content": content, "made_at": now})
    return True
