"""Test captions: settled ones that are mixed into what a person labels, to measure the person.

Who labels is not to tell them from others. Of each ``test_every`` captions in a row that a
person is handed, one is a test, in a place that nobody without the site's key can compute.
"""

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    Item,
    Member,
    Project,
    QualificationCaption,
    Role,
)
from leaderboard.models import User


def gives_tests(project: Project, member: Member) -> bool:
    """Whether captions of this member are mixed with tests: others can look up what is settled."""
    return project.test_every is not None and member.role == Role.ANNOTATOR


def serving_items(project: Project) -> QuerySet[Item]:
    """The captions that can be tests: settled, and with no answer to come.

    Where labels are suggested only captions that several label, which never have suggestions.
    """
    waiting = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    shown = QualificationCaption.objects.filter(item=OuterRef("pk"))
    items = project.items.filter(~Exists(waiting), ~Exists(shown), gold__isnull=False)
    return items.filter(copies__gt=1) if project.suggest else items


def test_items(project: Project, user: User) -> QuerySet[Item]:
    """Those of them that the person has never been handed and never answered."""
    mine = {"item": OuterRef("pk"), "user": user}
    handed, answered = AssignmentRecord.objects.filter(**mine), Annotation.every.filter(**mine)
    return serving_items(project).filter(~Exists(handed), ~Exists(answered))


def captions_handed(project: Project, user: User) -> int:
    """How many captions the person was ever handed, tests among them."""
    return AssignmentRecord.objects.filter(item__project=project, user=user).count()


def test_places(project: Project, user: User, handed: int, count: int) -> list[bool]:
    """Whether each of the next ``count`` captions is a test, after ``handed`` ones."""
    every = project.test_every or 1
    return [
        number % every == _place(project, user, number // every, every)
        for number in range(handed, handed + count)
    ]


def tests_ahead(project: Project, user: User, work: int) -> int:
    """How many tests come before the last of ``work`` captions that are still free."""
    member = Member.objects.filter(project=project, user=user) if project.test_every else []
    if project.test_every is None or not any(gives_tests(project, one) for one in member):
        return 0
    every, handed = project.test_every, captions_handed(project, user)
    block, begun = divmod(handed, every)
    tests = 0
    if begun:
        place = _place(project, user, block, every)
        ahead = place >= begun
        rest = every - begun - ahead
        if work <= rest:
            return _at_most(project, user, int(ahead and work > place - begun))
        tests, work, block = int(ahead), work - rest, block + 1
    # All but the last run are whole; a test after the last caption does not come.
    whole, last = divmod(max(0, work - 1), every - 1)
    if work:
        tests += whole + (last + 1 > _place(project, user, block + whole, every))
    return _at_most(project, user, tests)


def _at_most(project: Project, user: User, tests: int) -> int:
    return min(tests, test_items(project, user).count())


def _place(project: Project, user: User, block: int, every: int) -> int:
    """In which place of a run of captions the test comes."""
    digest = salted_hmac("annotation.test_captions", f"{project.pk}:{user.pk}:{block}").digest()
    return int.from_bytes(digest[:8]) % every
