"""Base classes of the admin: read-only rows, and changes that are audited."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from leaderboard.access import is_organiser
from leaderboard.models import Announcement, Challenge, Phase, Submission, User
from leaderboard.services.audit_log import audit_record


def may_see_detail(request: HttpRequest, submission: Submission) -> bool:
    """Whether the reader may see the text of an error, which may hold a hidden caption."""
    user = request.user
    return isinstance(user, User) and is_organiser(user, submission.phase.challenge)


def without_detail(fields: Sequence[Any]) -> list[Any]:
    """Leave the detail out."""
    return [name for name in fields if name != "detail"]


class NoAdd:
    """Rows that only the site itself makes."""

    def has_add_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        """Refuse."""
        return False


class NoDelete:
    """Rows that others depend on."""

    def has_delete_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        """Refuse."""
        return False


class NoChange:
    """Rows that are never changed by hand."""

    def has_change_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        """Refuse."""
        return False


class ReadOnly(NoAdd, NoChange, NoDelete):
    """Rows to look at."""


class Audited(admin.ModelAdmin):  # type: ignore[type-arg]
    """Record changes in the audit log, which outlives Django's own log."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save, and note which fields changed."""
        super().save_model(request, obj, form, change)
        what = "change" if change else "add"
        self._note(request, f"admin.{what}", obj, fields=sorted(form.changed_data))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the rows below, and note which of them changed."""
        super().save_formset(request, form, formset, change)
        for obj in formset.new_objects:
            self._note(request, "admin.add", obj)
        for obj, fields in formset.changed_objects:
            self._note(request, "admin.change", obj, fields=sorted(fields))
        for obj in formset.deleted_objects:
            self._note(request, "admin.delete", obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Note, then delete."""
        self._note(request, "admin.delete", obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """Note each, then delete."""
        for obj in queryset:
            self._note(request, "admin.delete", obj)
        super().delete_queryset(request, queryset)

    def _note(self, request: HttpRequest, action: str, obj: Any, **details: Any) -> None:
        actor = request.user if isinstance(request.user, User) else None
        # The audit log outlives people, and keeps only their numbers.
        named = "" if isinstance(obj, User) else f" {obj}"
        audit_record(
            at=timezone.now(),
            actor=actor,
            action=action,
            target=f"{type(obj).__name__} {obj.pk}{named}",
            challenge=_challenge_of(obj),
            **details,
        )


def _challenge_of(obj: Any) -> Challenge | None:
    """The challenge in whose log a change belongs, if any."""
    if isinstance(obj, Phase | Announcement):
        return obj.challenge
    if isinstance(obj, Submission):
        return obj.phase.challenge
    return obj if isinstance(obj, Challenge) else None
