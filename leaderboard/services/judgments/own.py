"""Judgments of a person's own: taking a file in, and deleting what came of it."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from leaderboard.models import JudgmentSet, User
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.judgments.states import judged_pairs_hash
from leaderboard.services.playground.texts import MOST_CHARS, MOST_REFERENCES
from scoring.captions import Fault, Limits
from scoring.judgment_files import read_judgment_file

# Pages and API count together.
RATE_GROUP, RATE = "leaderboard.judgments", "20/h"
# Files that one person may keep.
MOST_KEPT = 10
MOST_PAIRS = 5_000


class JudgmentsRefused(Exception):
    """A file that cannot be taken, with all that is wrong with it."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("The file of judgments cannot be taken.")
        self.faults = faults


class TooManyJudgments(Exception):
    """Somebody keeps as many files as anyone may, or has one that is being measured."""


def own_judgments_limits() -> Limits:
    """What a file may have: its captions can be tried in the playground."""
    return Limits(settings.MAX_UPLOAD_BYTES, MOST_PAIRS, MOST_CHARS, MOST_REFERENCES)


@transaction.atomic
def own_judgments_create(*, owner: User, name: str, data: bytes, now: datetime) -> JudgmentSet:
    """Keep the judgments of a file for who sent it; the caller has them measured.

    Raises ``JudgmentsRefused``, ``NothingJudged`` and ``TooManyJudgments``.
    """
    read = read_judgment_file(data, own_judgments_limits())
    if read.value is None:
        raise JudgmentsRefused(read.errors)
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
        raise TooManyJudgments(
            "A file of yours is still being measured. Wait until that is done, or delete it."
        )
    if kept.count() >= MOST_KEPT:
        raise TooManyJudgments(f"You keep {MOST_KEPT} files, which is the limit. Delete one first.")
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
