"""Labels of the labeller in use for captions that nobody has labelled yet."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotation.batches import AT_ONCE, in_batches
from annotation.models import Assignment, Item, Order, Project, Suggestion
from annotation.selectors.suggestions import items_to_suggest, labeller_in_use
from annotation.spans import spans_suggested
from earmark.models.descriptors import DescriptorLabeller, label, uncertainty

# Captions that are suggested for, and ranks that are stored, in one query.
SUGGESTED_AT_ONCE = 200


def suggestions_make(*, project: Project, now: datetime) -> int:
    """Store suggestions of the labeller in use for captions without one; return how many.

    Only of captions that go to one person, and only where the project shows
    suggestions. Every label of the scheme is stored, so that another choice of
    offered labels needs no new run. Safe to run twice, and to be killed: what is
    stored stays. Raises ``ScoringError``.
    """
    if not project.suggest or project.closed:
        return 0
    labeller = labeller_in_use()
    names = frozenset(project.scheme.names)
    waiting = items_to_suggest(project, labeller.identity).order_by("rank", "pk")
    items = list(waiting.only("pk", "text", "tokens"))
    for part in in_batches(items, SUGGESTED_AT_ONCE):
        _store(part, labeller, names, now)
    return len(items)


def _store(
    items: Sequence[Item], labeller: DescriptorLabeller, names: frozenset[str], now: datetime
) -> None:
    captions = label(labeller, [item.text for item in items], device=settings.SCORING_DEVICE)
    Suggestion.objects.bulk_create(
        [
            Suggestion(
                item=item,
                identity=labeller.identity,
                spans=spans_suggested(caption, item.tokens, names),
                made_at=now,
            )
            for item, caption in zip(items, captions, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["identity", "spans", "made_at"],
    )


def doubts(labeller: DescriptorLabeller, texts: Sequence[str]) -> list[float]:
    """How unsure a labeller is of each caption, from 0 (certain) up."""
    captions = label(labeller, texts, device=settings.SCORING_DEVICE)
    return [uncertainty(caption) for caption in captions]


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
    items = list(rows.only("pk", "text"))
    texts = [item.text for item in items]
    for item, doubt in zip(items, doubts(labeller, texts), strict=True):
        # The lowest rank goes out first; captions that are not ranked yet come after, as given.
        item.rank = -doubt
    with transaction.atomic():
        Item.objects.bulk_update(items, ["rank"], batch_size=AT_ONCE)
        ranks = Item.objects.filter(pk=OuterRef("item")).values("rank")
        open_assignments.update(rank=Subquery(ranks))
        Project.objects.filter(pk=project.pk).update(ranked_by=labeller.identity, ranked_at=now)
    return len(items)
