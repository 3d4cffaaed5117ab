"""The work of a session of a file given to an account later, and taken back while it can be."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Import, Invitation, Member
from annotation.selectors.agreement.answers import agreement_stamp
from annotation.selectors.people import FORMER
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import, import_undo
from annotation.services.people import person_leaves
from annotation.services.projects import ProjectAct
from tests.annotation.conftest import NOW, TEXTS, Crew
from tests.annotation.labelled import label
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text

LATER = NOW + timedelta(hours=1)


def bring(crew: Crew, *texts: str, session: str = "tape") -> None:
    """Bring answers of a session to these captions in, as a file does."""
    rows = [{"text": one, "spans": [], "_session_id": session, "answer": "accept"} for one in texts]
    content = "\n".join(map(json.dumps, rows)).encode()
    file = LabelFile(io.BytesIO(content), "tape.jsonl")
    file_import(project=crew.project, file=file, choice=FileChoice(), actor=crew.manager, now=NOW)


@pytest.fixture
def taped(crew: Crew) -> Crew:
    """Two answers of a session in the project."""
    bring(crew, *TEXTS[:2])
    return crew


def session_of(crew: Crew, name: str = "tape") -> Member:
    return crew.project.members.select_related("user").get(name=name)


def page_of(crew: Crew) -> str:
    return f"/annotate/{crew.project.slug}/manage/members/{session_of(crew).pk}/session/"


def give(crew: Crew, user: Any) -> Any:
    member = crew.project.members.get(user=user)
    data = {"give": "yes", "member": member.pk}
    return crew.client(crew.manager).post(page_of(crew), data)


def of(user: Any) -> int:
    return Annotation.objects.filter(user=user).count()


def test_a_session_goes_to_a_member_and_comes_back_and_the_history_says_so(taped: Crew) -> None:
    client, people = taped.client(taped.manager), f"/annotate/{taped.project.slug}/manage/members/"
    assert "Give to an account" in text(client.get(people).content)
    assert "2 answers came from a file under this name" in text(client.get(page_of(taped)).content)
    before = agreement_stamp(taped.project)
    response = give(taped, taped.ann)
    assert response.headers["Location"] == people
    assert (of(taped.ann), of(session_of(taped).user)) == (2, 0)
    done = Assignment.objects.filter(project=taped.project, done=True)
    assert {row.user for row in done} == {taped.ann}
    # The page of agreement is kept until what it shows changes.
    assert agreement_stamp(taped.project) != before
    assert f"given to {taped.ann.username}" in text(client.get(people).content)
    asked = text(client.get(page_of(taped)).content)
    assert "2 answers go back to tape, who cannot log in." in asked
    assert client.post(page_of(taped), {"back": "yes"}).status_code == 302
    assert (of(taped.ann), of(session_of(taped).user)) == (0, 2)
    assert agreement_stamp(taped.project) == before
    history = text(client.get(f"/annotate/{taped.project.slug}/manage/").content)
    name = taped.ann.username
    assert f"gave the work of tape, answers: 2, to {name}" in history
    assert f"took the work of tape, answers: 2, back from {name}" in history


def test_nobody_gets_two_answers_to_one_caption(taped: Crew) -> None:
    label(taped.items[1], taped.bob, (1, 1, "WHAT"))
    response = give(taped, taped.bob)
    assert response.status_code == 422
    assert "has answered 1 caption of tape already" in text(response.content)
    assert (of(taped.bob), of(session_of(taped).user)) == (1, 2)
    # What the member had at hand of it goes to others; later files bring answers of the account.
    place = Assignment.objects.filter(item=taped.items[0], user=None).first()
    assert place is not None
    Assignment.objects.filter(pk=place.pk).update(user=taped.ann, expires_at=LATER)
    give(taped, taped.ann)
    place.refresh_from_db()
    assert (place.user, place.done) == (None, False)
    bring(taped, TEXTS[2])
    assert (of(taped.ann), of(session_of(taped).user)) == (3, 0)


def test_what_its_owner_has_changed_since_is_not_taken_back(taped: Crew) -> None:
    give(taped, taped.ann)
    given = session_of(taped).given_at
    assert given is not None
    label(taped.items[0], taped.ann, (1, 1, "WHO"), now=given + timedelta(minutes=1))
    client = taped.client(taped.manager)
    page = client.get(page_of(taped)).content.decode()
    assert "1 of them was changed since" in text(page.encode())
    assert 'name="back"' not in page
    response = client.post(page_of(taped), {"back": "yes"})
    assert "tape stays where it is: 1 answer changed since" in response.content.decode()
    assert of(taped.ann) == 2


def test_who_is_invited_for_a_session_has_its_work_by_joining(taped: Crew) -> None:
    client = taped.client(taped.manager)
    address = f"/annotate/{taped.project.slug}/manage/members/invite/"
    data = {"role": "annotator", "days": 3, "session": session_of(taped).pk}
    page = client.post(address, data).content.decode()
    assert "gives them the work of tape" in text(page.encode())
    assert Invitation.objects.get().uses == 1
    link = page.partition('id="invitation-link">')[2].partition("<")[0]
    path = "/" + link.split("/", 3)[3]
    guest = taped.client(taped.outsider)
    assert "2 answers imported from a file under the name tape become yours" in text(
        guest.get(path).content
    )
    guest.post(path)
    assert of(taped.outsider) == 2
    # Given to somebody else meanwhile, the work stays there, and the link still lets people in.
    assert session_of(taped).given_to == taped.outsider


def test_only_sessions_are_given_and_only_by_managers(taped: Crew) -> None:
    people = f"/annotate/{taped.project.slug}/manage/members/"
    ann = taped.project.members.get(user=taped.ann)
    client = taped.client(taped.manager)
    assert client.get(f"{people}{ann.pk}/session/").status_code == 404
    for user in (taped.ann, taped.judge, taped.outsider):
        assert taped.client(user).get(page_of(taped)).status_code == 404
    label(taped.items[2], taped.bob, (1, 1, "WHO"))
    person_leaves(taped.bob, now=NOW)
    former = taped.project.members.get(name__startswith=FORMER)
    assert client.get(f"{people}{former.pk}/session/").status_code == 404


def test_who_leaves_the_site_is_not_told_by_the_session(taped: Crew) -> None:
    give(taped, taped.ann)
    person_leaves(taped.ann, now=NOW)
    assert not Annotation.every.exclude(made_as=None).exists()


def test_taking_a_file_back_takes_the_answers_of_a_given_session(taped: Crew) -> None:
    bring(taped, TEXTS[3])
    give(taped, taped.ann)
    first, second = Import.objects.order_by("pk")
    act = ProjectAct(taped.manager, LATER)
    import_undo(record=first, act=act)
    # Other work of the session is with the account, from which it can still be taken back.
    assert of(taped.ann) == 1
    assert session_of(taped).given_to == taped.ann
    import_undo(record=second, act=act)
    assert of(taped.ann) == 0


def test_a_name_is_shown_as_text(crew: Crew) -> None:
    bring(crew, TEXTS[0], session=HOSTILE)
    member = crew.project.members.get(name=HOSTILE)
    page = crew.client(crew.manager).get(
        f"/annotate/{crew.project.slug}/manage/members/{member.pk}/session/"
    )
    assert HOSTILE not in page.content.decode()
