"""Rescoring a phase: a dry run for organisers only, then publication in one step.

A dry run makes unpublished evaluations next to the published ones, so that nobody
else sees anything of it. Whatever was computed before under the same signature is
reused, which makes going back to former parameters free.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse

from earmark.errors import ScoringError
from earmark.metrics.composite.formula import NAME, Term, families_of_formula, formula_text
from earmark.registry import FAMILIES
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    NoticeKind,
    Phase,
    ReferenceSet,
    Rescoring,
    SnapshotReason,
    Submission,
    User,
)
from leaderboard.scorer import Parameters, family_own, family_parameters
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.organising.rescoring import (
    FamilyRequest,
    Targets,
    missing_of,
    open_rescoring,
    phase_after,
    status_of,
    targets_of,
)
from leaderboard.services.audit_log import audit_record
from leaderboard.services.evaluations.states import evaluations_retry
from leaderboard.services.labellers.registry import labellers_lock
from leaderboard.services.people.notices import notice_send
from leaderboard.services.ranking.snapshots import snapshot_take
from leaderboard.web.refusals import Refused


@transaction.atomic
def rescoring_open(
    *,
    phase: Phase,
    parameters: Mapping[str, Parameters],
    reason: str,
    actor: User | None,
    now: datetime,
    precision: int | None = None,
) -> Rescoring:
    """Open a dry run of metric families with parameters, which replace the phase's.

    With ``precision`` the phase ranks by the composite, at so many decimals, once the dry run is
    published. Values equal to the installation's are not stored. Raises ``ScoringError`` or
    ``ImportError`` for parameters that the scorer refuses. The caller enqueues the waiting
    evaluations (``rescoring_waiting``) on commit.
    """
    labellers_lock(parameters)
    for name, values in parameters.items():
        family_parameters(name, values)
    locked = Phase.objects.select_for_update().get(pk=phase.pk)
    if open_rescoring(locked) is not None:
        raise Refused(f"{locked.name} already has a dry run. Publish or discard it first.")
    rescoring = Rescoring.objects.create(
        phase=locked,
        families=[name for name in FAMILIES if name in parameters],
        parameters={name: family_own(name, values) for name, values in parameters.items()},
        ranking_metric="" if precision is None else NAME,
        precision=precision,
        reason=reason,
        created_by=actor,
        created_at=now,
    )
    if unknown := [
        name
        for name in rescoring.families
        if not (locked.computes(name) or FAMILIES[name].configured_by_phase)
    ]:
        labels = ", ".join(map(family_label, unknown))
        raise Refused(
            f"{locked.name} does not compute {labels}. Add it under Rules, or choose others."
        )
    targets = targets_of(rescoring)
    created = evaluations_add(
        missing_of(targets, Submission.objects.eligible()), rescoring.parameters, now=now
    )
    if not created and _same_as_now(rescoring, targets, locked):
        raise Refused(
            "Every system has already been scored with these parameters. Change one, or choose "
            "another metric."
        )
    again = evaluations_retry(targets.eligible.filter(published=False), now=now)
    _audit(
        rescoring,
        "rescoring.open",
        actor,
        now,
        reason=reason,
        parameters=rescoring.parameters,
        computed=created + len(again),
        **_rule(rescoring),
    )
    return rescoring


def rescoring_open_with(
    *,
    phase: Phase,
    family: str,
    changes: Parameters,
    reason: str,
    actor: User | None,
    now: datetime,
) -> Rescoring:
    """Open a dry run of one family in which some parameters change, say to a new model."""
    parameters = {family: {**phase.parameters.get(family, {}), **changes}}
    return rescoring_open(phase=phase, parameters=parameters, reason=reason, actor=actor, now=now)


def composite_dry_run(
    *,
    phase: Phase,
    formula: Sequence[Term],
    precision: int,
    reason: str,
    actor: User,
    now: datetime,
) -> Rescoring:
    """Open a dry run of a composite; once it is published, the phase ranks by it.

    Its metrics have the parameters that they have in the phase now. Raises as
    ``rescoring_open`` does.
    """
    families = families_of_formula(formula)
    missing = [term.info.label for term in formula if term.info.family not in phase.families]
    if missing:
        raise Refused(
            f"{phase.name} does not compute {', '.join(missing)}. Add it under Rules, or mix "
            "other metrics."
        )
    parts = {name: phase.parameters[name] for name in families if phase.parameters.get(name)}
    own = {"formula": formula_text(formula), **({"parts": parts} if parts else {})}
    return rescoring_open(
        phase=phase,
        parameters={NAME: own},
        precision=precision,
        reason=reason,
        actor=actor,
        now=now,
    )


@transaction.atomic
def rescoring_extend(*, rescoring: Rescoring, actor: User | None, now: datetime) -> int:
    """Add the systems that were submitted since; returns how many there were."""
    Phase.objects.select_for_update().get(pk=rescoring.phase_id)
    current = _open(rescoring)
    wanted = missing_of(targets_of(current), Submission.objects.eligible())
    evaluations_add(wanted, current.parameters, now=now)
    newcomers = len({row.submission for row in wanted})
    if newcomers:
        _audit(current, "rescoring.extend", actor, now, systems=newcomers)
    return newcomers


@transaction.atomic
def rescoring_retry(*, rescoring: Rescoring, actor: User | None, now: datetime) -> list[int]:
    """Queue a dry run's failed evaluations again; returns their ids."""
    current = _open(rescoring)
    retried = evaluations_retry(targets_of(current).eligible, now=now)
    if retried:
        _audit(current, "rescoring.retry", actor, now, evaluations=len(retried))
    return retried


