"""People, their teams, their tokens, and the audit log of what they did."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest

from leaderboard.admin.rights import Audited, NoAdd, NoChange, ReadOnly
from leaderboard.models import ApiToken, AuditEvent, Membership, Team, User

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    """The members of a team."""

    model = Membership
    fields = ("user", "role", "joined_at")
    readonly_fields = ("joined_at",)
    autocomplete_fields = ("user",)
    extra = 0


@admin.register(Team)
class TeamAdmin(Audited):
    """Teams with their members."""

    list_display = ("name", "slug", "affiliation", "created_at")
    search_fields = ("name", "slug", "affiliation")
    readonly_fields = ("created_at",)
    inlines = (MembershipInline,)


@admin.register(User)
class UserAdmin(Audited, DjangoUserAdmin):  # type: ignore[type-arg]
    """People; to shut someone out, take "active" away rather than delete them.

    Only a superuser may grant rights or change other superusers: a new password for one
    would be a way to all rights, too.
    """

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Fix the rights."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if _has_all_rights(request) else (*fixed, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse to change those with all rights."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse to delete those with all rights."""
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)


def _has_all_rights(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


def _may_touch(request: HttpRequest, obj: User | None) -> bool:
    return obj is None or not obj.is_superuser or _has_all_rights(request)


@admin.register(ApiToken)
class ApiTokenAdmin(NoAdd, NoChange, Audited):
    """Tokens: to see and to revoke by deletion; the digest stays where it is."""

    list_display = ("prefix", "name", "user", "created_at", "last_used_at")
    search_fields = ("name", "prefix", "user__username")
    fields = ("prefix", "name", "user", "created_at", "last_used_at")
    list_select_related = ("user",)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Who did what, when."""

    list_display = ("at", "actor", "action", "target")
    list_filter = ("action",)
    search_fields = ("target", "actor__username")
    list_select_related = ("actor",)
    date_hierarchy = "at"
