"""The human row of a phase: one reference of each clip, scored against the others."""

from datetime import datetime

from django.db import IntegrityError, transaction

from earmark.captions import References
from earmark.captions.corpus import SEED, one_reference_against_others
from earmark.captions.csv_rows import write_candidates_csv
from leaderboard.models import Kind, Phase, Submission, Team, User
from leaderboard.models.public_id import public_id
from leaderboard.services.audit_log import audit_record
from leaderboard.services.evaluations.states import evaluations_create
from leaderboard.services.organising.references import reference_set_get_or_create
from leaderboard.services.submissions.accepting import file_store
from leaderboard.web.public_names import HUMAN_SYSTEM, HUMAN_TEAM
from leaderboard.web.refusals import Refused

SYSTEM_NAME, TEAM_NAME = HUMAN_SYSTEM, HUMAN_TEAM
# No team that people make gets it: slugs of names have no such mark.
TEAM_SLUG = "_human"
DESCRIPTION = (
    "One reference of each clip, drawn at random (seed {seed}), scored against the other "
    "references of the clip. It shows how far people agree, as a guide to what a system can "
    "reach, and does not compete."
)


def human_row_create(*, phase: Phase, actor: User | None, now: datetime) -> Submission:
    """The human row of a phase; it is created, its evaluations waiting, where there is none.

    Refused where no clip has two references. The caller enqueues the evaluations on commit.
    """
    if phase.reference_set is None:
        raise _no_clip_for_it(phase)
    references = phase.reference_set.read()
    try:
        captions, others = one_reference_against_others(references)
    except ValueError as error:
        raise _no_clip_for_it(phase) from error
    data = write_candidates_csv(captions, others).encode()
    with transaction.atomic():
        # Two calls at once create one row, and its references stay those of the phase.
        locked = Phase.objects.select_for_update().get(pk=phase.pk)
        existing = locked.submissions.filter(kind=Kind.HUMAN).first()
        if existing is not None or locked.reference_set_id != phase.reference_set.pk:
            return existing or human_row_create(phase=locked, actor=actor, now=now)
        return _create(locked, data, others, actor, now)


def _no_clip_for_it(phase: Phase) -> Refused:
    return Refused(
        f"{phase} can have no human row, because no clip of its references has two captions. "
        "Add references with more captions first."
    )


def _create(
    phase: Phase, data: bytes, others: References, actor: User | None, now: datetime
) -> Submission:
    whole = phase.reference_set
    name = f"{whole.name}, all but one" if whole else ""
    submission = Submission.objects.create(
        phase=phase,
        team=_team(),
        kind=Kind.HUMAN,
        other_references=reference_set_get_or_create(
            challenge=phase.challenge, references=others, name=name, now=now
        ),
        submitted_by=None,
        system_name=SYSTEM_NAME,
        description=DESCRIPTION.format(seed=SEED),
        file=file_store(data),
        file_name="human.csv",
        created_at=now,
    )
    evaluations_create(submission=submission, references=others, now=now)
    audit_record("human_row.create", submission, actor=actor, now=now, phase=str(phase))
    return submission


def _team() -> Team:
    """The team of the human row: it has no members and is the same in every phase."""
    team = Team.objects.filter(slug=TEAM_SLUG).first()
    if team is not None:
        return team
    try:
        with transaction.atomic():
            return Team.objects.create(slug=TEAM_SLUG, name=TEAM_NAME)
    except IntegrityError:
        # Some team has taken the name (or another process made this one just now).
        team, _ = Team.objects.get_or_create(
            slug=TEAM_SLUG, defaults={"name": f"{TEAM_NAME} ({public_id()[:4]})"}
        )
        return team