@transaction.atomic
def rescoring_discard(*, rescoring: Rescoring, actor: User | None, now: datetime) -> None:
    """End a dry run without publishing it; what it has computed is kept, unpublished."""
    Phase.objects.select_for_update().get(pk=rescoring.phase_id)
    current = _open(rescoring)
    # Where the scorer no longer takes the parameters, what waits ends with a reason.
    with suppress(ScoringError, ImportError):
        waiting = targets_of(current).evaluations.filter(published=False)
        waiting.exclude(state=EvaluationState.DONE).delete()
    current.discarded_at = now
    current.save(update_fields=["discarded_at"])
    _audit(current, "rescoring.discard", actor, now)


@transaction.atomic
def rescoring_publish(
    *, rescoring: Rescoring, accept_failures: bool, actor: User | None, now: datetime
) -> None:
    """Publish a dry run's scores, for all systems at once.

    The previous ranking is kept as a snapshot. ``accept_failures``: systems for which a
    metric failed get no value of it. The caller enqueues waiting evaluations on commit.
    """
    # The lock that uploads take, too: none comes in between the check and the change.
    phase = Phase.objects.select_for_update().get(pk=rescoring.phase_id)
    current = _open(rescoring)
    targets = targets_of(current)
    status = status_of(current, targets)
    if not status.complete:
        raise _not_finished(status.unfinished, status.newcomers)
    if status.failed and not accept_failures:
        scores = "1 score" if status.failed == 1 else f"{status.failed:,} scores"
        raise Refused(f"{scores} failed. Retry, or confirm that these systems get no value.")
    if phase.frozen_at is not None and current.ranking_metric:
        raise Refused(
            "The ranking is frozen, so that its metric cannot change now. Reveal it first."
        )
    snapshot = snapshot_take(phase=phase, reason=SnapshotReason.RESCORING, actor=actor, now=now)
    evaluations_publish(targets)
    # Withdrawn and disqualified systems are not ranked, but may be restored one day:
    # then they have to have been scored like all others.
    late = evaluations_add(
        missing_of(targets, Submission.objects.all()), current.parameters, now=now, published=True
    )
    before, ranked_before = phase.parameters, phase.ranking_metric
    after = phase_after(phase, current)
    phase.parameters = after.parameters
    phase.ranking_metric, phase.precision = after.ranking_metric, after.precision
    phase.save(update_fields=["parameters", "ranking_metric", "precision"])
    current.published_at = now
    current.save(update_fields=["published_at"])
    _notify_teams(phase, current, targets, now)
    _audit(
        current,
        "rescoring.publish",
        actor,
        now,
        reason=current.reason,
        before=before,
        after=phase.parameters,
        snapshot=snapshot.sha256,
        failed=status.failed,
        later=late,
        **({"ranked_before_by": ranked_before} if current.ranking_metric else {}),
        **_rule(current),
    )


def _not_finished(unfinished: int, newcomers: int) -> Refused:
    parts = []
    if unfinished:
        what = "1 score is" if unfinished == 1 else f"{unfinished:,} scores are"
        parts.append(f"{what} still being computed")
    if newcomers:
        what = "1 system" if newcomers == 1 else f"{newcomers:,} systems"
        parts.append(f"{what} submitted since must be scored first")
    return Refused(f"The dry run cannot be published yet: {', and '.join(parts)}.")


