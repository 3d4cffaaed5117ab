"""Qualifying through the API: the next caption, and what is said of an answer."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Router, Schema

from annotation import access
from annotation.api.answer_schemas import Token
from annotation.api.tasks import require_same_person
from annotation.models import Member
from annotation.selectors.qualification import feedback_of, qualification_state
from annotation.services.qualification import QualificationFault, qualification_answer
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import ApiError

router = Router(tags=["Labelling"])


class QualificationCaptionOut(Schema):
    """A caption to qualify on."""

    id: int
    text: str
    tokens: list[Token]


class QualificationOut(Schema):
    """How far you are."""

    needed: bool = Field(description="Whether captions are kept from you until you pass.")
    pass_mark: int = Field(description="Per cent of the words as expected that pass.")
    count: int = Field(description="Captions of a try.")
    done: int = Field(description="Those of the present try that you answered.")
    number: int = Field(description="The present try, from 1.")
    tries_left: int
    last_percent: int | None = Field(description="Words as expected in the last try that ended.")
    caption: QualificationCaptionOut | None = Field(description="The next one.")


class QualificationIn(Schema):
    """What you call the words of a caption."""

    number: int = Field(alias="try", ge=1, description="The try that it is meant for.")
    labels: list[str] = Field(max_length=5000, description="One for each word, O for none.")
    begins: list[int] = Field(
        default=[],
        max_length=5000,
        description="Words, from 0, at which another span begins though the word before has the "
        "same label. Elsewhere neighbours with one label are one span.",
    )


class QualificationFeedbackOut(Schema):
    """What was expected."""

    said: list[str]
    expected: list[str]
    edges: list[str] = Field(
        description="Of each span that begins or ends elsewhere than expected, where it does."
    )
    same: int = Field(description="Words with the label and the edge that is expected.")
    note: str = Field(description="Why.")
    state: QualificationOut


def _state(member: Member) -> QualificationOut:
    state = qualification_state(member)
    caption = state.caption
    return QualificationOut(
        needed=state.needed,
        pass_mark=member.project.pass_mark,
        count=state.count,
        done=state.done,
        number=state.number,
        tries_left=state.tries_left,
        last_percent=None if state.last is None else state.last.percent,
        caption=None
        if caption is None
        else QualificationCaptionOut(id=caption.pk, text=caption.text, tokens=caption.tokens),
    )


@router.get(
    "/labelling/{slug:project}/qualification",
    auth=KNOWN,
    response={200: QualificationOut},
    operation_id="labelling_qualification",
    summary="Read the next caption to qualify on",
)
def qualification(request: UserRequest, project: str) -> QualificationOut:
    """How far you are in the qualification of a project."""
    require_same_person(request)
    return _state(access.membership_for(request.auth, project))


@router.put(
    "/labelling/{slug:project}/qualification/{int:caption_id}",
    auth=KNOWN,
    response={200: QualificationFeedbackOut},
    operation_id="labelling_qualify",
    summary="Label a caption to qualify",
)
def qualify(
    request: UserRequest, project: str, caption_id: int, told: QualificationIn
) -> QualificationFeedbackOut:
    """Keep an answer and read what was expected; sent again it changes nothing."""
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    caption = get_object_or_404(member.project.qualification_captions, pk=caption_id)
    try:
        answer = qualification_answer(
            member=member,
            caption=caption,
            labels=told.labels,
            begins=told.begins,
            number=told.number,
            now=timezone.now(),
        )
    except QualificationFault as error:
        raise ApiError(422, str(error), faults=[]) from error
    member.refresh_from_db()
    feedback = feedback_of(member.project, answer)
    return QualificationFeedbackOut(
        said=[word.said.name for word in feedback.words],
        expected=[word.expected.name for word in feedback.words],
        edges=feedback.edges,
        same=feedback.same,
        note=feedback.note,
        state=_state(member),
    )
