"""Projects as their pages show them: people, remarks and what was done to them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from annotation.models import COUNTING, UNCOUNTED, Annotation, Assignment, Member, Project, Role
from annotation.selectors.people import is_session
from annotation.selectors.progress import IMPORTED, captions_left, own_progress, project_progress
from earmark.captions.faults import count_of
from leaderboard.models import AuditEvent, User


def project_rows(projects: Iterable[Project], user: User, now: datetime) -> list[dict[str, Any]]:
    """Describe projects to a person; eight queries for each (people have a few).

    ``role`` and ``own`` are None for staff who are not in one.
    """
    roles = {row.project_id: Role(row.role) for row in Member.objects.filter(user=user)}
    return [
        {
            "project": project,
            "role": roles.get(project.pk),
            "own": own_progress(project, user, now) if project.pk in roles else None,
            "whole": project_progress(project),
        }
        for project in projects
    ]


# Projects listed on the front page.
MOST_WAITING = 5


def open_work(user: User, now: datetime) -> list[dict[str, Any]]:
    """The open projects in which items are left for a person; ``MOST_WAITING`` at most."""
    mine = Project.objects.filter(members__user=user, closed=False, archived_at=None)
    left = [(project, captions_left(project, user, now)) for project in mine[:MOST_WAITING]]
    return [{"project": project, "left": count} for project, count in left if count]


MOST_EVENTS = 30
_ACTS = {
    "sounds": "added recordings: {files}",
    "sounds-removed": "removed all recordings: {files}",
    "create": "made the project",
    "from-archive": "made the project from an archive with {captions} captions",
    "archive": "archived the project",
    "unarchive": "brought the project back from the archive",
    "join": "joined by an invitation: {role}",
    "invite": "made an invitation: {role}, for {uses}",
    "invite-withdraw": "withdrew an invitation: {role}",
    "change": "changed the settings",
    "close": "closed the project",
    "reopen": "opened the project again",
    "take-closing-back": "took the closing back; nobody had looked at the agreement",
    "qualification": "made annotators qualify",
    "qualification-off": "switched the qualification off",
    "qualification-captions": "added captions to the qualification: {count}",
    "qualification-caption-removed": "removed a caption from the qualification",
    "qualification-by-hand": "let {user} label without qualifying",
    "member-remove": "removed {user}",
    "session-give": "gave the work of {session}, answers: {answers}, to {user}",
    "session-back": "took the work of {session}, answers: {answers}, back from {user}",
    "new-owner": "handed the project over to {user}",
    "tests": "mixed a test into each {every} captions",
    "tests-off": "switched test captions off",
    "pairs": "drew pairs of {phase}",
    "scheme": "made version {version} of the labels",
    "person-left": "deleted the account; the work stays as that of {name}",
    "train": "started training {number}",
    "train-cancel": "cancelled training {number}",
    "train-again": "tried training {number} again",
}
_WITH_CAPTIONS = {
    "hand-over": "handed {captions} to {user}",
    "ask-again": "asked for one more answer to {captions}{whose}",
    "send-back": "sent {captions} back to those who answered",
    "captions-remove": "removed {captions} from the project",
    "captions-bring-back": "brought {captions} back into the project",
    "refuse": "refused the answer of {user} to {captions}",
    "refusal-back": "took the refusal of the answer of {user} to {captions} back",
}


def member_rows(project: Project, now: datetime) -> list[dict[str, Any]]:
    """The members of a project with their work, managers first, in three queries.

    Answers in all, those of today, what is held, the last time. ``answered``, ``today`` and
    ``skipped`` are answers that count, ``uncounted`` those kept beside.
    """
    work = _work(project, now)
    assignments = Assignment.objects.filter(
        project=project, done=False, user__isnull=False, expires_at__gt=now
    )
    held = dict(assignments.order_by().values_list("user").annotate(count=Count("pk")))
    order = [Role.MANAGER, Role.ADJUDICATOR, Role.ANNOTATOR]
    members = project.members.select_related("user", "given_to")
    nothing = dict.fromkeys(("answered", "today", "uncounted", "skipped", "flagged"), 0)
    return [
        {
            "member": member,
            "is_session": is_session(member),
            "held": held.get(member.user_id, 0),
            "last": None,
            **nothing,
            **work.get(member.user_id, {}),
        }
        for member in sorted(members, key=lambda member: order.index(Role(member.role)))
    ]


def _work(project: Project, now: datetime) -> dict[int, dict[str, Any]]:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Annotation.objects.filter(item__project=project).order_by().values("user_id")
    counted = rows.annotate(
        answered=Count("pk", filter=COUNTING),
        today=Count("pk", filter=COUNTING & Q(created_at__gte=day) & ~IMPORTED),
        uncounted=Count("pk", filter=UNCOUNTED),
        skipped=Count("pk", filter=COUNTING & ~Q(answer="accept")),
        flagged=Count("pk", filter=Q(flagged=True)),
        last=Max("updated_at", filter=~(IMPORTED & Q(version=1))),
    )
    people: list[dict[str, Any]] = [dict(row) for row in counted]
    return {row.pop("user_id"): row for row in people}


def names_of(project: Project) -> dict[int, str]:
    """The names of the members by user."""
    return dict(project.members.values_list("user", "name"))


def worker_names(project: Project) -> dict[int, str]:
    """The name under which each person's work stands, in files and on pages: no two have one.

    Who left keeps the user name, marked where a member is called so.
    """
    members = names_of(project)
    rows = Annotation.with_removed.filter(item__project=project, test=False).order_by("user")
    names = dict(members)
    for user, name in rows.values_list("user", "user__username").distinct():
        taken = {"all", "gold", *names.values()}
        marked = (name + " (left)" * times for times in range(len(taken) + 1))
        names.setdefault(user, next(one for one in marked if one not in taken))
    return names


def events_of(project: Project) -> list[dict[str, Any]]:
    """The latest acts on a project, latest first: when, who, and a sentence without its subject."""
    rows = AuditEvent.objects.filter(target=f"labelling/{project.slug}")[:MOST_EVENTS]
    names = _usernames(rows)
    return [
        {"at": row.at, "who": names.get(row.actor_id, ""), "text": _sentence(row, names)}
        for row in rows
    ]


def _usernames(events: Iterable[AuditEvent]) -> dict[object, str]:
    """Name those who are in events and still there, by id, and by name as events once had it."""
    known = {
        key
        for row in events
        for key in (row.actor_id, row.details.get("user"), row.details.get("session"))
        if key
    }
    usernames = [key for key in known if isinstance(key, str)]
    users = User.objects.filter(Q(pk__in=known.difference(usernames)) | Q(username__in=usernames))
    rows = list(users.values_list("pk", "username"))
    return dict(rows) | {name: name for _, name in rows}


def _sentence(event: AuditEvent, names: dict[object, str]) -> str:
    details: dict[str, Any] = event.details
    user = names.get(details.get("user"), "someone who left")
    match event.action.removeprefix("labelling."):
        case "fill" | "import-undo" as act:
            captions = count_of(details["captions"], "caption")
            brought = f"{captions} and {count_of(details['annotations'], 'annotation')}"
            source = details["file"] or details.get("phase") or details.get("submission")
            did = "added" if act == "fill" else "took back"
            return f"{did} {brought} from {source or 'nothing'}"
        case "member":
            return f"made {user} {Role(details['role']).label.lower()}"
        case act if act in _WITH_CAPTIONS:
            captions = count_of(len(details["items"]), "caption")
            whose = "" if details.get("user") is None else f" from {user}"
            return _WITH_CAPTIONS[act].format(captions=captions, user=user, whose=whose)
        case "take-back":
            why = f": {details['reason']}" if details["reason"] else ""
            return f"took the decision on caption {details['caption']} back{why}"
        case act:
            # The user name of a session has the project's before it.
            session = names.get(details.get("session"), "a session").partition("/")[2]
            values = {**details, "user": user, "session": session or "a session"}
            # Opening a project again makes answers count that had come meanwhile.
            counted: int = details.get("counted", 0)
            more = f"; {count_of(counted, 'answer')} now count" if counted else ""
            return _ACTS.get(act, act).format_map(values) + more