def _notify_teams(phase: Phase, rescoring: Rescoring, targets: Targets, now: datetime) -> None:
    """Tell every team that has a system in the phase what was computed anew, and why."""
    signatures = [targets.signatures.get((name, targets.usual), "") for name in targets.families]
    labels = ", ".join(map(family_label, targets.families, signatures))
    rule = ""
    if rescoring.ranking_metric:
        rule = f" It now ranks by {phase.ranking.label} at {phase.precision} decimals."
    shown = "The frozen ranking stays as it is" if phase.frozen_at else "Ranks may have changed"
    competing = Submission.objects.competing().filter(phase=phase)
    notice_send(
        users=User.objects.filter(memberships__team__in=competing.values("team")).distinct(),
        kind=NoticeKind.JUDGED,
        text=f"The organisers computed {labels} again in {phase.name}.{rule} {shown}. "
        f"Their reason: {rescoring.reason}",
        now=now,
        page=(
            f"{phase.challenge}, {phase.name}",
            reverse("leaderboard:board", args=[phase.challenge.slug, phase.slug]),
        ),
    )


def rescoring_waiting(rescoring: Rescoring) -> list[int]:
    """Ids of a rescoring's waiting evaluations, to be sent to the queue."""
    waiting = targets_of(rescoring).evaluations.filter(state=EvaluationState.PENDING)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def evaluations_publish(targets: Targets) -> None:
    """Publish the evaluations with these signatures in place of those published before."""
    rows = Evaluation.objects.filter(
        submission__phase=targets.phase_id, family__in=targets.families
    )
    # In this order: only one of a submission and family may be published at a time.
    rows.filter(published=True).exclude(targets.matching).update(published=False)
    rows.filter(targets.matching, published=False).update(published=True)


def evaluations_add(
    wanted: Iterable[FamilyRequest],
    parameters: Mapping[str, Parameters],
    *,
    now: datetime,
    published: bool = False,
) -> int:
    """Add evaluations that wait for a worker, by family with ``parameters``; returns how many."""
    rows = list(wanted)
    hashes = {row.reference_hash for row in rows}
    sets = ReferenceSet.objects.filter(content_hash__in=hashes)
    clips = dict(sets.values_list("content_hash", "clip_count"))
    Evaluation.objects.bulk_create(
        (
            Evaluation(
                submission_id=row.submission,
                family=row.family,
                reference_hash=row.reference_hash,
                signature=row.signature,
                parameters=parameters.get(row.family, {}),
                published=published,
                clips_total=clips[row.reference_hash],
                created_at=now,
            )
            for row in rows
        ),
        batch_size=500,
    )
    return len(rows)


def _rule(rescoring: Rescoring) -> dict[str, Any]:
    if not rescoring.ranking_metric:
        return {}
    return {"ranking_metric": rescoring.ranking_metric, "precision": rescoring.precision}


def _same_as_now(rescoring: Rescoring, targets: Targets, phase: Phase) -> bool:
    """Whether publishing would change neither a score nor a parameter nor how it is ranked."""
    after = phase_after(phase, rescoring)
    if (after.ranking_metric, after.precision) != (phase.ranking_metric, phase.precision):
        return False
    same = all(
        phase.parameters.get(name, {}) == rescoring.parameters.get(name, {})
        for name in targets.families
    )
    return same and not targets.eligible.filter(published=False).exists()


def _open(rescoring: Rescoring) -> Rescoring:
    """The rescoring as it is now, locked; refused where it is over."""
    current = Rescoring.objects.select_for_update().get(pk=rescoring.pk)
    if current.published_at is not None or current.discarded_at is not None:
        what = "published" if current.published_at else "discarded"
        raise Refused(f"This dry run was {what} in the meantime. Nothing was changed.")
    return current


def _audit(
    rescoring: Rescoring, action: str, actor: User | None, now: datetime, **details: Any
) -> None:
    phase = Phase.objects.select_related("challenge").get(pk=rescoring.phase_id)
    audit_record(
        action,
        phase,
        actor=actor,
        now=now,
        phase=phase.name,
        rescoring=rescoring.pk,
        families=rescoring.families,
        **details,
    )
