"""Keeping work: once, in the right version, with spans that fit."""

import json
from typing import Any

import pytest

from annotation import access
from annotation.kinds.work_kind import AnswerFault
from annotation.models import Annotation, Item, KeyChoice, Project, Revision
from annotation.services.answers import AnswerChange, AnswerOutdated, annotation_save
from annotation.services.tasks import tasks_take
from annotation.spans import checked_spans
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.leaderboard.api_client import ROOT


def save(item: Item, user: User, edit: str, base: int, *labels: tuple[int, int, str]) -> Annotation:
    spans = [{"token_start": a, "token_end": b, "label": name} for a, b, name in labels]
    return annotation_save(
        item=item, user=user, change=AnswerChange(edit=edit, base=base, spans=spans), now=NOW
    )


def test_the_same_change_sent_again_changes_nothing(crew: Crew) -> None:
    first = save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    again = save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    assert (first.pk, again.version) == (again.pk, 1)
    save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT"))
    revisions = list(Revision.objects.values_list("version", "edit"))
    assert revisions == [(1, "edit-one"), (2, "edit-two")]


def test_a_change_that_was_overtaken_or_is_on_an_old_version_is_refused_with_what_stands(
    crew: Crew,
) -> None:
    """Its reply was lost, another window went on, and now it comes again."""
    save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT"))
    for edit, base in (("edit-one", 0), ("edit-one", 2), ("other-tab", 1)):
        with pytest.raises(AnswerOutdated) as refused:
            save(crew.items[0], crew.ann, edit, base, (1, 1, "WHO"))
        assert (refused.value.current.edit, refused.value.current.version) == ("edit-two", 2)
    assert Annotation.objects.get().spans[0]["label"] == "WHAT"


def test_labels_that_the_project_does_not_offer_are_refused_unless_they_were_there(
    crew: Crew,
) -> None:
    save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHAT"))
    crew.project.offered = ["WHO", "HOW"]
    crew.project.save()
    item = Item.objects.select_related("project__scheme").get(pk=crew.items[0].pk)
    with pytest.raises(AnswerFault, match='no label "WHEN"'):
        save(item, crew.ann, "edit-two", 1, (1, 1, "WHEN"))
    kept = save(item, crew.ann, "edit-two", 1, (1, 1, "WHAT"), (2, 2, "HOW"))
    assert [span["label"] for span in kept.spans] == ["WHAT", "HOW"]


def test_what_counts_in_a_closed_project_stays_and_late_work_is_kept_beside(crew: Crew) -> None:
    save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    Project.objects.update(closed=True)
    with pytest.raises(Refused, match="project is closed"):
        save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT"))
    late = save(crew.items[1], crew.ann, "edit-three", 0)
    assert not late.counts
    assert not save(crew.items[1], crew.ann, "edit-four", 1).counts
    Project.objects.update(closed=False)
    assert save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT")).version == 2


def test_spans_that_do_not_fit_say_which_and_why(crew: Crew) -> None:
    rows: list[tuple[list[dict[str, Any]], str]] = [
        ([{"token_start": 0, "token_end": 0, "label": "NOISE"}], 'no label "NOISE"'),
        ([{"token_start": 0, "token_end": 7, "label": "WHO"}], "the caption has only 7 words"),
        ([{"token_start": 2, "token_end": 1, "label": "WHO"}], "from word 2 to 1"),
        ([{"token_start": "0", "token_end": 1, "label": "WHO"}], "whole numbers"),
        ([{"token_start": True, "token_end": 1, "label": "WHO"}], "whole numbers"),
        (
            [
                {"token_start": 0, "token_end": 2, "label": "WHO"},
                {"token_start": 2, "token_end": 2, "label": "HOW"},
            ],
            '"barks" is in two spans',
        ),
    ]
    for spans, said in rows:
        with pytest.raises(AnswerFault, match=said):
            checked_spans(spans, crew.items[0].tokens, frozenset(crew.project.scheme.names))


def put(crew: Crew, user: User | None, item: Item, **change: Any) -> Any:
    body = {"edit": "edit-one", "base": 0, "spans": [], **change}
    return crew.client(user).put(
        f"/api/v1/labelling/{crew.project.slug}/items/{item.pk}/annotation",
        json.dumps(body),
        content_type="application/json",
    )


