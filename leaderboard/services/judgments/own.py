"""Judgments of a person's own: taking a file in, and deleting what came of it."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from leaderboard.models import JudgmentSet, User
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.judgments.states import judged_pairs_hash
from leaderboard.services.playground.texts import MOST_CHARS, MOST_REFERENCES
from leaderboard.web.refusals import Refused
from scoring.captions import Limits
from scoring.judgment_files import read_judgment_file

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
    pairs = [
        {
            "clip": pair.clip,
            "facet": pair.facet,
            "captions": list(pair.captions),
            "truth": pair.truth,
            "votes": list(pair.votes),
        }
        for pair in read.value.pairs
    ]
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
