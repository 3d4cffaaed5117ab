"""Captions that a manager chose: handed to somebody, asked for again, downloaded."""

import json
import re
from typing import Any

from annotation.models import Assignment, Item, Role
from annotation.selectors.captions.rows import caption_history
from annotation.selectors.projects import events_of, worker_names
from annotation.services.captions import RESERVED_FOR
from annotation.services.projects import Task, items_add, member_add
from annotation.services.tasks import MOST_HELD, tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.factories import UserFactory


def send(crew: Crew, act: str, *items: Item, code: int = 302, **more: Any) -> Any:
    ticked = {"item": [item.pk for item in items]} if items else {}
    address = f"/annotate/{crew.project.slug}/captions/selection/"
    response = crew.client(crew.manager).post(address, {"act": act, **ticked, **more})
    assert response.status_code == code
    return response


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode().partition("<main")[2])
    return " ".join(text.split())


def member(crew: Crew, user: User) -> int:
    return int(crew.project.members.get(user=user).pk)


def hand(crew: Crew, to: User, *items: Item, **more: Any) -> str:
    """Hand captions over as the page that asks says it; give what that said."""
    page = send(crew, "hand", *items, to=member(crew, to), code=200, **more)
    seen = re.search(r'name="seen" value="(\w+)"', page.content.decode())
    assert seen is not None
    send(crew, "hand", *items, to=member(crew, to), seen=seen[1], **more)
    return words(page)


def held(crew: Crew, user: User) -> list[int]:
    rows = Assignment.objects.filter(project=crew.project, user=user, done=False)
    return [position + 1 for position in rows.values_list("item__position", flat=True)]


def took(crew: Crew, user: User, count: int = 1) -> list[int]:
    rows = tasks_take(project=crew.project, user=user, count=count, now=NOW, lease=LEASE)
    return [row.item.position + 1 for row in rows]


def told(item: Item) -> str:
    events = caption_history(item, worker_names(item.project))[1]
    return " | ".join(f"{event.who} {event.what}" for event in events)


def test_captions_go_to_somebody_and_wait_for_them(crew: Crew) -> None:
    last = crew.items[3]
    said = hand(crew, crew.ann, last)
    assert f"1 caption goes to {crew.ann.username}, and to others again" in said
    assert held(crew, crew.ann) == [4]
    # It comes first, and the half hour of the labelling page does not shorten the time.
    assert took(crew, crew.ann)[0] == 4
    kept = Assignment.objects.get(item=last, user=crew.ann).expires_at
    assert kept is not None
    assert kept > NOW + RESERVED_FOR / 2
    assert f"{crew.manager.username} handed it to {crew.ann.username}" in told(last)
    assert events_of(crew.project)[0]["text"] == f"handed 1 caption to {crew.ann.username}"


def test_what_is_free_goes_before_what_somebody_has(crew: Crew) -> None:
    item = crew.items[0]
    took(crew, crew.bob)
    Assignment.objects.filter(item=item, user=crew.bob).update(expires_at=NOW + LEASE * 1e6)
    hand(crew, crew.ann, item)
    assert held(crew, crew.bob) == [1]
    # Now both are held, and one is taken from its holder.
    said = hand(crew, crew.judge, item)
    assert "held by" in said
    assert held(crew, crew.judge) == [1]
    assert len(held(crew, crew.ann) + held(crew, crew.bob)) == 1


def test_who_has_met_a_caption_is_not_handed_it_and_full_ones_stay(crew: Crew) -> None:
    agreed_second(crew)
    label(crew.items[2], crew.ann)
    said = hand(crew, crew.ann, *crew.items)
    assert "2 captions go to" in said
    assert "2 stay as they are" in said
    said = hand(crew, crew.judge, crew.items[1], crew.items[0])
    assert "1 stays as it is: no more answers are needed" in said
    assert sorted(held(crew, crew.ann)) == [1, 4]


def test_a_change_meanwhile_is_shown_and_hundreds_come_a_few_at_a_time(crew: Crew) -> None:
    page = send(crew, "hand", *crew.items, to=member(crew, crew.judge), code=200)
    seen = re.search(r'name="seen" value="(\w+)"', page.content.decode())
    assert seen is not None
    agreed_second(crew)
    again = send(crew, "hand", *crew.items, to=member(crew, crew.judge), seen=seen[1], code=409)
    assert "The numbers changed while you had the page open" in words(again)
    assert held(crew, crew.judge) == []
    items_add(project=crew.project, tasks=[Task(f"rain {n}") for n in range(20)])
    hand(crew, crew.judge, all="yes", match="text=rain ")
    # "train passes", too.
    assert len(held(crew, crew.judge)) == 21
    assert len(took(crew, crew.judge, 5)) == MOST_HELD


