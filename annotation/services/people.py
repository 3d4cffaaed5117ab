"""People who leave the site: their work stays, under a name that tells nothing of them."""

import re
from datetime import datetime

from django.db import transaction

from annotation.models import Annotation, Assignment, Member, Project
from annotation.services.projects import free_name
from leaderboard.models import AuditEvent, User

FORMER = "a former annotator"
_NUMBERED = re.compile(rf"^{FORMER} (\d+)$")


@transaction.atomic
def person_leaves(user: User, *, now: datetime) -> None:
    """Let go of a person whose account is about to be deleted.

    In each project the annotations go over to someone who cannot log in, called
    "a former annotator 3", another one in each, so that nothing tells that they
    were one person. Places that are done stay done, those that were held are free
    again, and every count stays as it was.
    """
    held = Assignment.objects.filter(user=user, done=False)
    held.update(user=None, expires_at=None)
    worked = Annotation.objects.filter(user=user).values("item__project")
    for project in Project.objects.filter(pk__in=worked).order_by("pk"):
        _hand_over(project, user, now)


def _hand_over(project: Project, user: User, now: datetime) -> None:
    # Numbers are given one after another.
    Project.objects.select_for_update().get(pk=project.pk)
    name = free_name(project, f"{FORMER} {_next(project)}")
    # A slash stands in no user name that people can choose.
    former = User(username=f"{project.slug}/{name}", is_active=False)
    former.set_unusable_password()
    former.save()
    left = Member.objects.filter(project=project, user=user).first()
    made = Member.objects.create(project=project, user=former, name=name)
    if left is not None:
        # People stand in the order of joining, wherever they have numbers.
        Member.objects.filter(pk=made.pk).update(
            joined_at=left.joined_at, agreement_shown_at=left.agreement_shown_at
        )
        left.delete()
    Annotation.objects.filter(item__project=project, user=user).update(user=former)
    Assignment.objects.filter(project=project, user=user).update(user=former)
    AuditEvent.objects.create(
        at=now,
        actor=None,
        action="labelling.person-left",
        target=f"labelling/{project.slug}",
        details={"name": name},
    )


def _next(project: Project) -> int:
    names = project.members.filter(name__startswith=FORMER).values_list("name", flat=True)
    numbers = [int(found[1]) for name in names if (found := _NUMBERED.match(name))]
    return max(numbers, default=0) + 1
