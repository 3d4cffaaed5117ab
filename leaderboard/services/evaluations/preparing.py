"""Preparing the references of a phase when it is published: its first team does not wait for it."""

import logging

from earmark.corpus_parts import is_large
from earmark.errors import ScoringError
from leaderboard import scorer
from leaderboard.models import Phase
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.preparation import families_to_prepare, prepared_note

logger = logging.getLogger(__name__)


def references_prepare(*, phase_id: int) -> bool:
    """Prepare for one more metric family; returns whether others are left.

    Safe to run twice. A family that fails is not tried again here: its evaluations say why.
    """
    phase = Phase.objects.select_related("reference_set").get(pk=phase_id)
    families = families_to_prepare(phase) if phase.reference_set else []
    if phase.reference_set is None or not families:
        return False
    references = references_of(phase.reference_set.content_hash)
    if is_large(references):
        # Of such a corpus nothing is kept.
        prepared_note(phase, families)
        return False
    family = families[0]
    try:
        scorer.references_prepare(family, references, phase.parameters.get(family))
    except (ScoringError, ImportError, OSError):
        logger.exception("The references of %s could not be prepared for %s", phase, family)
    prepared_note(phase, [family])
    return len(families) > 1
