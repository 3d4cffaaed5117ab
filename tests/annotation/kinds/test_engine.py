"""What holds for work of every kind: handed out, kept in versions, never lost, never twice."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, Answer, Item, Project, SendBack
from annotation.selectors.people import annotations_of_person
from annotation.selectors.progress import captions_left, own_progress
from annotation.selectors.projects import events_of
from annotation.services.answers import AnswerChange, AnswerOutdated, annotation_save
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct, member_remove
from annotation.services.tasks import tasks_take
from leaderboard.models import Notice, User
from tests.annotation.conftest import LEASE, NOW
from tests.annotation.kinds.conftest import ANSWERS, Workshop, make_workshop
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text


def answers(workshop: Workshop) -> tuple[dict[str, Any], dict[str, Any]]:
    return ANSWERS[workshop.project.kind]


def save(
    workshop: Workshop, edit: str, base: int, value: dict[str, Any], at: int = 0
) -> Annotation:
    change = AnswerChange(edit=edit, base=base, value=value)
    return annotation_save(
        item=workshop.items[at], user=workshop.ann, change=change, now=NOW + timedelta(minutes=base)
    )


def ask(client: Client, workshop: Workshop, path: str = "tasks") -> Any:
    address = f"/api/v1/labelling/{workshop.project.slug}/{path}"
    if path == "tasks":
        return client.post(address, {"count": 6}, content_type="application/json")
    return client.get(address)


def put(client: Client, workshop: Workshop, item: int, **change: Any) -> Any:
    address = f"/api/v1/labelling/{workshop.project.slug}/items/{item}/annotation"
    return client.put(address, change, content_type="application/json")


def test_the_same_change_again_changes_nothing_and_one_that_was_overtaken_is_refused(
    workshop: Workshop,
) -> None:
    first, second = answers(workshop)
    save(workshop, "edit-one", 0, first)
    assert save(workshop, "edit-one", 0, first).version == 1
    save(workshop, "edit-two", 1, second)
    with pytest.raises(AnswerOutdated) as refused:
        save(workshop, "edit-one", 0, first)
    assert refused.value.current.value == second


def test_a_change_of_the_answer_once_others_answers_are_known_is_late(workshop: Workshop) -> None:
    first, second = answers(workshop)
    save(workshop, "edit-one", 0, first)
    Project.objects.update(agreement_shown_at=NOW, reopened_at=NOW)
    assert save(workshop, "edit-two", 1, first).late == ""
    assert save(workshop, "edit-three", 2, second).late == "shown"


def test_what_is_skipped_needs_no_whole_answer(workshop: Workshop) -> None:
    change = AnswerChange(edit="edit-one", base=0, value={}, answer=Answer.IGNORE)
    kept = annotation_save(item=workshop.items[0], user=workshop.ann, change=change, now=NOW)
    assert kept.answer == Answer.IGNORE


def test_spans_are_refused_where_no_words_are_labelled(workshop: Workshop) -> None:
    client = workshop.client(workshop.ann)
    task = ask(client, workshop).json()["tasks"][0]
    span = {"token_start": 0, "token_end": 0, "label": "WHO"}
    told = put(client, workshop, task["id"], edit="edit-one-1", base=0, spans=[span], value={})
    assert told.status_code == 422
    assert "no spans" in told.json()["detail"]


def test_the_api_hands_out_takes_and_gives_back(workshop: Workshop) -> None:
    client, (first, _) = workshop.client(workshop.ann), answers(workshop)
    task = ask(client, workshop).json()["tasks"][0]
    kept = put(client, workshop, task["id"], edit="edit-one-1", base=0, value=first)
    assert (kept.status_code, kept.json()["value"]) == (200, first)
    history = ask(client, workshop, "history").json()["tasks"]
    assert [row["annotation"]["value"] for row in history] == [first]
    versions = ask(client, workshop, f"items/{task['id']}/versions").json()["versions"]
    assert [row["value"] for row in versions] == [first]


def test_pages_of_labels_are_not_there(workshop: Workshop) -> None:
    client = workshop.client(workshop.manager)
    labels = ("agreement", "adjudicate", "models", "quality", "scheme", "captions", "manage/files")
    for page in labels:
        assert client.get(f"/annotate/{workshop.project.slug}/{page}/").status_code == 404, page


WHY = f"It is of another sound. {HOSTILE}"


def answered(workshop: Workshop, user: User, at: int = 0) -> Annotation:
    for held in tasks_take(project=workshop.project, user=user, count=6, now=NOW, lease=LEASE):
        if held.item == workshop.items[at]:
            change = AnswerChange(f"edit-{user.pk}", 0, value=ANSWERS[workshop.project.kind][0])
            annotation_save(item=held.item, user=user, change=change, now=NOW)
    return Annotation.objects.get(item=workshop.items[at], user=user)


def page(workshop: Workshop, found: Annotation) -> str:
    return f"/annotate/{workshop.project.slug}/manage/answers/{found.pk}/"


def send(workshop: Workshop, found: Annotation, user: User | None = None, **data: Any) -> Any:
    whole = {"act": "refuse", "note": WHY, "seen": found.version, **data}
    return workshop.client(user or workshop.manager).post(page(workshop, found), whole)


def hands(workshop: Workshop, user: User) -> list[Item]:
    held = tasks_take(project=workshop.project, user=user, count=6, now=NOW, lease=LEASE)
    return [row.item for row in held]


def test_a_refused_answer_is_kept_its_maker_is_told_and_others_are_asked(
    workshop: Workshop,
) -> None:
    found, item = answered(workshop, workshop.ann), workshop.items[0]
    answered(workshop, workshop.bob)
    assert item not in hands(workshop, workshop.manager)
    assert send(workshop, found).status_code == 302
    found.refresh_from_db()
    assert (found.counts, found.assignment, found.version) == (False, None, 1)
    assert item in hands(workshop, workshop.manager)
    assert item not in hands(workshop, workshop.ann), "never to the same person again"
    assert captions_left(workshop.project, workshop.ann, NOW) == 2
    own = own_progress(workshop.project, workshop.ann, NOW)
    assert (own.answered, own.uncounted) == (0, 0)
    notice = Notice.objects.get(user=workshop.ann)
    assert "refused one of your answers" in notice.text
    history = workshop.client(workshop.ann).get(f"/annotate/{workshop.project.slug}/history/")
    assert f"Refused by {workshop.manager}: It is of another sound." in text(history.content)
    assert "<script>alert" not in history.content.decode()
    assert "refused the answer of" in events_of(workshop.project)[0]["text"]


def test_its_maker_reads_why_and_a_change_is_kept_and_does_not_count(workshop: Workshop) -> None:
    found = answered(workshop, workshop.ann)
    send(workshop, found)
    address = f"/api/v1/labelling/{workshop.project.slug}/history"
    told = workshop.client(workshop.ann).get(address).json()["tasks"][0]["annotation"]
    assert (told["refused"]["note"], told["counts"]) == (WHY, False)
    assert [row["refused__note"] for row in annotations_of_person(workshop.ann)] == [WHY]
    change = AnswerChange("edit-again", 1, value=ANSWERS[workshop.project.kind][1])
    kept = annotation_save(item=found.item, user=workshop.ann, change=change, now=NOW)
    assert (kept.version, kept.counts) == (2, False)
    act = ProjectAct(workshop.manager, NOW)
    for closed in (True, False):
        project_set_closed(project=workshop.project, closed=closed, act=act)
    kept.refresh_from_db()
    assert not kept.counts, "opening a project again counts what is only kept, not this"


@pytest.mark.parametrize("late", [False, True])
def test_a_refusal_is_taken_back_and_counts_while_the_place_is_free(
    workshop: Workshop, late: bool
) -> None:
    found = answered(workshop, workshop.ann)
    send(workshop, found)
    client = workshop.client(workshop.manager)
    shown = client.get(page(workshop, found)).content.decode()
    assert "Take the refusal back" in shown
    assert "<script>alert" not in shown
    for user in (workshop.bob, workshop.manager) if late else ():
        answered(workshop, user)
    done = client.post(page(workshop, found), {"take-back": "yes"}, follow=True)
    assert ("Others have its place" in done.content.decode()) is late
    found.refresh_from_db()
    assert found.counts is not late
    assert client.post(page(workshop, found), {"take-back": "yes"}).status_code == 409


def test_an_answer_that_is_sent_back_comes_again_to_its_maker_alone(workshop: Workshop) -> None:
    found = answered(workshop, workshop.ann)
    other = answered(workshop, workshop.bob)
    assert send(workshop, found, act="send-back").status_code == 302
    found.refresh_from_db()
    assert not found.counts
    other.refresh_from_db()
    assert other.counts
    assert found.item in hands(workshop, workshop.ann)
    assert found.item not in hands(workshop, workshop.manager)
    change = AnswerChange(
        "edit-again",
        1,
        value=ANSWERS[workshop.project.kind][1],
        sent_back=SendBack.objects.get().pk,
    )
    assert annotation_save(item=found.item, user=workshop.ann, change=change, now=NOW).counts


def test_bad_input_changes_nothing_and_says_why(db: None) -> None:
    workshop = make_workshop("write")
    found = answered(workshop, workshop.ann)
    for change, status, says in (
        ({"note": ""}, 422, "Give the reason"),
        ({"act": "send-back", "note": ""}, 422, "Give the reason"),
        ({"note": "x" * 5000}, 422, "at most"),
        ({"act": "burn"}, 422, "burn"),
        ({"seen": 7}, 409, "changed while you had"),
        ({"act": "send-back", "seen": 7}, 409, "changed while you had"),
        ({"seen": "x"}, 422, "whole number"),
    ):
        response = send(workshop, found, **change)
        assert (response.status_code, says in text(response.content)) == (status, True)
    found.refresh_from_db()
    assert found.counts


def test_nothing_changes_in_a_closed_project_or_twice_or_is_sent_back_to_who_is_gone(
    db: None,
) -> None:
    workshop = make_workshop("write")
    found, act = answered(workshop, workshop.ann), ProjectAct(workshop.manager, NOW)
    project_set_closed(project=workshop.project, closed=True, act=act)
    assert "closed" in text(send(workshop, found).content)
    project_set_closed(project=workshop.project, closed=False, act=act)
    member_remove(member=workshop.project.members.get(user=workshop.ann))
    told = send(workshop, found, act="send-back")
    assert told.status_code == 409
    assert "left the project or cannot log in" in text(told.content)
    assert [send(workshop, found).status_code for _ in range(2)] == [302, 409]


def test_one_more_answer_is_asked_for_once(workshop: Workshop) -> None:
    for user in (workshop.ann, workshop.bob):
        answered(workshop, user)
    address = f"/annotate/{workshop.project.slug}/manage/answers/again/{workshop.items[0].pk}/"
    client = workshop.client(workshop.manager)
    shown = client.get(f"/annotate/{workshop.project.slug}/manage/answers/").content.decode()
    assert f'action="{address}"' in shown
    for _ in range(2):
        client.post(address, {"seen": "2"})
    workshop.items[0].refresh_from_db()
    assert workshop.items[0].copies == 3
    assert workshop.items[0] in hands(workshop, workshop.manager)
    assert client.post(address, {"seen": "x" * 50}).status_code == 302
    assert client.get(address).status_code == 405


def test_answers_are_for_managers_alone(workshop: Workshop) -> None:
    found = answered(workshop, workshop.ann)
    again = f"/annotate/{workshop.project.slug}/manage/answers/again/{workshop.items[0].pk}/"
    codes = [
        [
            workshop.client(user).get(page(workshop, found)).status_code,
            send(workshop, found, user).status_code if user else 302,
            workshop.client(user).post(again, {"seen": "2"}).status_code,
        ]
        for user in (None, workshop.outsider, workshop.bob)
    ]
    assert codes == [[302, 302, 302], [404, 404, 404], [404, 404, 404]]
    found.refresh_from_db()
    assert found.counts
