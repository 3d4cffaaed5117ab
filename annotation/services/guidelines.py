"""Guidelines: every version is kept, and who has opened which."""

from datetime import datetime

from annotation.models import GuidelinesVersion, Member, Project
from leaderboard.models import User


def guidelines_keep(*, project: Project, by: User | None, now: datetime) -> None:
    """Keep the project's guidelines as a new version where they differ from the newest.

    Who writes them has read them. The caller holds a transaction.
    """
    # Numbers are given one after another.
    Project.objects.select_for_update().get(pk=project.pk)
    newest = project.guidelines_versions.first()
    if project.guidelines == (newest.text if newest else ""):
        return
    number = newest.number + 1 if newest else 1
    GuidelinesVersion.objects.create(
        project=project, number=number, text=project.guidelines, saved_by=by, saved_at=now
    )
    mine = Member.objects.filter(project=project, user=by)
    mine.update(guidelines_read=number, guidelines_read_at=now)


def guidelines_note_read(*, member: Member, number: int, now: datetime) -> None:
    """Note that a member has opened this version; what was read before stays read."""
    Member.objects.filter(pk=member.pk, guidelines_read__lt=number).update(
        guidelines_read=number, guidelines_read_at=now
    )
