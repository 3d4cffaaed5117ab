"""Asking the labeller what it says of captions, before a person labels them."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotation.models import Assignment, Item, Order, Project, Suggestion
from annotation.selectors.suggestions import items_to_suggest, labeller_in_use
from annotation.spans import spans_suggested
from scoring.models.descriptors import DescriptorLabeller, label, uncertainty

# Captions that are suggested for, and ranks that are stored, in one query.
SUGGESTED_AT_ONCE = 200
RANKED_AT_ONCE = 500


def suggestions_make(*, project: Project, now: datetime) -> int:
    """Keep what the labeller in use says of the captions that wait for it; return how many.

    Only of captions that go to one person, and only where the project shows
    suggestions. Every label of the scheme is kept, so that another choice of
    offered labels needs no new run. Safe to run twice, and to be killed: what is
    kept is kept. Raises ``ScoringError``.
    """
    if not project.suggest or project.closed:
        return 0
    labeller = labeller_in_use()
    names = frozenset(project.scheme.names)
    waiting = items_to_suggest(project, labeller.identity).order_by("rank", "pk")
    found = list(waiting.only("pk", "text", "tokens"))
    for start in range(0, len(found), SUGGESTED_AT_ONCE):
        _keep(found[start : start + SUGGESTED_AT_ONCE], labeller, names, now)
    return len(found)


def _keep(
    items: Sequence[Item], labeller: DescriptorLabeller, names: frozenset[str], now: datetime
) -> None:
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


def doubts(labeller: DescriptorLabeller, texts: Sequence[str]) -> list[float]:
    """How unsure a labeller is of each caption, from 0 (certain) up."""
    return [uncertainty(said) for said in label(labeller, texts, device=settings.SCORING_DEVICE)]


def items_rank(*, project: Project, now: datetime) -> int:
    """Hand captions out from now on by how unsure the labeller in use is of them; return how many.

    Captions that are done keep their rank, what is at hand stays there. The project
    notes which labeller made the order, and when. Does nothing in a project with
    another order. Safe to run twice. Raises ``ScoringError``.
    """
    if project.order != Order.UNCERTAIN:
        return 0
    labeller = labeller_in_use()
    open_assignments = Assignment.objects.filter(project=project, done=False)
    rows = (
        Item.objects.filter(project=project, assignments__in=open_assignments)
        .distinct()
        .order_by("pk")
    )
    found = list(rows.only("pk", "text"))
    texts = [item.text for item in found]
    for item, doubt in zip(found, doubts(labeller, texts), strict=True):
        # The lowest rank goes out first; captions that are not ranked yet come after, as given.
        item.rank = -doubt
    with transaction.atomic():
        Item.objects.bulk_update(found, ["rank"], batch_size=RANKED_AT_ONCE)
        ranks = Item.objects.filter(pk=OuterRef("item")).values("rank")
        open_assignments.update(rank=Subquery(ranks))
        Project.objects.filter(pk=project.pk).update(ranked_by=labeller.identity, ranked_at=now)
    return len(found)
