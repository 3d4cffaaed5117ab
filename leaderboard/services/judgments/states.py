"""Judgments of phases and of people: taking them in, publishing what was measured, deleting."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from earmark.captions import Limits
from earmark.judgment_files import read_judgment_file
from leaderboard.models import JudgmentSet, JudgmentsState, Phase, User
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.audit_log import audit_record
from leaderboard.services.jobs.states import JobFailure, JobKind
from leaderboard.services.playground.texts import MOST_CHARS, MOST_REFERENCES
from leaderboard.web.refusals import Refused

JUDGMENTS = JobKind(
    JudgmentSet,
    worker_lost="The worker stopped three times while it measured. Measure again, or ask the "
    "administrator.",
    over_limit=lambda: JobFailure("It took longer than the time limit. Judge fewer pairs."),
)


@transaction.atomic
def judgments_store(
    *, phase: Phase, source: str, actor: User, now: datetime, **handed: Any
) -> JudgmentSet:
    """Take the judgments of a source in the place of its earlier ones, and have them measured.

    ``handed`` are name, pairs, judges and votes as ``JudgmentSet`` keeps them. What was measured
    stays until it is measured again. Refused where no pair is decided.
    """
    values = {
        **handed,
        "sha256": judged_pairs_hash(handed["pairs"]),
        "state": JudgmentsState.WAITING,
        "attempts": 0,
        "lease_expires_at": None,
        "enqueued_at": None,
        "progress": {},
        "reason": "",
        "handed_over_at": now,
    }
    Phase.objects.select_for_update().get(pk=phase.pk)
    rows = JudgmentSet.objects.filter(phase=phase, source=source)
    # An attempt that is under way measures what is not there any more: its token is an old one.
    if not rows.update(token=F("token") + 1, **values):
        JudgmentSet.objects.create(phase=phase, source=source, **values)
    audit_record("judgments.measure", phase, actor=actor, now=now, source=source)
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
        audit_record(act, judgments.phase, actor=actor, now=now, source=judgments.source)


# Pages and API count together.
RATE_GROUP, RATE = "leaderboard.judgments", "20/h"
# Files that one person may keep.
MOST_KEPT = 10
MOST_PAIRS = 5_000


def own_judgments_limits() -> Limits:
    """What a file may have: its captions can be tried in the playground."""
    return Limits(settings.MAX_UPLOAD_BYTES, MOST_PAIRS, MOST_CHARS, MOST_REFERENCES)


@transaction.atomic
def own_judgments_create(*, owner: User, name: str, data: bytes, now: datetime) -> JudgmentSet:
    """Keep the judgments of a file for who sent it; the caller has them measured.

    Refused are files with faults, those without a judgment, and more than anyone may keep.
    """
    read = read_judgment_file(data, own_judgments_limits())
    if read.value is None:
        raise Refused(
            "The file of judgments cannot be taken.", status=422, field="file", faults=read.errors
        )
    pairs = [{**asdict(pair), "truth": pair.truth} for pair in read.value.pairs]
    sha256 = judged_pairs_hash(pairs)
    User.objects.select_for_update().get(pk=owner.pk)
    kept = JudgmentSet.objects.filter(owner=owner)
    if kept.filter(state__in=UNDER_WAY).exists():
        raise Refused(
            "A file of yours is still being measured. Wait until that is done, or delete it."
        )
    if kept.count() >= MOST_KEPT:
        raise Refused(f"You keep {MOST_KEPT} files, which is the limit. Delete one first.")
    return JudgmentSet.objects.create(
        owner=owner,
        name=name,
        clips=[
            {"name": clip.file_name, "references": clip.references} for clip in read.value.clips
        ],
        pairs=pairs,
        sha256=sha256,
        judges=max(len(pair.votes) for pair in read.value.pairs),
        votes=sum(len(pair.votes) for pair in read.value.pairs),
        handed_over_at=now,
    )


def own_judgments_delete(*, judgments: JudgmentSet) -> None:
    """Delete a person's own judgments with their results; an attempt on them loses its lease."""
    judgments.delete()
