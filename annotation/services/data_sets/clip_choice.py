"""Clips chosen from a pool that somebody sent: the figures, and the list for a while."""

import json
import secrets
from collections.abc import Sequence
from typing import Any

from django.core.cache import cache

from annotation.selectors.data_sets.tag_figures import tag_spread_figure
from earmark.captions import Fault
from earmark.captions.faults import count_of
from earmark.datasets.choosing import (
    ChoiceRejected,
    ChoiceRequest,
    PoolColumns,
    choice_json,
    choose_clips,
    read_pool,
    request_faults,
)
from leaderboard.models import User
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.refusals import Refused

# The list of a choice can be downloaded for so long; one for each person.
KEPT_SECONDS = 3600


def _refused(faults: Sequence[Fault]) -> Refused:
    return Refused(f"The choice has {count_of(len(faults), 'error')}.", status=422, faults=faults)


def clip_choice(
    data: bytes, columns: PoolColumns, request: ChoiceRequest, *, most: int, user: User
) -> dict[str, Any]:
    """Choose clips of a pool of at most ``most``; refused with every fault.

    With the figures, and the ``key`` under which the list is kept.
    """
    reading = read_pool(data, columns)
    pool = reading.pool
    faults = [*reading.faults, *request_faults(request, pool)]
    if pool is not None and len(pool) > most:
        message = f"This page chooses from at most {most:,} clips. Use the command choose_clips."
        faults.append(Fault(None, None, f"{len(pool):,} clips", message))
    if faults or pool is None:
        raise _refused(faults)
    try:
        chosen = choose_clips(pool, request)
    except ChoiceRejected as rejected:
        raise _refused(rejected.faults) from rejected
    key = secrets.token_hex(8)
    cache.set(_mark(user), (key, choice_json(chosen, pool, request)), KEPT_SECONDS)
    tags = tag_spread_figure(chosen, pool)
    return {"chosen": chosen, "pool": len(pool), "tags": tags, "key": key}


def kept_choice(key: str, user: User) -> dict[str, Any] | None:
    """What this person chose last, if it is this choice and still kept."""
    last: tuple[str, dict[str, Any]] | None = cache.get(_mark(user))
    return last[1] if last is not None and last[0] == key else None


def choice_file(choice: dict[str, Any], kind: str) -> str:
    """The chosen clips as ``csv``, or ``json`` with all figures."""
    if kind == "json":
        return json.dumps(choice, ensure_ascii=False, indent=1) + "\n"
    return "".join(csv_line([csv_text(cell)]) for cell in ("file_name", *choice["chosen"]))


def _mark(user: User) -> str:
    return f"clip-choice-{user.pk}"
