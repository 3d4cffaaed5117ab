"""A person's own labelling, to give it to them; sessions of files among a project's people."""

from collections.abc import Iterable, Iterator, Mapping

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Permission
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from annotation.models import (
    Annotation,
    GuidelinesVersion,
    KeyChoice,
    Member,
    Project,
    QualificationAnswer,
    Revision,
    Role,
)
from leaderboard.models import Challenge, User
from leaderboard.web.extensions import AccountTie, PersonalDataPart


def memberships_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """The projects that a person labels in, with how many captions they answered."""
    answered = (
        Annotation.with_removed.filter(user=user, item__project=OuterRef("project"))
        .order_by()
        .values("user")
        .annotate(number=Count("pk"))
        .values("number")
    )
    rows = Member.objects.filter(user=user).annotate(answered=Subquery(answered))
    for row in rows.values(
        "project__slug", "name", "role", "joined_at", "guidelines_read", "guidelines_read_at",
        "answered",
    ).iterator():  # fmt: skip
        yield {**row, "answered": row["answered"] or 0}


def annotations_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """Every answer of a person with the caption that it is of, as it stands now."""
    names = (
        "item__project__slug", "item__text", "answer", "spans", "flagged", "comment", "version",
        "late", "seconds", "sent_back__at", "sent_back__note", "refused__at", "refused__note",
        "created_at", "updated_at",
    )  # fmt: skip
    rows = Annotation.with_removed.filter(user=user).order_by("pk").values(*names, "extra")
    for row in rows.iterator():
        extra = row.pop("extra")
        yield {**row, "taken": extra.get("taken", [])}


def personal_data_parts(user: User) -> Iterable[PersonalDataPart]:
    """Everything of a person's labelling, part by part, for the copy of their data.

    ``taken`` of a version is None where nothing was kept of it.
    """
    versions = Revision.objects.filter(annotation__user=user).order_by("annotation", "version")
    keys = KeyChoice.objects.filter(user=user).order_by("pk")
    qualification = QualificationAnswer.objects.filter(attempt__user=user).order_by("pk")
    guidelines = GuidelinesVersion.objects.filter(saved_by=user).order_by("project", "number")
    return (
        ("labelling_projects", memberships_of_person(user)),
        ("annotations", annotations_of_person(user)),
        ("annotation_versions", versions.values(
            "annotation__item__project__slug", "annotation__item__text", "version", "answer",
            "spans", "taken", "late", "saved_at",
        ).iterator()),
        ("labelling_keys", keys.values(
            "scheme__slug", "scheme__version", "keys", "updated_at"
        ).iterator()),
        ("labelling_qualification", qualification.values(
            "attempt__project__slug", "attempt__number", "caption__text", "labels", "at"
        ).iterator()),
        ("guidelines", guidelines.values("project__slug", "number", "text", "saved_at").iterator()),
    )  # fmt: skip


def account_ties(user: User) -> Iterable[AccountTie]:
    """Projects that keep a person's account from being deleted: nobody else manages them."""
    return [
        AccountTie(
            f"This account is the only manager of {project.name}, in which others label.",
            "Make someone else manager first.",
            "Its people",
            reverse("annotation:people", args=[project.slug]),
        )
        for project in projects_managed_alone(user)
    ]


def projects_managed_alone(user: User) -> QuerySet[Project]:
    """The projects that others work in and that nobody else manages."""
    others = Member.objects.filter(project=OuterRef("pk"), user__is_active=True).exclude(user=user)
    managed = Project.objects.filter(members__user=user, members__role=Role.MANAGER)
    return managed.filter(Exists(others), ~Exists(others.filter(role=Role.MANAGER)))


def leads_project(user: User) -> bool:
    """Whether a person manages a project."""
    return Member.objects.filter(user=user, role=Role.MANAGER).exists()


_MAY_ADD = {"codename": "add_challenge", "content_type__app_label": "leaderboard"}


def site_header_of(user: User | AnonymousUser) -> dict[str, object]:
    """What the header of a page shows to ``user``: links by name, and ``unread`` notices."""
    if not user.is_authenticated or not user.is_active:
        return {}
    runs, may_add, labels, unread = (
        User.objects.filter(pk=user.pk)
        .annotate(
            runs=Exists(Challenge.organisers.through.objects.filter(user=OuterRef("pk"))),
            may_add=Exists(
                Permission.objects.filter(
                    Q(user=OuterRef("pk")) | Q(group__user=OuterRef("pk")), **_MAY_ADD
                )
            ),
            labels=Exists(Member.objects.filter(user=OuterRef("pk"))),
            unread=Count("notices", filter=Q(notices__read_at=None)),
        )
        .values_list("runs", "may_add", "labels", "unread")
        .get()
    )
    manages = user.is_superuser or settings.ANYONE_MAY_ORGANISE or runs or may_add
    return {"manages": manages, "labels": user.is_staff or runs or labels, "unread": unread}


# How people are called who have deleted their account; their work is given to nobody.
FORMER = "a former annotator"


def is_session(member: Member) -> bool:
    """Whether a member is a session of a file: somebody without a log-in who never had one."""
    return not member.user.is_active and not member.name.startswith(FORMER)


def session_work(session: Member, to: User | None = None) -> dict[str, int]:
    """The ``answers`` of a session, wherever they are now.

    ``both`` are captions of it that ``to`` has answered too; ``changed`` answers that their new
    owner changed since they were given.
    """
    every = Annotation.with_removed.filter(item__project=session.project_id)
    if session.given_at is not None:
        answers = every.filter(made_as=session.user)
        changed = answers.filter(updated_at__gt=session.given_at).count()
        return {"answers": answers.count(), "both": 0, "changed": changed}
    own = every.filter(user=session.user)
    both = 0 if to is None else every.filter(user=to, item__in=own.values("item")).count()
    return {"answers": own.count(), "both": both, "changed": 0}
