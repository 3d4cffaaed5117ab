"""Answers that a manager sent back: at hand again, counted only once given anew, both kept."""

from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Annotation, Assignment, Item, SendBack
from annotation.selectors.agreement.answers import AnswerVersion, agreement_data
from annotation.selectors.captions.effects import caption_sending_back
from annotation.selectors.captions.facts import caption_facts
from annotation.selectors.closing import closing_of, member_work
from annotation.selectors.progress import own_progress, project_progress
from annotation.selectors.projects import events_of
from annotation.services.adjudication import gold_accept_unanimous
from annotation.services.captions import captions_send_back
from annotation.services.life_cycle import project_set_closed
from annotation.services.people import person_leaves
from annotation.services.projects import ProjectAct, member_remove
from leaderboard.models import Notice, User
from leaderboard.web.refusals import Refused
from tests.annotation.captions.test_caption_browser import find
from tests.annotation.captions.test_caption_selection import send, told, took, words
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.labelled import agreed_second, disputed_first, label

WHY = "Label <b>every</b> verb, too."


def send_back(crew: Crew, *items: Item, note: str = WHY) -> SendBack:
    pks = [item.pk for item in items]
    captions_send_back(
        project=crew.project,
        items=pks,
        note=note,
        seen=caption_sending_back(crew.project, pks)["stamp"],
        act=ProjectAct(crew.manager, NOW + LEASE),
    )
    return SendBack.objects.latest("pk")


def answer_again(
    crew: Crew, user: User, item: Item, sent_back: int | None, *spans: tuple[int, int, str]
) -> Any:
    found = Annotation.with_removed.get(item=item, user=user)
    address = f"/api/v1/labelling/{crew.project.slug}/items/{item.pk}/annotation"
    change = {
        "edit": f"again-{found.version}-{item.pk}",
        "base": found.version,
        "spans": [{"token_start": a, "token_end": b, "label": name} for a, b, name in spans],
        "sent_back": sent_back,
    }
    response = crew.client(user).put(address, change, content_type="application/json")
    assert response.status_code == 200
    return response.json()


def tasks(crew: Crew, user: User) -> list[dict[str, Any]]:
    address = f"/api/v1/labelling/{crew.project.slug}/tasks"
    response = crew.client(user).post(address, {"count": 3}, content_type="application/json")
    found: list[dict[str, Any]] = response.json()["tasks"]
    return found


def test_it_comes_again_with_the_answer_and_why_and_counts_once_it_is_given_anew(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    back = send_back(crew, item)
    assert project_progress(crew.project).assignments_done == 0
    assert own_progress(crew.project, crew.ann, NOW).answered == 0
    assert own_progress(crew.project, crew.ann, NOW).left == 4
    assert closing_of(crew.project)["at_hand"] == 1
    assert closing_of(crew.project)["uncounted"] == 0
    assert member_work(crew.project.members.get(user=crew.ann))["at_hand"] == 1
    task = tasks(crew, crew.ann)[0]
    assert task["id"] == item.pk
    assert len(task["annotation"]["spans"]) == 4
    assert not task["annotation"]["counts"]
    assert task["annotation"]["sent_back"] | {"at": ""} == {
        "id": back.pk, "by": crew.manager.username, "at": "", "note": WHY,
    }  # fmt: skip
    # The time that a manager gives is not shortened by the labelling page.
    held = Assignment.objects.get(item=item, user=crew.ann).expires_at
    assert held is not None
    assert held > NOW + 10 * LEASE
    answer = answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))
    assert answer["counts"]
    assert answer["sent_back"] is None
    assert answer["version"] == 2
    assert own_progress(crew.project, crew.ann, NOW).answered == 1
    assert [task["id"] for task in tasks(crew, crew.ann)] != [item.pk]
    notice = Notice.objects.get(user=crew.ann)
    assert notice.text.endswith(
        f" sent 1 answer of yours in {crew.project.name} back to you. The caption says why."
    )
    assert crew.client(crew.ann).get(notice.path).status_code == 200
    # Bob's is still out.
    assert caption_facts(crew.project)[0].answered == [crew.ann.pk]
    assert caption_facts(crew.project)[0].at_hand == [crew.bob.pk]
    assert find(crew.project, mark="sent_back") == [1]


def test_agreement_takes_what_was_answered_first_after_it(crew: Crew) -> None:
    item = disputed_first(crew)
    assert len(agreement_data(crew.project).captions) == 1
    back = send_back(crew, item)
    data = agreement_data(crew.project)
    assert data.captions == ()
    assert not data.left_out, "nobody has it in excess"
    answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))
    answer_again(crew, crew.bob, item, back.pk, (1, 1, "WHO"))
    for answers in AnswerVersion:
        caption = agreement_data(crew.project, answers).captions[0]
        assert len({tuple(row.labels) for row in caption.labellings.values()}) == 1
    # A change after that is a change, as of any answer.
    label(item, crew.ann, (0, 0, "WHO"))
    assert agreement_data(crew.project).changed == 1
    assert Annotation.objects.get(item=item, user=crew.ann).revisions.count() == 3


