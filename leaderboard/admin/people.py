"""People, their teams, their tokens, and the audit log of what they did."""

from collections.abc import Iterable
from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.models import Authenticator
from allauth.socialaccount.admin import SocialAccountAdmin, SocialAppAdmin, SocialTokenAdmin
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from leaderboard.admin.rights import Audited, NoEdit, ReadOnly
from leaderboard.models import ApiToken, AuditEvent, Membership, Team, User
from leaderboard.selectors.people.accounts import ties_of
from leaderboard.services.people.accounts import account_delete
from leaderboard.web.extensions import holds_rights
from leaderboard.web.refusals import Refused

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

    Only a superuser may grant rights, or change the account of somebody else who has any: a new
    password or address would be a way to these rights, too. Deleting keeps the rules of
    ``services.people.accounts``.
    """

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Fix the rights."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if _has_all_rights(request) else (*fixed, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse to change those with rights."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse to delete those with rights."""
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name the accounts, whether one may not be deleted, and what would have nobody then."""
        names, counts = [str(user) for user in objs], {"people": len(objs)}
        if not all(self.has_delete_permission(request, user) for user in objs):
            return names, counts, {"person"}, []
        ties = [f"{user}: {tie.what} {tie.remedy}" for user in objs for tie in ties_of(user)]
        return names, counts, set(), ties

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """Delete an account as its owner would."""
        self.delete_queryset(request, [obj])

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: Iterable[User]) -> None:
        """Delete all accounts or none."""
        actor = request.user if isinstance(request.user, User) else None
        try:
            for user in queryset:
                account_delete(user=user, actor=actor, now=timezone.now())
        except Refused as error:
            raise PermissionDenied(str(error)) from error


def _has_all_rights(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


def _may_touch(request: HttpRequest, obj: User | None) -> bool:
    """Whether somebody may change an account: their own, or one without rights."""
    if obj is None or obj == request.user or _has_all_rights(request):
        return True
    return not (
        obj.is_staff
        or obj.is_superuser
        or obj.groups.exists()
        or obj.user_permissions.exists()
        or obj.organised_challenges.exists()
        or any(holds(obj) for holds in holds_rights)
    )


class _SuperusersOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows by which people log in or have rights: whoever writes them can be anybody."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse all but superusers."""
        return super().has_view_permission(request, obj) and _has_all_rights(request)

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission


for _model, _admin in (
    (Group, GroupAdmin),
    (EmailAddress, EmailAddressAdmin),
    (Authenticator, AuthenticatorAdmin),
    (SocialAccount, SocialAccountAdmin),
    (SocialApp, SocialAppAdmin),
    (SocialToken, SocialTokenAdmin),
):
    admin.site.unregister(_model)
    admin.site.register(_model, type(_admin.__name__, (_SuperusersOnly, _admin), {}))


@admin.register(ApiToken)
class ApiTokenAdmin(NoEdit, Audited):
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