def ask(crew: Crew, *items: Item, to: Any = "", **more: Any) -> dict[str, Any]:
    """Ask for one more answer as the page that asks says it; give what its form sent."""
    page = send(crew, "again", *items, code=200, **more).content.decode()
    fields = dict(re.findall(r'name="(seen|count)" value="(\d+)"', page))
    send(crew, "again", *items, to=to, **fields, **more)
    return fields


def test_a_form_that_is_sent_twice_asks_for_one_answer(crew: Crew) -> None:
    """By a double click, the back button, or two managers who see the same."""
    item = crew.items[0]
    assert "2 answers are asked for to it now" in words(send(crew, "again", item, code=200))
    fields = ask(crew, item)
    said = words(send(crew, "again", item, to="", code=409, **fields))
    assert "The numbers changed while you had the page open" in said
    assert "3 answers are asked for to it now" in said
    assert item.assignments.count() == 3


def test_one_more_answer_comes_from_whoever_is_next_or_from_a_member(crew: Crew) -> None:
    item = disputed_first(crew)
    assert "Ask for one more answer to 1 caption" in words(send(crew, "again", item, code=200))
    ask(crew, item)
    item.refresh_from_db()
    assert item.copies == item.assignments.count() == 3
    assert item.annotations.count() == 2
    assert took(crew, crew.judge) == [1]
    guest = UserFactory.create()
    member_add(project=crew.project, user=guest, role=Role.ANNOTATOR)
    ask(crew, *crew.items[:2], to=member(crew, guest))
    assert held(crew, guest) == [1, 2]
    # Who has met it is left out.
    ask(crew, *crew.items[:2], to=member(crew, crew.ann))
    assert item.assignments.count() == 4
    assert held(crew, crew.ann) == [2]
    assert f"asked for one more answer from {guest.username}" in told(item)
    assert events_of(crew.project)[0]["text"] == (
        f"asked for one more answer to 1 caption from {crew.ann.username}"
    )


def test_what_is_chosen_is_downloaded_and_nothing_else(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    assert "Download 1 caption" in words(send(crew, "export", crew.items[1], code=200))
    found = send(crew, "export", crew.items[1], code=200, format="prodigy")
    rows = [json.loads(line) for line in b"".join(found.streaming_content).splitlines()]
    assert [row["text"] for row in rows] == [crew.items[1].text] * 2
    assert "-1-captions." in found["Content-Disposition"]
    every = send(
        crew, "export", code=200, format="hf", who=crew.bob.username, all="yes", match="label=WHEN"
    )
    rows = [json.loads(line) for line in b"".join(every.streaming_content).splitlines()]
    assert [(row["text"], row["annotator"]) for row in rows] == [
        (crew.items[0].text, crew.bob.username)
    ]
    gold = send(crew, "export", crew.items[0], code=200, format="hf", who="gold")
    assert b"".join(gold.streaming_content) == b""
    for more in ({"format": "x"}, {"format": "hf", "who": "x"}):
        send(crew, "export", crew.items[0], code=422, **more)


def test_what_cannot_be_done_or_chosen_is_told_and_changes_nothing(crew: Crew) -> None:
    client, captions = crew.client(crew.manager), f"/annotate/{crew.project.slug}/captions/"
    every = {"act": "hand", "all": "yes"}
    told = ("Nothing was done", "Choose again", "Choose what to do")
    for sent in (
        {},
        {"act": "x", "item": "1"},
        {"act": "hand"},
        {"act": "hand", "item": "x"},
        {**every, "match": "state=x"},
        {**every, "match": "text=zebra"},
    ):
        html = client.post(f"{captions}selection/", sent, follow=True).content.decode()
        assert any(said in html for said in told), sent
    # Nor captions of another project, nor anything by who adjudicates.
    other = make_project().items.all()
    send(crew, "again", *other, to="", count=1)
    assert Assignment.objects.filter(item=other[0]).count() == other[0].copies
    assert 'name="item"' not in crew.client(crew.judge).get(captions).content.decode()
    assert not Assignment.objects.exclude(user=None).exists()