def test_who_had_it_open_and_did_not_see_why_keeps_the_change_and_has_it_again(crew: Crew) -> None:
    item = disputed_first(crew)
    back = send_back(crew, item)
    answer = answer_again(crew, crew.ann, item, None, (1, 1, "WHO"))
    assert answer["version"] == 2
    assert not answer["counts"]
    assert answer["sent_back"]["id"] == back.pk
    assert tasks(crew, crew.ann)[0]["annotation"]["version"] == 2
    assert answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))["counts"]
    # Sent back once more, what answers the first time does not answer the second.
    send_back(crew, item)
    assert not answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))["counts"]


def test_a_page_says_what_goes_back_and_to_whom_and_asks_why(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=crew.judge, now=NOW)
    label(crew.items[2], crew.bob)
    said = words(send(crew, "send-back", *crew.items, code=200))
    assert "3 answers to 2 captions go back" in said
    assert f"{crew.ann.username} 1 {crew.bob.username} 2" in said
    assert "1 stays as it is: settled. Take the decision back first." in said
    seen = caption_sending_back(crew.project, [item.pk for item in crew.items])["stamp"]
    for note in ("", " ", "x" * 501):
        send(crew, "send-back", *crew.items, seen=seen, note=note, code=422)
    assert not SendBack.objects.exists()
    label(crew.items[2], crew.ann)
    again = send(crew, "send-back", *crew.items, seen=seen, note=WHY, code=409)
    assert "The numbers changed while you had the page open" in words(again)
    assert "&lt;b&gt;every" in again.content.decode(), "what was written stays"
    send_back(crew, *crew.items)
    assert Annotation.objects.filter(sent_back__note=WHY).count() == 4
    assert events_of(crew.project)[0]["text"] == "sent 2 captions back to those who answered"


def test_history_keeps_both_answers_and_says_who_sent_it_back_and_why(crew: Crew) -> None:
    item = disputed_first(crew)
    back = send_back(crew, item)
    address = reverse("annotation:captions-item", args=[crew.project.slug, item.pk])
    html = crew.client(crew.manager).get(address).content.decode()
    assert html.count("Sent back</span>") == 2
    assert "Why: Label &lt;b&gt;every" in html
    own = crew.client(crew.ann).get(f"/annotate/{crew.project.slug}/history/").content.decode()
    assert "Sent back</span>" in own
    assert f"Sent back by {crew.manager.username}: Label &lt;b&gt;every" in own
    answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))
    said = told(item)
    assert f"{crew.manager.username} sent it back to those who answered" in said
    assert said.index("changed the answer") < said.index("sent it back") < said.index("answered")


def test_a_closed_project_sends_nothing_back_and_an_answer_then_counts_when_it_is_open(
    crew: Crew,
) -> None:
    item, act = disputed_first(crew), ProjectAct(crew.manager, NOW)
    project_set_closed(project=crew.project, closed=True, act=act)
    with pytest.raises(Refused, match="project is closed"):
        send_back(crew, item)
    said = words(send(crew, "send-back", item, code=200))
    assert "The project is closed, so answers that count cannot change." in said
    project_set_closed(project=crew.project, closed=False, act=act)
    back = send_back(crew, item)
    project_set_closed(project=crew.project, closed=True, act=act)
    assert not answer_again(crew, crew.ann, item, back.pk, (1, 1, "WHO"))["counts"]
    assert project_set_closed(project=crew.project, closed=False, act=act) == (1, 0)
    assert Annotation.objects.get(item=item, user=crew.ann).counts
    # Bob has not answered again: opening does not make the old answer count.
    assert not Annotation.objects.get(item=item, user=crew.bob).counts
    assert took(crew, crew.bob)[0] == 1


def test_who_is_not_there_any_more_is_sent_nothing_and_leaves_the_place_to_others(
    crew: Crew,
) -> None:
    item = disputed_first(crew)
    member_remove(member=crew.project.members.get(user=crew.ann))
    sending = caption_sending_back(crew.project, [item.pk])
    assert (sending["people"], sending["left"]) == ({crew.bob.pk: 1}, 1)
    send_back(crew, item)
    person_leaves(crew.bob, now=NOW)
    crew.bob.delete()
    assert took(crew, crew.judge) == [1]
    assert caption_facts(crew.project)[0].answered == [crew.ann.pk]
