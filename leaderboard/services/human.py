"""The human row of a phase: what one person wrote of each clip, scored against the others."""

from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.forms.names import HUMAN_SYSTEM, HUMAN_TEAM
from leaderboard.models import Kind, Phase, Submission, Team, User
from leaderboard.models.public_id import public_id
from leaderboard.services.audit import audit_record
from leaderboard.services.evaluations import evaluations_create
from leaderboard.services.files import file_store
from leaderboard.services.references import reference_set_get_or_create
from scoring.captions import References
from scoring.captions.writing import write_candidates_csv
from scoring.human import SEED, one_against_others

SYSTEM_NAME, TEAM_NAME = HUMAN_SYSTEM, HUMAN_TEAM
# No team that people make gets it: slugs of names have no such mark.
TEAM_SLUG = "_human"
DESCRIPTION = (
    "One reference of each clip, drawn at random (seed {seed}), scored against the other "
    "references of the clip. It shows how far people agree, which is as far as a system can be "
    "expected to come, and it does not compete."
)


class OneReferenceEach(Exception):
    """People cannot be compared where no clip has two references."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(
            f"{phase} has no human row: it needs references in which some clip has two captions "
            "or more."
        )


def human_row_create(*, phase: Phase, actor: User | None, now: datetime) -> Submission:
    """Make the human row of a phase with its evaluations waiting, or give the one it has.

    Raises ``OneReferenceEach``. The caller enqueues the evaluations on commit.
    """
    if phase.reference_set is None:
        raise OneReferenceEach(phase)
    references = phase.reference_set.read()
    try:
        captions, others = one_against_others(references)
    except ValueError as error:
        raise OneReferenceEach(phase) from error
    data = write_candidates_csv(captions, others).encode()
    with transaction.atomic():
        # Two at once make one row, and its references stay those of the phase.
        locked = Phase.objects.select_for_update().get(pk=phase.pk)
        found = locked.submissions.filter(kind=Kind.HUMAN).first()
        if found is not None or locked.reference_set_id != phase.reference_set.pk:
            return found or human_row_create(phase=locked, actor=actor, now=now)
        return _create(locked, data, others, actor, now)


def _create(
    phase: Phase, data: bytes, others: References, actor: User | None, now: datetime
) -> Submission:
    whole = phase.reference_set
    name = f"{whole.name}, all but one" if whole else ""
    submission = Submission.objects.create(
        phase=phase,
        team=_team(),
        kind=Kind.HUMAN,
        other_references=reference_set_get_or_create(references=others, name=name, now=now),
        submitted_by=None,
        system_name=SYSTEM_NAME,
        description=DESCRIPTION.format(seed=SEED),
        file=file_store(data),
        file_name="human.csv",
        created_at=now,
    )
    evaluations_create(submission=submission, references=others, now=now)
    audit_record(
        at=now,
        actor=actor,
        action="human_row.create",
        target=submission.public_id,
        challenge=phase.challenge,
        phase=str(phase),
    )
    return submission


def _team() -> Team:
    """Give the team without members under which what people wrote stands, everywhere the same."""
    found = Team.objects.filter(slug=TEAM_SLUG).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return Team.objects.create(slug=TEAM_SLUG, name=TEAM_NAME)
    except IntegrityError:
        # Some team has taken the name (or another process made this one just now).
        made, _ = Team.objects.get_or_create(
            slug=TEAM_SLUG, defaults={"name": f"{TEAM_NAME} ({public_id()[:4]})"}
        )
        return made
