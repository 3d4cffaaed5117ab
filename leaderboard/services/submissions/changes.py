"""Changes of a submission: withdrawing it, choosing the one that counts, describing the system.

Withdrawing and choosing lock the phase, as accepting a submission does, so that slots and
choices are decided one after the other. Captions never change.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from earmark.packages.metadata import Metadata
from earmark.packages.metadata_files import metadata_of
from leaderboard.models import Counting, Phase, Submission, User
from leaderboard.selectors.submissions.quotas import moment_in, submission_slots
from leaderboard.services.audit_log import audit_record
from leaderboard.web.refusals import Refused


@transaction.atomic
def submission_withdraw(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Withdraw a submission from the ranking; returns whether it was not withdrawn yet.

    It stays counted in the quota.
    """
    current = _locked(submission, now)
    if current.withdrawn_at is not None:
        return False
    Submission.objects.filter(pk=current.pk).update(withdrawn_at=now, chosen=False)
    _record("submission.withdraw", current, actor, now, was_chosen=current.chosen)
    return True


@transaction.atomic
def submission_take_back(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Take a withdrawal back; returns whether the submission was withdrawn.

    Refused where other systems took its slot.
    """
    current = _locked(submission, now)
    if current.withdrawn_at is None:
        return False
    slots = submission_slots(phase=current.phase, team=current.team)
    if slots.left == 0:
        raise Refused(f"{slots.sentence} Nothing was changed.")
    Submission.objects.filter(pk=current.pk).update(withdrawn_at=None)
    _record("submission.take_back", current, actor, now)
    return True


@transaction.atomic
def submission_choose(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Choose the submission that counts for its team; returns whether that is new."""
    current = _locked(submission, now)
    if current.phase.counting != Counting.CHOSEN:
        rule = "best" if current.phase.counting == Counting.BEST else "latest"
        raise Refused(
            f"In {current.phase.name}, each team's {rule} submission counts, so none can be chosen."
        )
    if not current.competes:
        raise Refused(
            f"{current.system_name} was withdrawn or does not compete. Choose a system that does."
        )
    if current.chosen:
        return False
    of_team = Submission.objects.filter(phase=current.phase_id, team=current.team_id)
    before = of_team.filter(chosen=True).first()
    of_team.filter(chosen=True).update(chosen=False)
    of_team.filter(pk=current.pk).update(chosen=True)
    _record(
        "submission.choose", current, actor, now, instead_of=before.public_id if before else None
    )
    return True


def _locked(submission: Submission, now: datetime) -> Submission:
    """The submission as it is now, its phase locked.

    Teams change nothing after the phase has closed, nor once they are disqualified.
    """
    phase = (
        Phase.objects.select_for_update(of=("self",))
        .select_related("challenge")
        .get(pk=submission.phase_id)
    )
    current = Submission.objects.select_related("team").get(pk=submission.pk)
    current.phase = phase
    if phase.closes_at is not None and phase.closes_at <= now:
        when = moment_in(phase.closes_at, phase.challenge.time_zone)
        raise Refused(
            f"{phase.name} closed at {when}, and submissions cannot be changed after that. Ask the "
            "organisers if something must be changed."
        )
    if current.disqualified_at is not None:
        raise Refused(
            f"The organisers disqualified {current.system_name}, so its team can no longer change "
            "it. Ask the organisers."
        )
    return current


def _record(
    action: str, submission: Submission, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        action,
        submission,
        actor=actor,
        now=now,
        phase=str(submission.phase),
        team=submission.team.slug,
        **details,
    )


@transaction.atomic
def submission_describe(
    *,
    submission: Submission,
    actor: User,
    now: datetime,
    system_name: str | None,
    description: str | None,
    metadata: Metadata | None,
) -> Submission:
    """Change what is said of a system, None leaving a value as it is, and log what changed."""
    current = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
    new: dict[str, Any] = {}
    if system_name is not None:
        new["system_name"] = system_name
    if description is not None:
        new["description"] = description
    if metadata is not None:
        new["metadata"] = metadata.to_dict()
        new["label"] = _label(current, metadata)
    changed = {name: value for name, value in new.items() if getattr(current, name) != value}
    if not changed:
        return submission
    before = {name: getattr(current, name) for name in changed}
    Submission.objects.filter(pk=current.pk).update(**changed)
    audit_record(
        "submission.describe",
        submission,
        actor=actor,
        now=now,
        changed=sorted(_changed_paths(before, changed)),
        **{f"{name}_before": before[name] for name in ("system_name", "label") if name in before},
    )
    for name, value in changed.items():
        setattr(submission, name, value)
    return submission


def _label(current: Submission, metadata: Metadata) -> str:
    """The label from now on; one that came from the names of files stays."""
    label = (metadata.submission.label or "")[:80]
    before = metadata_of(current.metadata).value or Metadata()
    from_files = current.label != (before.submission.label or "")[:80]
    return current.label if not label and from_files else label


def _changed_paths(
    before: Mapping[str, Any], after: Mapping[str, Any], start: str = ""
) -> set[str]:
    """Paths of the values that differ."""
    paths: set[str] = set()
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        path = f"{start}.{key}" if start else str(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            paths |= _changed_paths(old, new, path)
        else:
            paths.add(path)
    return paths
