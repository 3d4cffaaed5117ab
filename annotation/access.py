"""Who may see and do what in a project; every view and API operation asks here.

What someone may not see looks like what does not exist: both raise ``Http404``.
"""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import (
    Annotation,
    AssignmentRecord,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    Item,
    Member,
    Project,
    Role,
    Sound,
    TrainingRun,
)
from annotation.selectors.agreement.report import AgreementViewer
from annotation.selectors.captions.matches import CaptionViewer
from annotation.selectors.data_sets.source_captions import SOURCES
from annotation.selectors.judging.votes import phase_of
from annotation.selectors.tasks import unanswered_compared_items, unanswered_gold_items
from leaderboard.models import Kind, Phase, Submission, User

_RANK = {Role.ANNOTATOR: 0, Role.ADJUDICATOR: 1, Role.MANAGER: 2}


def projects_of(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects that ``user`` works in (staff with all rights: every one)."""
    if not user.is_authenticated:
        return Project.objects.none()
    if user.is_superuser:
        return Project.objects.all()
    return Project.objects.filter(members__user=user)


def may_create_projects(user: User | AnonymousUser) -> bool:
    """Whether ``user`` may start a project: staff, and who runs a challenge."""
    if not user.is_authenticated:
        return False
    return user.is_staff or user.organised_challenges.exists()


def project_for(
    user: User | AnonymousUser, slug: str, *, role: Role = Role.ANNOTATOR, any_kind: bool = False
) -> Project:
    """A project in which ``user`` has at least this role.

    Its work is to label words, unless ``any_kind`` is asked for: most pages are of labels.
    """
    project = get_object_or_404(projects_of(user).select_related("scheme"), slug=slug)
    if not has_role(user, project, role):
        raise Http404
    if not (any_kind or project.work_kind.has_labels):
        raise Http404
    return project


def owned_project_for(user: User | AnonymousUser, slug: str) -> Project:
    """A project that ``user`` owns and manages; superusers act for every owner."""
    project = project_for(user, slug, role=Role.MANAGER, any_kind=True)
    if not owns(user, project):
        raise Http404
    return project


def owns(user: User | AnonymousUser, project: Project) -> bool:
    """Whether ``user`` may hand the project over, archive and delete it."""
    return user.is_authenticated and (user.is_superuser or project.owner_id == user.pk)


def has_role(user: User | AnonymousUser, project: Project, role: Role) -> bool:
    """Whether ``user`` has at least this role in the project."""
    if not user.is_authenticated:
        return False
    if user.is_superuser:
        return True
    member = Member.objects.filter(project=project, user=user).first()
    return member is not None and _RANK[Role(member.role)] >= _RANK[role]


def sound_for(user: User | AnonymousUser, slug: str, pk: int) -> Sound:
    """A recording of a project that ``user`` works in: captions of the project are of it."""
    return get_object_or_404(Sound, project=project_for(user, slug, any_kind=True), pk=pk)


def membership_for(user: User | AnonymousUser, slug: str) -> Member:
    """The membership under which ``user`` labels; who is no member cannot label."""
    if not user.is_authenticated:
        raise Http404
    members = Member.objects.select_related("project__scheme__made_by", "user")
    return get_object_or_404(members, project__slug=slug, user=user)


def item_to_save(user: User | AnonymousUser, slug: str, item_id: int) -> Item:
    """A caption that ``user`` was once handed or has answered, to keep work on it.

    Once is enough: work that comes late, after the caption went to someone else,
    must not be lost.
    """
    if not user.is_authenticated:
        raise Http404
    items = _handed_or_answered(user).filter(project__slug=slug, project__members__user=user)
    return get_object_or_404(items, pk=item_id)


def _handed_or_answered(user: User) -> QuerySet[Item]:
    """The captions that someone was handed or has answered, those removed since among them."""
    mine = {"item": OuterRef("pk"), "user": user}
    handed = Exists(AssignmentRecord.objects.filter(**mine))
    answered = Exists(Annotation.with_removed.filter(**mine))
    items = Item.with_removed.select_related("project__scheme", "removed_by")
    return items.filter(handed | answered)


def item_for(user: User | AnonymousUser, slug: str, item_id: int) -> Item:
    """A caption that ``user`` may read: one that was handed to them, or that they answered.

    Managers and adjudicators see every one.
    """
    member = membership_for(user, slug)
    if has_role(user, member.project, Role.ADJUDICATOR):
        items = Item.with_removed.select_related("project__scheme", "removed_by")
        return get_object_or_404(items, project=member.project, pk=item_id)
    items = _handed_or_answered(member.user).filter(project=member.project)
    return get_object_or_404(items, pk=item_id)


def agreement_for(user: User | AnonymousUser, slug: str) -> Project:
    """A project whose agreement ``user`` may see.

    Annotators see it only once the project is closed, when no answer that counts changes
    any more: before, it would show them the labels of others.
    """
    project = project_for(user, slug)
    if not project.closed and not has_role(user, project, Role.ADJUDICATOR):
        raise Http404
    return project


def viewer_for(user: User, project: Project) -> AgreementViewer:
    """How ``user`` sees agreement: with or without names, and which captions are hidden.

    Adjudicators who are no managers decide without knowing who gave which label.
    """
    named = has_role(user, project, Role.MANAGER)
    return AgreementViewer(
        named=named,
        own=str(user.pk),
        blind=not named and has_role(user, project, Role.ADJUDICATOR),
        hidden=unanswered_compared_items(project, user),
    )


def caption_viewer_for(user: User, project: Project) -> CaptionViewer:
    """How ``user`` sees the list of captions: managers see everything."""
    if has_role(user, project, Role.MANAGER):
        return CaptionViewer(named=True)
    return CaptionViewer(named=False, hidden=unanswered_gold_items(project, user))


def item_to_decide(user: User | AnonymousUser, slug: str, item_id: int) -> Item:
    """A caption of a project in which ``user`` settles what is right."""
    return _item_as(Role.ADJUDICATOR, user, slug, item_id, Item.objects.all())


def item_to_manage(user: User | AnonymousUser, slug: str, item_id: int) -> Item:
    """A caption of a project that ``user`` manages, a removed one as well."""
    return _item_as(Role.MANAGER, user, slug, item_id, Item.with_removed.all())


def _item_as(
    role: Role, user: User | AnonymousUser, slug: str, item_id: int, items: QuerySet[Item]
) -> Item:
    project = project_for(user, slug, role=role)
    return get_object_or_404(items.select_related("project__scheme"), project=project, pk=item_id)


def answer_to_manage(user: User | AnonymousUser, slug: str, pk: int) -> Annotation:
    """An answer of a project that ``user`` manages, whose work is another than labelling words."""
    project = project_for(user, slug, role=Role.MANAGER, any_kind=True)
    if project.work_kind.has_labels:
        raise Http404
    rows = Annotation.objects.select_related("item", "user", "refused", "sent_back")
    annotation = get_object_or_404(rows, item__project=project, pk=pk)
    annotation.item.project = project
    return annotation


def phases_for(user: User | AnonymousUser) -> QuerySet[Phase]:
    """The phases whose captions ``user`` may bring into a project: those they organise.

    References are hidden from everyone else, and who labels them reads them.
    """
    return organised_phases_for(user).filter(reference_set__isnull=False)


def organised_phases_for(user: User | AnonymousUser) -> QuerySet[Phase]:
    """The phases that ``user`` may give references to: those that they organise."""
    if not user.is_authenticated:
        return Phase.objects.none()
    phases = Phase.objects.select_related("challenge")
    return phases if user.is_superuser else phases.filter(challenge__organisers=user)


def submissions_for(user: User | AnonymousUser) -> QuerySet[Submission]:
    """The systems whose captions ``user`` may bring into a project."""
    systems = Submission.objects.competing().filter(phase__in=phases_for(user))
    return systems.select_related("phase__challenge", "team")


def draws_from(user: User | AnonymousUser, phase: Phase | None) -> bool:
    """Whether ``user`` may see names, ranks and references of what pairs are drawn from."""
    return phase is not None and phases_for(user).filter(pk=phase.pk).exists()


def reads_phase_of(user: User | AnonymousUser, project: Project) -> bool:
    """Whether ``user`` may have references and names of what a project's pairs are drawn from."""
    return draws_from(user, phase_of(project))


def systems_to_draw(user: User | AnonymousUser, phase: Phase) -> QuerySet[Submission]:
    """The systems and baselines of a phase whose captions ``user`` may have judged."""
    systems = Submission.objects.eligible().exclude(kind=Kind.HUMAN)
    rows = systems.filter(phase=phase, phase__in=phases_for(user))
    return rows.select_related("phase__reference_set", "other_references", "team")


def training_for(user: User | AnonymousUser, slug: str, number: int) -> TrainingRun:
    """A training of a project whose models ``user`` may see: adjudicators and managers."""
    project = project_for(user, slug, role=Role.ADJUDICATOR)
    runs = TrainingRun.objects.select_related("data", "labeller", "started_by")
    runs = runs.defer("data__content")  # what is downloaded alone
    run = get_object_or_404(runs, project=project, number=number)
    run.project = project
    return run


def training_to_change(user: User | AnonymousUser, slug: str, number: int) -> TrainingRun:
    """A training that ``user`` may cancel or try again, and whose captions they may read."""
    project_for(user, slug, role=Role.MANAGER)
    return training_for(user, slug, number)


def training_data_for(user: User | AnonymousUser, slug: str, number: int) -> TrainingRun:
    """A training whose data ``user`` may download: a manager of every project in it."""
    run = training_to_change(user, slug, number)
    if not manages_all(user, run.chosen["projects"]):
        raise Http404
    return run


def manages_all(user: User | AnonymousUser, projects: Iterable[int]) -> bool:
    """Whether ``user`` manages each of these projects; never where one of them is gone."""
    wanted = set(projects)
    known = Project.objects.filter(pk__in=wanted)
    return len(known) == len(wanted) and all(has_role(user, row, Role.MANAGER) for row in known)


def projects_with_labels_for(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects whose own labels ``user`` may begin another with: those they manage."""
    rows = managed_projects(user).filter(scheme__published=False, archived_at=None)
    return rows.select_related("scheme").order_by("name", "pk")


def managed_projects(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects that ``user`` manages."""
    if not user.is_authenticated:
        return Project.objects.none()
    if user.is_superuser:
        return Project.objects.all()
    mine = Member.objects.filter(user=user, role=Role.MANAGER)
    return Project.objects.filter(pk__in=mine.values("project"))


def sources_for(user: User | AnonymousUser, kinds: Iterable[str]) -> QuerySet[Project]:
    """The projects of these kinds that ``user`` may have feed another: those they manage."""
    rows = managed_projects(user).filter(kind__in=list(kinds), archived_at=None)
    return rows.order_by("name", "pk")


def helpers_for(user: User | AnonymousUser, project: Project) -> QuerySet[Project]:
    """The projects whose labels ``user`` may let help: own ones of another inventory."""
    rows = managed_projects(user).exclude(scheme__slug=project.scheme.slug)
    return rows.select_related("scheme").order_by("name", "pk")


def data_sets_of(user: User | AnonymousUser) -> QuerySet[DataSet]:
    """The data sets that ``user`` works on: own ones, and those of projects that they manage."""
    rows = DataSet.objects.select_related("owner", "source")
    if not user.is_authenticated:
        return rows.none()
    if user.is_superuser:
        return rows
    return rows.filter(Q(owner=user) | Q(source__in=managed_projects(user)))


def data_set_for(user: User | AnonymousUser, slug: str) -> DataSet:
    """A data set that ``user`` may read and change."""
    return get_object_or_404(data_sets_of(user), slug=slug)


def projects_with_captions_for(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects of which ``user`` may make a data set: those they manage that have captions."""
    return managed_projects(user).filter(kind__in=SOURCES).order_by("name", "pk")


def makes_data_set_of(user: User | AnonymousUser, project: Project) -> bool:
    """Whether ``user``, who manages the project, may make a data set of its captions."""
    return project.kind in SOURCES and may_create_projects(user)


def hears_source_of(user: User | AnonymousUser, data_set: DataSet) -> bool:
    """Whether ``user`` may play the recordings of the project that a data set comes of."""
    return data_set.source is not None and has_role(user, data_set.source, Role.ANNOTATOR)


def finding_for(user: User | AnonymousUser, slug: str, pk: int) -> CaptionFinding:
    """A finding in a data set that ``user`` works on."""
    rows = CaptionFinding.with_taken_out.filter(caption__clip__data_set=data_set_for(user, slug))
    return get_object_or_404(rows.select_related("caption__clip"), pk=pk)


def data_set_caption_for(user: User | AnonymousUser, slug: str, pk: int) -> DataSetCaption:
    """A caption of a data set that ``user`` works on."""
    rows = DataSetCaption.with_taken_out.filter(clip__data_set=data_set_for(user, slug))
    return get_object_or_404(rows.select_related("clip__data_set__source"), pk=pk)


def caption_decision_for(user: User | AnonymousUser, slug: str, pk: int) -> CaptionDecision:
    """A decision about a caption of a data set that ``user`` works on."""
    rows = CaptionDecision.objects.filter(caption__clip__data_set=data_set_for(user, slug))
    return get_object_or_404(rows.select_related("finding"), pk=pk)
