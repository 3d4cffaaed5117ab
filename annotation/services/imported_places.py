"""Places of captions for work that was done elsewhere."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Item, Place
from leaderboard.models import User


def places_for(work: Sequence[tuple[Item, User]], now: datetime) -> list[Place]:
    """Give each person a place of the caption, done: the one held, a free one, or a new one.

    Work from files counts, so a caption of which a file has more people than
    the project asks for gets more places; nobody who labels here loses theirs.
    The captions are locked by the caller.
    """
    items = {item.pk: item for item, _ in work}
    rows: dict[int, list[Place]] = {key: [] for key in items}
    for place in Place.objects.select_for_update().filter(item__in=items).order_by("pk"):
        rows[place.item_id].append(place)
    given: list[Place] = []
    added: list[Place] = []
    for item, user in work:
        found = _fitting(rows[item.pk], user, now)
        place = found or _another(item, rows[item.pk])
        if found is None:
            rows[item.pk].append(place)
            added.append(place)
        place.user, place.done, place.expires_at = user, True, None
        given.append(place)
    _store(given, added, [items[place.item_id] for place in added])
    return given


def _fitting(places: list[Place], user: User, now: datetime) -> Place | None:
    own = [place for place in places if place.user_id == user.pk]
    free = [place for place in places if not place.done and _is_free(place, now)]
    return next(iter([*own, *sorted(free, key=lambda place: place.number)]), None)


def _another(item: Item, places: list[Place]) -> Place:
    number = max((place.number for place in places), default=0) + 1
    return Place(item=item, number=number, project_id=item.project_id, rank=item.rank)


def _is_free(place: Place, now: datetime) -> bool:
    return place.user_id is None or (place.expires_at is not None and place.expires_at < now)


def _store(given: list[Place], added: list[Place], grown: list[Item]) -> None:
    new = {id(place) for place in added}
    Place.objects.bulk_update(
        [place for place in given if id(place) not in new],
        ["user", "done", "expires_at"],
        batch_size=200,
    )
    Place.objects.bulk_create(added)
    for item in {item.pk: item for item in grown}.values():
        item.copies = max(place.number for place in added if place.item_id == item.pk)
    Item.objects.bulk_update({item.pk: item for item in grown}.values(), ["copies"])