def test_the_page_takes_and_keeps_through_the_api(crew: Crew) -> None:
    client = crew.client(crew.ann)
    address = f"/api/v1/labelling/{crew.project.slug}"
    given = client.post(f"{address}/tasks", json.dumps({"count": 2}), "application/json").json()
    assert [task["id"] for task in given["tasks"]] == [item.pk for item in crew.items[:2]]
    assert given["own"]["left"] == 4
    span = {"token_start": 1, "token_end": 1, "label": "WHO"}
    kept = put(crew, crew.ann, crew.items[0], spans=[span], seconds=3.5).json()
    assert (kept["version"], kept["counts"], kept["spans"][0]["start"]) == (1, True, 2)
    stale = put(crew, crew.ann, crew.items[0], edit="other-tab")
    assert (stale.status_code, stale.json()["current"]["edit"]) == (409, "edit-one")
    wrong = put(crew, crew.ann, crew.items[1], spans=[{**span, "label": "NOISE"}])
    assert (wrong.status_code, "no label" in wrong.json()["detail"]) == (422, True)
    put(crew, crew.ann, crew.items[0], edit="edit-two", base=1, spans=[span], seconds=2)
    assert Annotation.objects.get().seconds == 5.5, "the time of both changes"
    past = client.get(f"{address}/history").json()
    assert [task["annotation"]["version"] for task in past["tasks"]] == [2]
    assert client.get(f"{address}/own").json()["answered"] == 1


def test_a_caption_that_is_deleted_while_it_is_being_saved_is_not_found(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its import is taken back between the look at who may save it and the saving."""
    found = access.item_to_save

    def found_and_deleted(user: User, project: str, item: int) -> Item:
        row = found(user, project, item)
        Item.objects.filter(pk=row.pk).delete()
        return row

    tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    monkeypatch.setattr(access, "item_to_save", found_and_deleted)
    assert put(crew, crew.ann, crew.items[0]).status_code == 404


def test_only_members_get_captions_and_only_their_own(crew: Crew) -> None:
    item = crew.items[0]
    address = f"/api/v1/labelling/{crew.project.slug}"
    for user, code in ((None, 401), (crew.outsider, 404)):
        client = crew.client(user)
        assert client.post(f"{address}/tasks", "{}", "application/json").status_code == code
        assert client.get(f"{address}/items/{item.pk}").status_code == code
        assert put(crew, user, item).status_code == code
    # Not handed out yet: neither to be read nor to be answered, which would be a way to read it.
    assert crew.client(crew.ann).get(f"{address}/items/{item.pk}").status_code == 404
    assert put(crew, crew.ann, item).status_code == 404
    for user in (crew.ann, crew.bob):
        crew.client(user).post(f"{address}/tasks", json.dumps({"count": 1}), "application/json")
    assert put(crew, crew.ann, item).status_code == 200
    assert crew.client(crew.ann).get(f"{address}/items/{item.pk}").status_code == 200
    # Blind: the other person's labels are not to be had.
    put(crew, crew.bob, item, spans=[{"token_start": 1, "token_end": 1, "label": "WHO"}])
    assert (
        crew.client(crew.ann).get(f"{address}/items/{item.pk}").json()["annotation"]["spans"] == []
    )


def test_what_no_database_keeps_is_left_out_of_comments_and_refused_in_names(crew: Crew) -> None:
    tasks_take(project=crew.project, user=crew.ann, count=1, now=NOW, lease=LEASE)
    kept = put(crew, crew.ann, crew.items[0], comment="a\0b\nc\x1b")
    assert (kept.status_code, kept.json()["comment"]) == (200, "ab\nc")
    for edit in ("with\0nul", "short", "spaces in it", "e" * 41):
        assert put(crew, crew.ann, crew.items[0], edit=edit).status_code == 422


def choose(crew: Crew, user: User, keys: object) -> Any:
    address = f"{ROOT}/labelling/{crew.project.slug}/keys"
    return crew.client(user).put(address, {"keys": keys}, content_type="application/json")


def chosen(crew: Crew, user: User, project: Project) -> Any:
    """The keys that the page of work has."""
    page = crew.client(user).get(f"/annotate/{project.slug}/")
    return page.context["session_settings"]["keys"]


def test_what_was_chosen_is_there_in_every_project_with_the_scheme(crew: Crew) -> None:
    keys = {"label:WHO": "g", "accept": " ", "label:HOW": ""}
    assert choose(crew, crew.ann, keys).status_code == 200
    assert chosen(crew, crew.ann, make_project(crew.ann)) == keys
    assert not chosen(crew, crew.bob, crew.project)
    choose(crew, crew.ann, {})
    assert KeyChoice.objects.get().keys == {}


def test_what_no_key_can_be_is_refused(crew: Crew) -> None:
    rows: list[object] = [
        {"accept": "ab"},
        {"accept": "4"},
        {"accept": "\x00"},
        {"accept": "\u202e"},
        {"accept": None},
        {"": "g"},
        {"x" * 101: "g"},
        {str(number): "g" for number in range(201)},
        ["g"],
    ]
    for keys in rows:
        assert choose(crew, crew.ann, keys).status_code == 422
        assert not KeyChoice.objects.exists()
