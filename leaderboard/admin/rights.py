"""Base classes of the admin: read-only rows, and changes that are audited."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from leaderboard.models import User
from leaderboard.models.audit import place_in_log
from leaderboard.services.audit_log import audit_record


class NoEdit:
    """Rows that only the site itself makes, and that nobody changes by hand."""

    def has_add_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    has_change_permission = has_add_permission


class ReadOnly(NoEdit):
    """Rows to look at."""

    has_delete_permission = NoEdit.has_add_permission


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
            action,
            f"{type(obj).__name__} {obj.pk}{named}",
            actor=actor,
            now=timezone.now(),
            challenge=place_in_log(obj)[1],
            **details,
        )
