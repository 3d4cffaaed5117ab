"""Captions to label: taking them, keeping the work, looking back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from ninja import P, QueryEx, Router, Status

from annotation import access, tasks
from annotation.api.answer_schemas import (
    AnnotationOut,
    ChangeIn,
    ClosedOut,
    FinishedOut,
    GuidelinesNewsOut,
    HistoryOut,
    KeysIn,
    KeysOut,
    LabelsOut,
    OutdatedOut,
    OwnOut,
    RemovedOut,
    SuggestionOut,
    TaskOut,
    TasksIn,
    TasksOut,
    Token,
    VersionOut,
    VersionsOut,
)
from annotation.kinds.work_kind import AnswerFault
from annotation.models import Annotation, Item, Member
from annotation.selectors.answers import history_of, versions_of
from annotation.selectors.closing import closing_act
from annotation.selectors.guidelines import guidelines_news
from annotation.selectors.progress import finished_work, own_progress
from annotation.selectors.relabelling import scheme_name
from annotation.selectors.sounds import sound_name
from annotation.selectors.suggestions import suggestions_of
from annotation.selectors.tasks import audio_addresses, removed_at_hand
from annotation.services.answers import AnswerChange, AnswerOutdated, annotation_save
from annotation.services.schemes import keys_choose
from annotation.services.tasks import tasks_take
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.refusals import Refused

router = Router(tags=["For labelling"])
HEADER = "X-Labelling-As"
CLOSED = (
    "No captions are handed out, and answers that count do not change. An answer that comes now "
    "is kept; it counts only once the project is opened again, where its caption has a place left."
)


def require_same_person(request: UserRequest) -> None:
    """Refuse what the page of one person sends while another is logged in on that browser.

    A page that stays open over a log-out holds work of the first. It says whose in a
    header; scripts, which have their own token, need not.
    """
    user_id = request.headers.get(HEADER)
    if user_id is not None and user_id != str(request.auth.pk):
        name = request.auth.get_username()
        raise Refused(
            f"This page is another person's; {name} is logged in now.", status=401, person=name
        )


@router.post(
    "/labelling/{slug:project}/tasks",
    auth=KNOWN,
    response={200: TasksOut},
    operation_id="labelling_tasks",
    summary="Get captions to answer",
)
def tasks_at_hand(request: UserRequest, project: str, wanted: TasksIn) -> TasksOut:
    """The captions that you hold, topped up; each stays yours for half an hour.

    A closed project hands out nothing; ``own.closed`` says who closed it and what follows.
    """
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    now, lease = timezone.now(), settings.ANNOTATION_LEASE
    assignments = tasks_take(
        project=member.project, user=member.user, count=wanted.count, now=now, lease=lease
    )
    items = [assignment.item for assignment in assignments]
    # Labels that a file brought from another inventory are there to be gone through.
    # So are those that were sent back.
    brought = Annotation.every.filter(item__in=items, user=member.user)
    brought = brought.select_related("sent_back__by")
    rows = _tasks(member, items, answers=brought, held_until=now + lease)
    return TasksOut(tasks=rows, own=_own(member), now=now)


def _tasks(
    member: Member,
    items: Sequence[Item],
    *,
    answers: Iterable[Annotation] = (),
    held_until: datetime | None = None,
) -> list[TaskOut]:
    own = {annotation.item_id: annotation for annotation in answers}
    project, kind = member.project, member.project.work_kind
    sounds, suggested = audio_addresses(items), suggestions_of(items, project)
    result = []
    for item in items:
        shown, answer = kind.shown(item, member.user_id), own.get(item.pk)
        sound = {"audio": sounds[item.pk]} if item.pk in sounds else {}
        # None where one is never shown, as on captions that measure agreement.
        suggestion = suggested.get(item.pk)
        result.append(
            TaskOut(
                id=item.pk,
                position=item.position,
                text=shown.text,
                tokens=[Token(**token) for token in shown.tokens],
                meta={**shown.meta, **sound},
                content=dict(shown.content),
                measures_agreement=item.measures_agreement,
                held_until=held_until,
                removed=RemovedOut.of(item),
                annotation=AnnotationOut.of(answer, item) if answer else None,
                suggestion=SuggestionOut.from_orm(suggestion) if suggestion else None,
            )
        )
    return result


@router.put(
    "/labelling/{slug:project}/items/{int:item_id}/annotation",
    auth=KNOWN,
    response={200: AnnotationOut, 409: OutdatedOut},
    operation_id="labelling_annotate",
    summary="Keep what you say of a caption",
)
def annotate(
    request: UserRequest, project: str, item_id: int, change: ChangeIn
) -> AnnotationOut | Status[OutdatedOut]:
    """Keep a change; the same change sent again answers as it did the first time."""
    require_same_person(request)
    item = access.item_to_save(request.auth, project, item_id)
    answer = AnswerChange(**change.dict())
    try:
        annotation = annotation_save(
            item=item, user=request.auth, change=answer, now=timezone.now()
        )
    except AnswerFault as error:
        raise Refused(str(error), status=422) from error
    except AnswerOutdated as error:
        current = AnnotationOut.of(error.current, item)
        return Status(409, OutdatedOut(detail=str(error), current=current))
    tasks.stages_enqueue(item.project, sound_name(item))
    return AnnotationOut.of(annotation, item)


@router.get(
    "/labelling/{slug:project}/items/{int:item_id}",
    auth=KNOWN,
    response={200: TaskOut},
    operation_id="labelling_item",
    summary="Read a caption with your annotation",
)
def item_detail(request: UserRequest, project: str, item_id: int) -> TaskOut:
    """A caption that was handed to you."""
    require_same_person(request)
    item = access.item_for(request.auth, project, item_id)
    answers = Annotation.with_removed.filter(item=item, user=request.auth)
    reader = Member(project=item.project, user=request.auth)
    return _tasks(reader, [item], answers=answers)[0]


@router.get(
    "/labelling/{slug:project}/items/{int:item_id}/versions",
    auth=KNOWN,
    response={200: VersionsOut},
    operation_id="labelling_versions",
    summary="Read how your annotation of a caption stood after each change",
)
def versions(request: UserRequest, project: str, item_id: int) -> VersionsOut:
    """Every version of your own annotation; none where you have not answered."""
    require_same_person(request)
    item = access.item_for(request.auth, project, item_id)
    rows = versions_of(item.pk, request.auth)
    return VersionsOut(versions=[VersionOut.from_orm(row) for row in rows])


@router.get(
    "/labelling/{slug:project}/history",
    auth=KNOWN,
    response={200: HistoryOut},
    operation_id="labelling_history",
    summary="Read your own answers",
)
def history(
    request: UserRequest,
    project: str,
    before: QueryEx[int | None, P(ge=1, description="Only answers made before this one.")] = None,
    limit: QueryEx[int, P(ge=1, le=100)] = 20,
) -> HistoryOut:
    """Your own answers, latest first."""
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    rows = list(history_of(member.project, member.user, before=before)[: limit + 1])
    more = rows[limit - 1].pk if len(rows) > limit else None
    page = _tasks(member, [row.item for row in rows[:limit]], answers=rows[:limit])
    return HistoryOut(tasks=page, next=more)


@router.get(
    "/labelling/{slug:project}/own",
    auth=KNOWN,
    response={200: OwnOut},
    operation_id="labelling_own",
    summary="Read how far you are",
)
def own(request: UserRequest, project: str) -> OwnOut:
    """Your own progress in a project, and whether it is closed."""
    require_same_person(request)
    return _own(access.membership_for(request.auth, project))


def _own(member: Member) -> OwnOut:
    now = timezone.now()
    progress = own_progress(member.project, member.user, now)
    closed = finished = None
    if member.project.closed:
        by, at = closing_act(member.project)
        closed = ClosedOut(by=by, at=at, detail=CLOSED)
    elif not progress.left:
        finished = FinishedOut(**finished_work(member.project, member.user, now))
    scheme = member.project.scheme
    by = scheme.made_by.get_username() if scheme.made_by else ""
    labels = LabelsOut(scheme=scheme_name(scheme), by=by, at=scheme.created_at)
    news = guidelines_news(member)
    gone = map(RemovedOut.of, removed_at_hand(member.project, member.user))
    return OwnOut(
        closed=closed,
        finished=finished,
        labels=labels,
        guidelines=None if news is None else GuidelinesNewsOut(**news),
        removed=[row for row in gone if row is not None],
        **asdict(progress),
    )


@router.put(
    "/labelling/{slug:project}/keys",
    auth=KNOWN,
    response={200: KeysOut},
    operation_id="labelling_choose_keys",
    summary="Choose keys",
)
def choose_keys(request: UserRequest, project: str, told: KeysIn) -> KeysOut:
    """Keep the keys that you changed, for all projects with this scheme."""
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    scheme = member.project.scheme
    stored = keys_choose(user=member.user, scheme=scheme, keys=told.keys, now=timezone.now())
    return KeysOut(keys=stored.keys)
