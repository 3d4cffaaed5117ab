"""Everything that is one person's, to give it to them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from leaderboard.models import AuditEvent, Notice, Submission, User

Record: TypeAlias = Mapping[str, object]
# One object, or the rows of a list as they come.
Part: TypeAlias = Record | Iterable[Record]

_SUBMISSION = (
    "public_id", "phase__challenge__slug", "phase__slug", "team__slug", "system_name",
    "description", "metadata", "file_name", "file_id", "file__size", "report_name", "report_id",
    "created_at", "withdrawn_at",
)  # fmt: skip


def person_parts(user: User) -> Iterator[tuple[str, Part]]:
    """Give the parts of a person's data by name; rows are read as they are asked for."""
    yield "profile", _profile(user)
    yield "email_addresses", _rows(EmailAddress, user, "email", "verified", "primary")
    yield "second_factors", _rows(Authenticator, user, "type", "created_at", "last_used_at")
    yield "accounts_elsewhere", _rows(SocialAccount, user, "provider", "uid", "date_joined")
    yield "api_tokens", _rows(user.api_tokens, user, "name", "prefix", "created_at", "last_used_at")
    yield "teams", user.memberships.values("team__slug", "team__name", "role", "joined_at")
    yield "organises", user.organised_challenges.values("slug", "title")
    yield "submissions", _submissions(user)
    yield "notices", _rows(Notice, user, "kind", "text", "at", "read_at", "mailed_at")
    yield "acts", _acts(user)


def _profile(user: User) -> Record:
    return {
        "number": user.pk,
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "joined_at": user.date_joined,
        "last_login": user.last_login,
        "mail_notices": user.mail_notices,
        "mail_trainings": user.mail_trainings,
    }


def _rows(table: Any, user: User, *names: str) -> Iterator[Record]:
    rows = table.filter(user=user) if hasattr(table, "filter") else table.objects.filter(user=user)
    yield from rows.order_by("pk").values(*names).iterator()


def _submissions(user: User) -> Iterator[Record]:
    rows = Submission.objects.filter(submitted_by=user).order_by("created_at", "pk")
    teams = set(user.memberships.values_list("team__slug", flat=True))
    for row in rows.values(*_SUBMISSION).iterator():
        if row["team__slug"] not in teams:
            # The team may have written it anew since the person went.
            row["description"] = row["metadata"] = None
        row["file_sha256"], row["report_sha256"] = row.pop("file_id"), row.pop("report_id")
        yield row


def _acts(user: User) -> Iterator[Record]:
    rows = AuditEvent.objects.filter(actor_id=user.pk).order_by("at", "pk")
    yield from rows.values("at", "action", "target", "details").iterator()
