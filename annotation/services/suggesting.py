"""Asking the labeller what it says of captions, before a person labels them."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

from annotation.models import Item, Project, Suggestion
from annotation.selectors.labeller import items_to_suggest, labeller_at_hand
from annotation.suggested import spans_suggested
from scoring.models.descriptors import Labeller, label

AT_ONCE = 200


def suggestions_make(*, project: Project, now: datetime) -> int:
    """Keep what the labeller in use says of the captions that wait for it; tell how many.

    Only of captions that go to one person, and only where the project shows
    suggestions. Every label of the scheme is kept, so that another choice of
    offered labels needs no new run. Safe to run twice, and to be killed: what is
    kept is kept. Raises ``ScoringError``.
    """
    if not project.suggest or project.closed:
        return 0
    labeller = labeller_at_hand()
    names = frozenset(project.scheme.names)
    waiting = items_to_suggest(project, labeller.identity).order_by("rank", "pk")
    found = list(waiting.only("pk", "text", "tokens"))
    for start in range(0, len(found), AT_ONCE):
        _keep(found[start : start + AT_ONCE], labeller, names, now)
    return len(found)


def _keep(items: Sequence[Item], labeller: Labeller, names: frozenset[str], now: datetime) -> None:
    said = label(labeller, [item.text for item in items], device=settings.SCORING_DEVICE)
    Suggestion.objects.bulk_create(
        [
            Suggestion(
                item=item,
                identity=labeller.identity,
                spans=spans_suggested(words, item.tokens, names),
                made_at=now,
            )
            for item, words in zip(items, said, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["identity", "spans", "made_at"],
    )
