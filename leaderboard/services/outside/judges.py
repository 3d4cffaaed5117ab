"""Turning judges from elsewhere on and off for a phase."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from earmark.errors import ScoringError
from leaderboard.models import Evaluation, EvaluationState, LanguageModelUse, Phase, User
from leaderboard.scorer import family_parameters
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.outside import kind_of, language_model_server
from leaderboard.services.audit_log import audit_record
from leaderboard.services.evaluations.states import evaluations_retry
from leaderboard.services.organising.phases import phase_metrics_apply
from leaderboard.web.refusals import Refused


@transaction.atomic
def judge_turn_on(
    *,
    phase: Phase,
    family: str,
    model: str,
    budget: int,
    actor: User | None,
    now: datetime,
) -> list[int]:
    """Have a phase compute a judge with a model of the settings.

    ``budget`` is the most requests that may be sent to a language model; judges that listen need
    none. What failed before is tried again. Returns ids of evaluations to be sent to the queue on
    commit.
    """
    locked = _locked(phase)
    before, families = locked.parameters.get(family), locked.families
    own, note = _parameters(locked, family, model)
    if kind_of(family) == "language":
        # An organiser agrees that captions are sent.
        agreed = {"host": language_model_server(model).host, "budget": budget}
        LanguageModelUse.objects.update_or_create(
            phase=locked, defaults={**agreed, "model": model, "active": True}
        )
        note |= agreed
    if before != own:
        # What waits was to be asked of another model, or to hear other recordings.
        _of(locked, family).exclude(state=EvaluationState.DONE).delete()
        locked.parameters = {**locked.parameters, family: own}
        locked.save(update_fields=["parameters"])
        others = [name for name in families if name != family]
        waiting = _applied(locked, others, now)
    else:
        waiting = evaluations_retry(_of(locked, family).filter(published=True), now=now)
    phase.parameters = locked.parameters
    audit_record("phase.judge_on", locked, actor=actor, now=now, metric=family, model=model, **note)
    return waiting


@transaction.atomic
def judge_turn_off(*, phase: Phase, family: str, actor: User | None, now: datetime) -> None:
    """Have a phase compute a judge no more and hide its results; nothing more is sent."""
    locked = _locked(phase)
    if family not in locked.parameters or kind_of(family) is None:
        raise Refused("It is not turned on.")
    families = locked.families
    locked.parameters = {key: own for key, own in locked.parameters.items() if key != family}
    try:
        locked.clean()
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from error
    locked.save(update_fields=["parameters"])
    if kind_of(family) == "language":
        LanguageModelUse.objects.filter(phase=locked).update(active=False)
    _applied(locked, families, now)
    phase.parameters = locked.parameters
    audit_record("phase.judge_off", locked, actor=actor, now=now, metric=family)


def _locked(phase: Phase) -> Phase:
    locked = Phase.objects.select_for_update().select_related("challenge").get(pk=phase.pk)
    if locked.frozen_at is not None:
        raise Refused("The ranking is frozen, so this cannot change now. Reveal it first.")
    return locked


def _of(phase: Phase, family: str) -> Any:
    return Evaluation.objects.filter(submission__phase=phase, family=family)


def _parameters(phase: Phase, family: str, model: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of a judge, and what of them the audit log tells beside the model."""
    details = {}
    if kind_of(family) == "clap":
        details["recordings"] = recordings_of(phase.reference_set).digest
    # Others were set by a rescoring.
    own = {**phase.parameters.get(family, {}), "model": model, **details}
    try:
        family_parameters(family, own)
    except (ScoringError, ImportError) as error:
        raise Refused(f"{family_label(family)} cannot be turned on: {error}") from error
    return own, details


def _applied(phase: Phase, before: list[str] | tuple[str, ...], now: datetime) -> list[int]:
    try:
        return phase_metrics_apply(phase=phase, before=before, now=now)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from error
