"""What commands are given by name."""

from django.core.management.base import CommandError

from annotation.models import Project, Scheme
from annotation.services.schemes import schemes_load
from leaderboard.models import User


def project_named(slug: str) -> Project | None:
    """The project of a slug."""
    return Project.objects.select_related("scheme").filter(slug=slug).first()


def project_required(slug: str) -> Project:
    """The project of a slug, or raise ``CommandError`` that names those that exist."""
    project = project_named(slug)
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True))
        raise CommandError(f"There is no project {slug}. Known: {known or 'none'}.")
    return project


def scheme_named(slug: str) -> Scheme:
    """The newest version of an inventory; those that come with Earmark are stored first."""
    schemes_load()
    scheme = Scheme.objects.filter(slug=slug).order_by("-version").first()
    if scheme is None:
        known = ", ".join(sorted(set(Scheme.objects.order_by().values_list("slug", flat=True))))
        raise CommandError(f"There is no scheme {slug}. Known: {known}.")
    return scheme


def user_named(username: str) -> User:
    """The person of a user name, or raise ``CommandError``."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username}.")
    return user


def account_given(option: str, fault: str) -> tuple[str, User]:
    """A name in a file and whose it is, of NAME=USERNAME; else ``CommandError`` says ``fault``."""
    name, _, username = option.rpartition("=")
    if not name:
        raise CommandError(fault)
    return name, user_named(username)
