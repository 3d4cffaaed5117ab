"""What follows where a project is closed or opened again, or a member removed: asked before."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Annotation, Assignment, Member, Project, Role


@dataclass(frozen=True, slots=True)
class Closing:
    """What is unfinished in a project, and who sees what.

    ``waiting`` captions still lack answers; ``at_hand`` of them are with ``holders`` people.
    ``lookers`` are annotators and adjudicators who have looked at the agreement.
    """

    waiting: int
    at_hand: int
    holders: int
    annotators: int
    lookers: int


def closing_of(project: Project) -> Closing:
    """Count it, in five queries."""
    unfinished = Assignment.objects.filter(project=project, done=False)
    held = _in_hand(unfinished)
    return Closing(
        waiting=unfinished.values("item").distinct().count(),
        at_hand=held.values("item").distinct().count(),
        holders=held.values("user").distinct().count(),
        annotators=project.members.filter(role=Role.ANNOTATOR, user__is_active=True).count(),
        lookers=lookers(project).count(),
    )


def lookers(project: Project) -> QuerySet[Member]:
    """Members who have looked at the agreement, but managers, who can read everything."""
    return project.members.filter(agreement_shown_at__isnull=False).exclude(role=Role.MANAGER)


@dataclass(frozen=True, slots=True)
class MemberWork:
    """What a member has answered, and captions at hand that go to others without them."""

    answered: int
    at_hand: int


def member_work(member: Member) -> MemberWork:
    """Count it, in two queries."""
    mine = Assignment.objects.filter(project=member.project, user=member.user, done=False)
    answers = Annotation.objects.filter(item__project=member.project, user=member.user)
    return MemberWork(answers.count(), _in_hand(mine).count())


def _in_hand(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those that somebody holds and has not answered, late or not: nobody took them yet."""
    answered = Annotation.objects.filter(item=OuterRef("item"), user=OuterRef("user"))
    return assignments.filter(~Exists(answered), user__isnull=False)
