"""How far people agree on each caption, read anew only where something of it changed."""

from collections.abc import Mapping
from typing import NamedTuple

from django.core.cache import caches

from annotation.models import Project
from annotation.selectors.adjudication.cases import cases_of
from leaderboard.web.page_cache import CACHE

SECONDS = 86_400
# Beyond this the whole project is read, and not a list of captions that long.
MOST_LISTED = 500


class ComparedCaption(NamedTuple):
    """``in_dispute`` of ``words`` are in dispute; whether it waits for a decision.

    ``readable``: whether who decides may see what people say of it. ``stamp`` is that of what
    was compared.
    """

    stamp: int
    in_dispute: int
    words: int
    waits: bool
    readable: bool


def compared_captions(project: Project, stamps: Mapping[int, int]) -> dict[int, ComparedCaption]:
    """Compare captions, by id; ``stamps`` change with all that the comparison depends on.

    Reading all answers of 10,000 captions takes seconds, so what is known of those that did
    not change is cached.
    """
    key = f"compared-captions-{project.pk}"
    cached: dict[int, tuple[int, int, int, bool, bool]] = caches[CACHE].get(key) or {}
    known = {pk: ComparedCaption(*row) for pk, row in cached.items() if row[0] == stamps.get(pk)}
    stale = [pk for pk in stamps if pk not in known]
    if not stale:
        return known
    for case in cases_of(project, None if len(stale) > MOST_LISTED else stale):
        if case.item in stamps:
            known[case.item] = ComparedCaption(
                stamps[case.item],
                len(case.in_dispute),
                len(case.words),
                case.waits_for_decision,
                case.decidable or case.gold is not None,
            )
    caches[CACHE].set(key, cached | {pk: tuple(row) for pk, row in known.items()}, SECONDS)
    return known
