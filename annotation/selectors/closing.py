"""What closing a project, opening it again or removing a member brings; who closed one."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import ANSWERED, Annotation, Assignment, Member, Project, Role
from leaderboard.models import AuditEvent


@dataclass(frozen=True, slots=True)
class Closing:
    """What is unfinished in a project, and who sees what.

    ``waiting`` captions still lack answers; ``at_hand`` of them are with ``holders`` people.
    ``uncounted`` answers are kept without counting.
    ``lookers`` are annotators and adjudicators who have looked at the agreement.
    """

    waiting: int
    at_hand: int
    holders: int
    uncounted: int
    annotators: int
    lookers: int


def closing_of(project: Project) -> Closing:
    """Count it, in six queries."""
    unfinished = Assignment.objects.filter(project=project, done=False)
    held = in_hand(unfinished)
    return Closing(
        waiting=unfinished.values("item").distinct().count(),
        at_hand=held.values("item").distinct().count(),
        holders=held.values("user").distinct().count(),
        uncounted=Annotation.objects.uncounted().filter(item__project=project).count(),
        annotators=project.members.filter(role=Role.ANNOTATOR, user__is_active=True).count(),
        lookers=lookers(project).count(),
    )


def lookers(project: Project) -> QuerySet[Member]:
    """Members who have looked at the agreement, but managers, who can read everything."""
    return project.members.filter(agreement_shown_at__isnull=False).exclude(role=Role.MANAGER)


def closing_act(project: Project) -> tuple[str, datetime | None]:
    """Who closed a project and when: "" and None where that is not known any more."""
    acts = AuditEvent.objects.filter(target=f"labelling/{project.slug}", action="labelling.close")
    act = acts.select_related("actor").first()
    if act is None:
        return "", None
    return "" if act.actor is None else act.actor.get_username(), act.at


@dataclass(frozen=True, slots=True)
class MemberWork:
    """What a member has answered, and captions at hand that go to others without them."""

    answered: int
    at_hand: int


def member_work(member: Member) -> MemberWork:
    """Count it, in two queries."""
    mine = Assignment.objects.filter(project=member.project, user=member.user, done=False)
    answers = Annotation.objects.filter(item__project=member.project, user=member.user)
    return MemberWork(answers.count(), in_hand(mine).count())


def in_hand(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those that somebody holds and has not answered, late or not: nobody took them yet."""
    mine = Annotation.with_removed.filter(item=OuterRef("item"), user=OuterRef("user"))
    answered = mine.filter(ANSWERED)
    return assignments.filter(~Exists(answered), user__isnull=False)
