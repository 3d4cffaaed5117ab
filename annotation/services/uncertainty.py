"""Most uncertain first: captions in the order in which a person helps the labeller most."""

from collections.abc import Sequence
from statistics import fmean

from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotation.models import Item, Order, Place, Project
from scoring.models.descriptors import find_labeller, label

AT_ONCE = 500


def sureness(texts: Sequence[str]) -> list[float]:
    """Give how sure the labeller is of each caption: the mean over its words, 0 to 1.

    It is certain of a text in which it finds no word.
    """
    return [
        fmean(said.confidences) if said.confidences else 1.0
        for said in label(find_labeller(), texts)
    ]


def items_rank(*, project: Project) -> int:
    """Hand captions out from now on by how unsure the labeller is of them; tell how many.

    Captions that are done keep their rank, what is at hand stays there. Does
    nothing in a project with another order. Safe to run twice.
    """
    if project.order != Order.UNCERTAIN:
        return 0
    open_places = Place.objects.filter(project=project, done=False)
    rows = Item.objects.filter(project=project, places__in=open_places).distinct().order_by("pk")
    found = list(rows.only("pk", "text"))
    for item, sure in zip(found, sureness([item.text for item in found]), strict=True):
        item.rank = sure
    with transaction.atomic():
        Item.objects.bulk_update(found, ["rank"], batch_size=AT_ONCE)
        ranks = Item.objects.filter(pk=OuterRef("item")).values("rank")
        open_places.update(rank=Subquery(ranks))
    return len(found)
