"""Granting a person a right of this site by a command, or revoking it."""

from django.contrib.auth.models import Permission
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.models import User
from leaderboard.services.audit_log import audit_record


class RightCommand(BaseCommand):
    """A command for one right, which superusers have anyway.

    ``codename`` is the right's, ``acts`` the names of giving and taking in the audit
    log, ``thing`` what the person may do then, behind "may".
    """

    codename: str
    acts: tuple[str, str]
    thing: str

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the person."""
        parser.add_argument("user", metavar="USER", help="Their user name.")
        parser.add_argument("--revoke", action="store_true", help="Remove the right.")

    def handle(self, *_args: object, user: str, revoke: bool, **_options: object) -> None:
        """Grant or revoke the right."""
        person = User.objects.filter(username=user).first()
        if person is None:
            raise CommandError(
                f"Nobody has the user name {user}. This person has to sign up first."
            )
        right = Permission.objects.get(
            codename=self.codename, content_type__app_label="leaderboard"
        )
        if revoke:
            person.user_permissions.remove(right)
        else:
            person.user_permissions.add(right)
        audit_record(self.acts[revoke], user, actor=None, now=timezone.now())
        may = "may no longer" if revoke else "may"
        self.stdout.write(f"{user} {may} {self.thing}.")
        if revoke and person.is_superuser:
            self.stdout.write("As a superuser, this person still may.")
