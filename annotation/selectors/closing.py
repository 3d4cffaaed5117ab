"""What closing, opening or deleting a project or removing a member brings; who closed one."""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import (
    ANSWERED,
    Annotation,
    Assignment,
    Gold,
    Import,
    Item,
    Member,
    Project,
    Role,
    Sound,
    TrainingRun,
)
from leaderboard.models import AuditEvent


def closing_of(project: Project) -> dict[str, int]:
    """What is unfinished in a project, and who sees what, in six queries.

    ``waiting`` captions still lack answers; ``at_hand`` of them are with ``holders`` people.
    ``uncounted`` answers are kept without counting.
    ``lookers`` are annotators and adjudicators who have looked at the agreement.
    """
    unfinished = Assignment.objects.filter(project=project, done=False)
    held = in_hand(unfinished)
    return {
        "waiting": unfinished.values("item").distinct().count(),
        "at_hand": held.values("item").distinct().count(),
        "holders": held.values("user").distinct().count(),
        "uncounted": Annotation.objects.uncounted().filter(item__project=project).count(),
        "annotators": project.members.filter(role=Role.ANNOTATOR, user__is_active=True).count(),
        "lookers": lookers(project).count(),
    }


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


def member_work(member: Member) -> dict[str, int]:
    """What a member has ``answered``, and captions ``at_hand`` that go to others without them."""
    mine = Assignment.objects.filter(project=member.project, user=member.user, done=False)
    answers = Annotation.objects.filter(item__project=member.project, user=member.user)
    return {"answered": answers.count(), "at_hand": in_hand(mine).count()}


def in_hand(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those that somebody holds and has not answered, late or not: nobody took them yet."""
    mine = Annotation.with_removed.filter(item=OuterRef("item"), user=OuterRef("user"))
    answered = mine.filter(ANSWERED)
    return assignments.filter(~Exists(answered), user__isnull=False)


def project_contents(project: Project) -> dict[str, int]:
    """How much of everything there is, of removed captions too, in seven queries.

    ``answers`` are all of them, whether they count or not.
    """
    return {
        "captions": Item.with_removed.filter(project=project).count(),
        "answers": Annotation.with_removed.filter(item__project=project, test=False).count(),
        "settled": Gold.with_removed.filter(item__project=project).count(),
        "people": Member.objects.filter(project=project).count(),
        "imports": Import.objects.filter(project=project).count(),
        "sounds": Sound.objects.filter(project=project).count(),
        "trainings": TrainingRun.objects.filter(project=project).count(),
    }


def contents_stamp(contents: dict[str, int]) -> str:
    """What changes with every number of a project's contents."""
    return "-".join(map(str, contents.values()))
