"""What acts on chosen captions would do to them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet

from annotation.batches import in_batches
from annotation.models import Annotation, Assignment, EarlierHand, Gold, Item, Project
from annotation.selectors.closing import in_hand
from annotation.selectors.stages.chain import met_elsewhere, other_stages
from leaderboard.models import User

Effect = dict[str, Any]
"""What an act would do, with a ``stamp`` that changes with everything that is said of it."""


def caption_handing(project: Project, items: Sequence[int], user: User, now: datetime) -> Effect:
    """What would go to ``user``: for each caption a free assignment, else one that is held.

    ``assignments`` has the one that would, by caption; ``taken_from`` counts them by the id of
    the user who has it at hand. ``met`` captions the person has, had as a test or answered;
    ``full`` ones want no more answers.
    """
    met, others = set[int](), other_stages(project)
    candidates: dict[int, Assignment] = {}
    for part in in_batches(items):
        for rows in (Assignment.every, Annotation.every, EarlierHand.objects):
            met.update(rows.filter(item__in=part, user=user).values_list("item", flat=True))
        if others:
            met.update(
                item.pk for item in met_elsewhere(others, Item.objects.in_bulk(part).values(), user)
            )
        for row in Assignment.objects.filter(project=project, item__in=part, done=False).order_by(
            "item", "number"
        ):
            known = candidates.get(row.item_id)
            if known is None or (row.is_free(now) and not known.is_free(now)):
                candidates[row.item_id] = row
    going = {pk: row for pk, row in candidates.items() if pk not in met}
    held = Counter(
        row.user_id for row in going.values() if row.user_id is not None and not row.is_free(now)
    )
    assignments = {pk: going[pk].pk for pk in sorted(going)}
    full = len(items) - len(going) - len(met)
    return {
        "assignments": assignments,
        "taken_from": held,
        "met": frozenset(met),
        "full": full,
        "stamp": _stamp_of(assignments, sorted(held.items()), len(met), full),
    }


def caption_removal(items: Sequence[int]) -> Effect:
    """What is removed with captions, or brought back with them, whether they are removed or not.

    ``answers`` by ``people``, whether they count or not, ``tests`` answers of people who had them
    as hidden tests, ``settled`` captions that are gold; ``at_hand`` captions are with ``holders``
    people who have not answered them. ``late`` answers came after the removal.
    """
    answers = list(
        _of(Annotation.with_removed.all(), items, "user", "test", "created_at", "item__removed_at")
    )
    held = list(_of(in_hand(Assignment.with_removed.filter(done=False)), items, "item", "user"))
    counts = {
        "captions": len(items),
        "answers": sum(not test for _, test, _, _ in answers),
        "people": len({user for user, test, _, _ in answers if not test}),
        "tests": sum(test for _, test, _, _ in answers),
        "settled": len(list(_of(Gold.with_removed.all(), items, "pk"))),
        "at_hand": len({item for item, _ in held}),
        "holders": len({user for _, user in held}),
        "late": sum(gone is not None and at > gone for _, _, at, gone in answers),
    }
    return {**counts, "stamp": _stamp_of(counts)}


def caption_sending_back(project: Project, items: Sequence[int]) -> Effect:
    """The answers to these captions that count and would go back to makers who can come.

    ``answers`` are their ids, ``people`` counts them by the id of the user, ``captions`` are those
    that they are of. ``settled`` captions stay as they are, and so do ``left`` answers of people
    who cannot log in or are no longer in the project, and ``unanswered`` captions.
    """
    there = set(project.members.filter(user__is_active=True).values_list("user", flat=True))
    settled = {item for (item,) in _of(Gold.objects.all(), items, "item")}
    rows = list(_of(Annotation.objects.counting().order_by("pk"), items, "pk", "item", "user"))
    open_rows = [row for row in rows if row[1] not in settled]
    going = [row for row in open_rows if row[2] in there]
    effect = {
        "answers": sorted(pk for pk, _, _ in going),
        "settled": len(settled),
        "left": len(open_rows) - len(going),
        "unanswered": len(set(items) - settled - {item for _, item, _ in rows}),
    }
    return {
        **effect,
        "people": Counter(user for _, _, user in going),
        "captions": sorted({item for _, item, _ in going}),
        "stamp": _stamp_of(effect),
    }


def _of(rows: QuerySet[Any], items: Sequence[int], *columns: str) -> Iterator[Any]:
    for part in in_batches(items):
        yield from rows.filter(item__in=part).values_list(*columns)


def _stamp_of(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:24]


def answers_wanted(items: Sequence[int]) -> int:
    """How many answers are asked for to these captions together, those that are there included."""
    rows = (Assignment.objects.filter(item__in=part).count() for part in in_batches(items))
    return sum(rows)
