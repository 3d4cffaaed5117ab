"""Telling people what became of their work, on the site and by e-mail."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Membership,
    MetricResult,
    Notice,
    NoticeKind,
    Submission,
    Team,
    User,
)
from leaderboard.selectors.notices import mail_wanted
from leaderboard.selectors.progress import Progress, progress_of

# What was settled longer ago and told to nobody is no news any more.
MISSED_WITHIN = timedelta(days=1)
OPEN = (EvaluationState.PENDING, EvaluationState.RUNNING)
FREE = "Trying again spends no quota."


@dataclass(frozen=True, slots=True)
class Page:
    """Where a notice leads that is about neither a submission nor a team."""

    name: str
    path: str


def notice_send(
    *,
    users: Iterable[User],
    kind: NoticeKind,
    text: str,
    now: datetime,
    submission: Submission | None = None,
    team: Team | None = None,
    page: Page | None = None,
) -> None:
    """Tell people something; ``text`` is one or two sentences, of which 300 characters are kept.

    Call it in the transaction of what it tells. Those who want e-mail get one each
    after the commit: the sweep sends it, and sooner where the entry point calls
    ``tasks.notices_enqueue``. ``submission``, ``team`` or ``page`` is where the notice
    leads. Of having been scored and of having failed each person is told once per
    submission.
    """
    Notice.objects.bulk_create(
        [
            Notice(
                user=user,
                kind=kind,
                text=cut(text, 300),
                submission=submission,
                team=team,
                about="" if page is None else cut(page.name, 150),
                path="" if page is None else page.path,
                at=now,
                mail_due_at=now if mail_wanted(user, kind) else None,
            )
            for user in users
            if user.is_active
        ],
        ignore_conflicts=True,
    )


def members_to_tell(team: Team, *, without: User | None = None) -> list[User]:
    """List the members of a team, without the one who did what they are told."""
    members = User.objects.filter(memberships__team=team)
    return list(members if without is None else members.exclude(pk=without.pk))


def notices_read(*, user: User, now: datetime, pk: int | None = None) -> int:
    """Mark a person's notices as read, all or just one; give how many were not."""
    unread = Notice.objects.filter(user=user, read_at=None)
    return (unread if pk is None else unread.filter(pk=pk)).update(read_at=now)


def mail_set(*, user: User, wanted: bool, trainings: bool) -> None:
    """Note which notices a person wants by e-mail; what waits is not sent where not."""
    User.objects.filter(pk=user.pk).update(mail_notices=wanted, mail_trainings=trainings)
    waiting = Notice.objects.filter(user=user, mail_due_at__isnull=False)
    if not wanted:
        waiting.update(mail_due_at=None)
    elif not trainings:
        waiting.filter(kind=NoticeKind.TRAINING).update(mail_due_at=None)


def scoring_tell(*, submission_id: int, now: datetime) -> None:
    """Tell the team once all of its submission is decided; call it where an evaluation ended."""
    # Of two evaluations that end at once, each may not see the other's end; the lock
    # makes the later one look when the earlier is there. It leaves the rows that refer
    # to the submission alone, so that nobody waits for somebody who waits for them.
    Submission.objects.select_for_update(no_key=True).only("pk").get(pk=submission_id)
    published = Evaluation.objects.filter(submission=submission_id, published=True)
    # Most often another family is still to come, and what is there need not be read.
    if published.filter(state__in=OPEN).exists():
        return
    submission = Submission.objects.select_related("phase", "team").get(pk=submission_id)
    progress = progress_of(published.defer("detail"))
    if progress.settled:
        _tell(submission, progress, now)


def scorings_tell_missed(*, now: datetime) -> None:
    """Tell what was settled of late and nobody was told, because a process went down."""
    published = Evaluation.objects.filter(submission=OuterRef("pk"), published=True)
    of_scoring = [NoticeKind.SCORED, NoticeKind.FAILED]
    told = Notice.objects.filter(submission=OuterRef("pk"), kind__in=of_scoring)
    missed = Submission.objects.filter(
        Exists(published.filter(finished_at__gt=now - MISSED_WITHIN)),
        Exists(Membership.objects.filter(team=OuterRef("team"))),
        ~Exists(published.filter(state__in=OPEN)),
        ~Exists(told),
    )
    for pk in missed.order_by("pk").values_list("pk", flat=True)[:100]:
        with transaction.atomic():
            scoring_tell(submission_id=pk, now=now)


def _tell(submission: Submission, progress: Progress, now: datetime) -> None:
    scored, text = _outcome(submission, progress)
    notice_send(
        users=members_to_tell(submission.team),
        kind=NoticeKind.SCORED if scored else NoticeKind.FAILED,
        text=text,
        now=now,
        submission=submission,
    )


def _outcome(submission: Submission, progress: Progress) -> tuple[bool, str]:
    """Say whether the metric that decides was computed, and what came out; of this team alone."""
    name, ranking = submission.system_name, submission.phase.ranking
    reasons = {family.family: family.reason for family in progress.failed}
    if ranking.family in reasons:
        reason = cut(reasons[ranking.family] or "no reason was recorded.", 120)
        return False, f"{name} could not be scored. {ranking.label}: {reason} {FREE}"
    value = (
        MetricResult.objects.filter(
            submission=submission, metric=ranking.name, evaluation__published=True
        )
        .values_list("value", flat=True)
        .first()
    )
    if value is None:
        text = f"{name} was scored. {ranking.label} says nothing of it, so it has no rank."
    else:
        text = f"{name} was scored: {ranking.label} {value:,.{ranking.decimals}f}."
    if not reasons:
        return True, text
    what = "1 other metric family" if len(reasons) == 1 else f"{len(reasons)} other families"
    return True, f"{text} {what} could not be computed. {FREE}"


def cut(text: str, most: int) -> str:
    """Shorten a text where it is too long for its place."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"
