"""Most uncertain first: captions in the order in which a person helps the labeller most."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotation.models import Item, Order, Place, Project
from annotation.selectors.labeller import labeller_at_hand
from scoring.models.descriptors import Labeller, label, uncertainty

AT_ONCE = 500


def doubts(labeller: Labeller, texts: Sequence[str]) -> list[float]:
    """Give how unsure a labeller is of each caption, from 0 (certain) up."""
    return [uncertainty(said) for said in label(labeller, texts, device=settings.SCORING_DEVICE)]


def items_rank(*, project: Project, now: datetime) -> int:
    """Hand captions out from now on by how unsure the labeller in use is of them; tell how many.

    Captions that are done keep their rank, what is at hand stays there. The project
    notes which labeller made the order, and when. Does nothing in a project with
    another order. Safe to run twice. Raises ``ScoringError``.
    """
    if project.order != Order.UNCERTAIN:
        return 0
    labeller = labeller_at_hand()
    open_places = Place.objects.filter(project=project, done=False)
    rows = Item.objects.filter(project=project, places__in=open_places).distinct().order_by("pk")
    found = list(rows.only("pk", "text"))
    texts = [item.text for item in found]
    for item, doubt in zip(found, doubts(labeller, texts), strict=True):
        # The lowest rank goes out first; captions that are not ranked yet come after, as given.
        item.rank = -doubt
    with transaction.atomic():
        Item.objects.bulk_update(found, ["rank"], batch_size=AT_ONCE)
        ranks = Item.objects.filter(pk=OuterRef("item")).values("rank")
        open_places.update(rank=Subquery(ranks))
        Project.objects.filter(pk=project.pk).update(ranked_by=labeller.identity, ranked_at=now)
    return len(found)
