"""The API says of agreement what the page says, to whom the page does; it settles as the form."""

from typing import Any

import pytest
from django.http import HttpResponse

from annotation.models import Gold, Item
from leaderboard.models import User
from tests.annotation.conftest import Crew
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.leaderboard.api_client import ROOT

CHOICES = {3: "WHEN", 4: "WHERE", 5: "WHERE", 6: "WHERE"}


def get(crew: Crew, user: User | None, what: str) -> HttpResponse:
    return crew.client(user).get(f"{ROOT}/labelling/{crew.project.slug}/{what}")  # type: ignore[return-value]


def told(crew: Crew, what: str, user: User | None = None) -> Any:
    response = get(crew, user or crew.judge, what)
    assert response.status_code == 200, response.content
    return response.json()  # type: ignore[attr-defined]


def settle(crew: Crew, item: Item, seen: str, choices: dict[int, str], user: User | None) -> Any:
    return crew.client(user).put(
        f"{ROOT}/labelling/{crew.project.slug}/items/{item.pk}/gold",
        {
            "seen": seen,
            "choices": [{"word": word, "label": name} for word, name in choices.items()],
        },
        content_type="application/json",
    )


def test_agreement_is_that_of_the_page(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    found = told(crew, "agreement")
    assert found["captions"] == 2
    assert [person["name"] for person in found["people"]] == ["Annotator 1", "Annotator 2"]
    values = {row["name"]: row for row in found["pair"]["measures"]}
    assert values["observed"]["value"] == pytest.approx(10 / 14)
    assert found["pairs"][0]["kappa"]["value"] == values["kappa"]["value"]
    assert found["alpha"]["n"] == 14
    how, when = found["names"].index("HOW"), found["names"].index("WHEN")
    assert found["pair"]["confusion"][how][when] == 1
    assert found["disputes"][0]["words"] == [3, 4, 5, 6]
    turned = told(crew, "agreement?one=2&other=1")
    assert turned["pair"]["confusion"][when][how] == 1
    assert get(crew, crew.judge, "agreement?one=1&other=7").status_code == 404
    assert get(crew, crew.judge, "agreement?one=0").status_code == 422
    alone = get(crew, crew.judge, "agreement?other=2")
    assert (alone.status_code, b"None" in alone.content) == (404, False)
    names = [person["name"] for person in told(crew, "agreement", crew.manager)["people"]]
    assert names == [crew.ann.username, crew.bob.username]


def test_before_two_people_are_through_there_is_nothing(crew: Crew) -> None:
    found = told(crew, "agreement")
    assert (found["pair"], found["alpha"], found["pairs"]) == (None, None, [])
    assert told(crew, "disputes")["cases"] == []


def test_a_decision_is_kept_and_read_with_its_provenance(crew: Crew) -> None:
    item, agreed = disputed_first(crew), agreed_second(crew)
    case = told(crew, "disputes")["cases"][0]
    assert case["item"] == item.pk
    assert case["disputed"] == [3, 4, 5, 6]
    assert [vote["letter"] for vote in case["votes"]] == ["A", "B"]
    assert crew.ann.username not in str(case)
    assert settle(crew, item, case["seen"], {3: "WHEN"}, crew.judge).status_code == 422
    kept = settle(crew, item, case["seen"], CHOICES, crew.judge)
    assert kept.status_code == 200
    assert kept.json()["labels"][3] == "WHEN"
    again = settle(crew, item, case["seen"], CHOICES, crew.manager)
    assert again.json()["settled_at"] == kept.json()["settled_at"]
    other = settle(crew, item, case["seen"], {**CHOICES, 3: "HOW"}, crew.manager)
    assert other.status_code == 409
    assert other.json()["current"]["gold"][3] == "WHEN"
    rows = told(crew, "gold")["gold"]
    assert [row["item"] for row in rows] == [item.pk, agreed.pk]
    assert rows[0]["provenance"][3]["how"] == "chosen"
    assert {row["how"] for row in rows[1]["provenance"]} == {"agreed"}


def test_gold_comes_in_pages(crew: Crew) -> None:
    for item in crew.items:
        for user in (crew.ann, crew.bob):
            label(item, user, (1, 1, "WHO"))
    crew.client(crew.judge).post(f"/annotate/{crew.project.slug}/adjudicate/start/")
    first = told(crew, "gold?limit=3")
    assert len(first["gold"]) == 3
    rest = told(crew, f"gold?limit=3&after={first['next']}")
    assert [row["item"] for row in rest["gold"]] == [crew.items[3].pk]
    assert rest["next"] is None


def test_gold_is_corrected_and_reopened_with_edges_notes_and_history(crew: Crew) -> None:
    """On a caption on which all agree: no form asks for it, but any word can be mended."""
    item = agreed_second(crew)
    client, path = crew.client(crew.judge), f"items/{item.pk}/gold"
    address = f"{ROOT}/labelling/{crew.project.slug}/{path}"
    client.post(f"/annotate/{crew.project.slug}/adjudicate/start/")
    case = told(crew, path)
    assert (case["disputed"], case["disputed_edges"], case["note"]) == ([], [], "")
    assert case["votes"][0]["spans"] == case["gold_spans"]
    decision = {
        "seen": case["seen"],
        "choices": [{"word": 1, "label": "HOW"}],
        "edges": [{"word": 2, "begins": True}],
        "note": "Rain\u0000 is\n how.",
    }
    kept = client.put(address, decision, content_type="application/json").json()
    assert kept["labels"][:3] == ["O", "HOW", "HOW"]
    assert [span["token_start"] for span in kept["spans"]] == [1, 2]
    assert (kept["note"], kept["settled_by"]) == ("Rain is how.", crew.judge.username)
    assert [row["labels"][1] for row in kept["past"]] == ["WHAT"]
    stale = {"seen": case["seen"], "reason": "No."}
    moved = client.post(f"{address}/reopen", stale, content_type="application/json")
    assert (moved.status_code, moved.json()["current"]["note"]) == (409, "Rain is how.")
    seen = moved.json()["current"]["seen"]
    body = {"seen": seen, "reason": "Look again."}
    done = client.post(f"{address}/reopen", body, content_type="application/json")
    assert (done.status_code, Gold.objects.exists()) == (204, False)
    case = told(crew, "disputes")["cases"][0]
    assert (case["item"], case["reopened"], case["gold"]) == (item.pk, True, None)
    last = case["past"][0]
    assert (last["reason"], last["ended_by"]) == ("Look again.", crew.judge.username)
    assert (last["note"], last["end"]) == ("Rain is how.", "taken_back")
