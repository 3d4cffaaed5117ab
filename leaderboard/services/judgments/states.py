"""Judgments of phases and of people: taking them to be measured, and publishing what was."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F

from leaderboard.models import JudgmentSet, JudgmentsState, Phase, User
from leaderboard.services.audit_log import audit_phase
from leaderboard.services.jobs.states import JobFailure, JobKind
from leaderboard.web.refusals import Refused

JUDGMENTS = JobKind(
    JudgmentSet,
    worker_lost="The worker stopped three times while it measured. Measure again, or ask the "
    "administrator.",
    over_limit=lambda: JobFailure("It took longer than the time limit. Judge fewer pairs."),
)


@dataclass(frozen=True, slots=True)
class HandedJudgments:
    """Judgments of a source, as ``JudgmentSet`` keeps them."""

    source: str
    name: str
    pairs: Sequence[Mapping[str, Any]]
    judges: int
    votes: int


@transaction.atomic
def judgments_store(
    *, phase: Phase, handed: HandedJudgments, actor: User, now: datetime
) -> JudgmentSet:
    """Take the judgments of a source in the place of its earlier ones, and have them measured.

    What was measured stays until it is measured again. Refused where no pair is decided.
    """
    pairs = [dict(pair) for pair in handed.pairs]
    sha256_of = judged_pairs_hash(pairs)
    Phase.objects.select_for_update().get(pk=phase.pk)
    values = {
        "name": handed.name,
        "pairs": pairs,
        "sha256": sha256_of,
        "judges": handed.judges,
        "votes": handed.votes,
        "state": JudgmentsState.WAITING,
        "attempts": 0,
        "lease_expires_at": None,
        "enqueued_at": None,
        "progress": {},
        "reason": "",
        "handed_over_at": now,
    }
    rows = JudgmentSet.objects.filter(phase=phase, source=handed.source)
    # An attempt that is under way measures what is not there any more: its token is an old one.
    if not rows.update(token=F("token") + 1, **values):
        JudgmentSet.objects.create(phase=phase, source=handed.source, **values)
    audit_phase(phase, "judgments.measure", actor=actor, now=now, source=handed.source)
    return rows.get()


def judged_pairs_hash(pairs: Sequence[Mapping[str, Any]]) -> str:
    """Sha256 of the JSON of pairs; refused where none is decided."""
    if not any(pair["truth"] for pair in pairs):
        raise Refused(
            "There is no pair yet on which judges prefer one caption. Collect more votes first.",
            status=422,
            field="file",
        )
    return sha256(json.dumps(pairs, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def judgments_publish(*, judgments: JudgmentSet, public: bool, actor: User, now: datetime) -> None:
    """Show the results to everyone, or to organisers alone; nothing where it is so already."""
    rows = JudgmentSet.objects.filter(pk=judgments.pk, published_at__isnull=public)
    if judgments.phase and rows.update(published_at=now if public else None):
        act = "judgments.publish" if public else "judgments.unpublish"
        audit_phase(judgments.phase, act, actor=actor, now=now, source=judgments.source)
