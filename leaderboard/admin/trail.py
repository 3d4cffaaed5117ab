"""The audit trail: strictly to read."""

from django.contrib import admin

from leaderboard.admin.rights import ReadOnly
from leaderboard.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Who did what, when."""

    list_display = ("at", "actor", "action", "target")
    list_filter = ("action",)
    search_fields = ("target", "actor__username")
    list_select_related = ("actor",)
    date_hierarchy = "at"
