"""Keeping work: once, in the right version, with spans that fit."""

import json
from typing import Any

import pytest

from annotation.models import Annotation, Item, Revision
from annotation.services.annotations import Change, Outdated, annotation_save
from annotation.spans import SpanFault, checked_spans, labels_of_words
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew


def save(item: Item, user: User, edit: str, base: int, *labels: tuple[int, int, str]) -> Annotation:
    spans = [{"token_start": a, "token_end": b, "label": name} for a, b, name in labels]
    return annotation_save(
        item=item, user=user, change=Change(edit=edit, base=base, spans=spans), now=NOW
    )


def test_a_span_gets_its_characters_from_its_words(crew: Crew) -> None:
    kept = save(crew.items[0], crew.ann, "edit-one", 0, (4, 6, "WHERE"), (1, 1, "WHO"))
    assert kept.spans == [
        {"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "WHO"},
        {"start": 18, "end": 33, "token_start": 4, "token_end": 6, "label": "WHERE"},
    ]


def test_the_same_change_sent_again_changes_nothing(crew: Crew) -> None:
    first = save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    again = save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    assert (first.pk, again.version) == (again.pk, 1)
    second = save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT"))
    # A late copy of the first must not undo the second.
    late = save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    assert (late.version, late.spans) == (2, second.spans)
    assert list(Revision.objects.values_list("version", "edit")) == [
        (1, "edit-one"),
        (2, "edit-two"),
    ]


def test_a_change_on_an_old_version_is_refused_with_what_stands(crew: Crew) -> None:
    save(crew.items[0], crew.ann, "edit-one", 0, (1, 1, "WHO"))
    save(crew.items[0], crew.ann, "edit-two", 1, (1, 1, "WHAT"))
    with pytest.raises(Outdated) as refused:
        save(crew.items[0], crew.ann, "other-tab", 1)
    assert refused.value.current.version == 2
    assert Annotation.objects.get().spans[0]["label"] == "WHAT"


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([{"token_start": 0, "token_end": 0, "label": "NOISE"}], "no label 'NOISE'"),
        ([{"token_start": 0, "token_end": 7, "label": "WHO"}], "the caption has 7 words"),
        ([{"token_start": 2, "token_end": 1, "label": "WHO"}], "from word 2 to 1"),
        ([{"token_start": "0", "token_end": 1, "label": "WHO"}], "whole numbers"),
        ([{"token_start": True, "token_end": 1, "label": "WHO"}], "whole numbers"),
        (
            [
                {"token_start": 0, "token_end": 2, "label": "WHO"},
                {"token_start": 2, "token_end": 2, "label": "HOW"},
            ],
            "'barks' stands in two spans",
        ),
    ],
)
def test_spans_that_do_not_fit_say_which_and_why(
    crew: Crew, spans: list[dict[str, Any]], said: str
) -> None:
    item = crew.items[0]
    with pytest.raises(SpanFault, match=said):
        checked_spans(spans, item.tokens, frozenset(crew.project.scheme.names))


def test_one_label_per_word_and_the_last_span_wins() -> None:
    spans = [
        {"token_start": 0, "token_end": 2, "label": "WHO"},
        {"token_start": 1, "token_end": 1, "label": "HOW"},
    ]
    assert labels_of_words(spans, 4) == ["WHO", "HOW", "WHO", "O"]


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
    past = client.get(f"{address}/history").json()
    assert [task["annotation"]["version"] for task in past["tasks"]] == [1]
    assert client.get(f"{address}/own").json()["answered"] == 1


def test_only_members_get_captions_and_only_their_own(crew: Crew) -> None:
    item = crew.items[0]
    address = f"/api/v1/labelling/{crew.project.slug}"
    for user, code in ((None, 401), (crew.outsider, 404)):
        client = crew.client(user)
        assert client.post(f"{address}/tasks", "{}", "application/json").status_code == code
        assert client.get(f"{address}/items/{item.pk}").status_code == code
        assert put(crew, user, item).status_code == code
    assert crew.client(crew.ann).get(f"{address}/items/{item.pk}").status_code == 404
    assert put(crew, crew.ann, item).status_code == 200
    assert crew.client(crew.ann).get(f"{address}/items/{item.pk}").status_code == 200
    # Blind: the other person's labels are not to be had.
    put(crew, crew.bob, item, spans=[{"token_start": 1, "token_end": 1, "label": "WHO"}])
    assert (
        crew.client(crew.ann).get(f"{address}/items/{item.pk}").json()["annotation"]["spans"] == []
    )
