"""Choosing the labeller that is in use, and going back to the one before."""

from datetime import datetime

from django.db import transaction

from earmark.models.descriptors import find_labeller
from leaderboard.models import Labeller, LabellerUse, User
from leaderboard.selectors.labellers.files import (
    installation_path,
    labeller_folder,
    shipped_identity,
)
from leaderboard.selectors.labellers.use import latest_use
from leaderboard.services.audit_log import audit_record
from leaderboard.web.refusals import Refused

_NONE_BEFORE = "No other labeller was in use before, so there is nothing to go back to."


@transaction.atomic
def labeller_put_to_use(
    *,
    labeller: Labeller | None,
    reason: str,
    actor: User | None,
    now: datetime,
    seen: str | None = None,
) -> LabellerUse:
    """Make a labeller the one in use; None is the shipped one.

    Existing phases keep theirs until an organiser rescores them. ``seen`` is the identity
    that was in use when the person loaded the page. Raises ``ScoringError`` where the files are
    missing or not as they were stored.
    """
    last = _locked_latest()
    if _identity(labeller) == _seen_still(last, seen):
        raise Refused(f"{_identity(labeller)} is already in use. Nothing was changed.")
    return _use_create(labeller, last, reason=reason, actor=actor, now=now)


@transaction.atomic
def labeller_roll_back(
    *, actor: User | None, now: datetime, seen: str | None = None
) -> LabellerUse:
    """Go back to the labeller that was in use before the present one.

    Raises as ``labeller_put_to_use`` does.
    """
    last = _locked_latest()
    if last is None:
        raise Refused(_NONE_BEFORE)
    present = _seen_still(last, seen)
    before = LabellerUse.objects.select_related("labeller").exclude(pk=last.pk).first()
    labeller = before.labeller if before else None
    if _identity(labeller) == present:
        raise Refused(_NONE_BEFORE)
    reason = f"Rolled back from {present}"
    return _use_create(labeller, last, reason=reason, actor=actor, now=now)


def _locked_latest() -> LabellerUse | None:
    """The latest choice, locked against other choices and deletions.

    The rows of labellers are locked, since the history may have none: there is always a
    labeller, or nothing to choose.
    """
    list(Labeller.objects.select_for_update().order_by("pk").values_list("pk", flat=True))
    return latest_use()


def _use_create(
    labeller: Labeller | None,
    last: LabellerUse | None,
    *,
    reason: str,
    actor: User | None,
    now: datetime,
) -> LabellerUse:
    identity = _identity(labeller)
    if labeller is None:
        find_labeller(installation_path())
    else:
        labeller_folder(identity)
    use = LabellerUse.objects.create(
        labeller=labeller,
        identity=identity,
        reason=reason.strip()[:300],
        put_by=actor,
        # Clocks differ between servers; the latest choice must have the latest time.
        put_at=now if last is None else max(now, last.put_at),
    )
    audit_record(
        "labeller.use",
        identity,
        actor=actor,
        now=now,
        instead_of=_identity(last.labeller if last else None),
        reason=use.reason,
    )
    return use


def _identity(labeller: Labeller | None) -> str:
    """Identity of a labeller; None is the shipped one."""
    return shipped_identity() if labeller is None else labeller.identity


def _seen_still(use: LabellerUse | None, seen: str | None) -> str:
    """Identity of the chosen labeller; refused where somebody has chosen it since the page."""
    present = _identity(use.labeller if use else None)
    if seen is not None and seen != present:
        person = use.put_by if use else None
        who = "Somebody" if person is None else person.get_username()
        raise Refused(
            f"{who} put {present} into use in the meantime. Nothing was changed. Check it, then "
            "choose again."
        )
    return present
