"""Agreement on its page and in the API: who sees what."""

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import reverse

from annotation.models import Answer, Member
from leaderboard.models import User
from tests.annotation.conftest import Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.leaderboard.api_client import ROOT
from tests.leaderboard.scored_pages import text

HOSTILE = "<script>alert(1)</script> %{x} & loud"


def page(crew: Crew, user: User | None, query: str = "", name: str = "agreement") -> str:
    address = reverse(f"annotation:{name}", args=[crew.project.slug])
    response = crew.client(user).get(f"{address}{query}")
    assert response.status_code == 200
    return response.content.decode()


def status(crew: Crew, user: User | None, query: str = "", name: str = "agreement") -> int:
    address = reverse(f"annotation:{name}", args=[crew.project.slug])
    return crew.client(user).get(f"{address}{query}").status_code


QUERIES = (("agreement", ""), ("agreement-captions", "?one=1&other=2&a=HOW&b=WHEN"))


@pytest.mark.parametrize(("name", "query"), QUERIES)
def test_who_still_labels_does_not_see_what_others_say(crew: Crew, name: str, query: str) -> None:
    disputed_first(crew)
    people = (crew.ann, crew.bob, crew.outsider, crew.judge, crew.manager)
    codes = [[status(crew, user, query, name) for user in people]]
    crew.project.closed = True
    crew.project.save()
    codes.append([status(crew, user, query, name) for user in people])
    assert codes == [[404, 404, 404, 200, 200], [200, 200, 404, 200, 200]]


def test_only_managers_see_names(crew: Crew) -> None:
    disputed_first(crew)
    crew.project.closed = True
    crew.project.save()
    names = (crew.ann.username, crew.bob.username)
    seen = page(crew, crew.manager)
    assert all(name in seen for name in names)
    for user, told in (
        (crew.judge, "Annotator 1 and Annotator 2"),
        (crew.bob, "Annotator 1 and You"),
    ):
        main = text(page(crew, user).encode())
        assert told in main
        assert not any(re.search(rf"\b{name}\b", main) for name in names)


def test_it_says_the_measures_and_what_is_left_out(crew: Crew) -> None:
    """Of 14 words 10 are labelled alike: 0.714."""
    disputed_first(crew)
    agreed_second(crew)
    label(crew.items[2], crew.ann, (1, 1, "WHO"))
    label(crew.items[3], crew.ann, answer=Answer.REJECT)
    label(crew.items[3], crew.bob, answer=Answer.IGNORE)
    label(crew.items[0], crew.manager, (0, 0, "WHO"))
    main = text(page(crew, crew.manager).encode())
    assert "2 captions with 14 words have two accepted annotations or more." in main
    assert (
        "Left out: 1 caption accepted by only one person so far; 1 rejected; 1 skipped; "
        "1 more than were asked for a caption; none of these count." in main
    )
    assert re.search(r"Observed agreement 0\.714 .* 14 words", main)
    for title in ("Cohen's kappa", "words that both label", "F1 of exact spans", "Krippendorff"):
        assert title in main
    assert ".794" in main
    assert "1 of 2 captions have words in dispute" in main


def test_pairs_and_labels_that_are_none_are_not_found(crew: Crew) -> None:
    disputed_first(crew)
    client = crew.client(crew.manager)
    for query in (
        *("?one=1", "?one=1&other=9", "?one=1&other=1", "?one=x&other=2", "?one=²&other=2"),
        *("captions/?one=1&other=2", "captions/?one=1&other=2&a=HOW&b=NOISE"),
    ):
        response = client.get(f"/annotate/{crew.project.slug}/agreement/{query}")
        assert response.status_code == 404, query


def test_hostile_captions_and_names_are_only_text(crew: Crew) -> None:
    Member.objects.filter(user=crew.ann).update(name=HOSTILE)
    project = make_project(crew.manager, texts=(f"a dog {HOSTILE}",))
    item = project.items.get()
    label(item, crew.manager, (1, 1, "WHO"))
    label(item, crew.ann, (1, 1, "WHAT"))
    for user in (crew.manager, crew.ann):
        Member.objects.update_or_create(
            project=project, user=user, defaults={"name": f"{HOSTILE}{user.pk}", "role": "manager"}
        )
    client = crew.client(crew.manager)
    for address in (
        reverse("annotation:agreement", args=[project.slug]),
        reverse("annotation:agreement-captions", args=[project.slug])
        + "?one=1&other=2&a=WHO&b=WHAT",
        reverse("annotation:adjudicate", args=[project.slug]),
        reverse("annotation:adjudicate-item", args=[project.slug, item.pk]),
    ):
        html = client.get(address).content.decode()
        assert "<script>alert" not in html, address
        # A name in a figure must not be filled in by Plotly's templates.
        assert "%{x} & loud" not in html.replace("\\u0026", "&"), address


def get(crew: Crew, user: User | None, what: str) -> HttpResponse:
    return crew.client(user).get(f"{ROOT}/labelling/{crew.project.slug}/{what}")  # type: ignore[return-value]


def told(crew: Crew, what: str, user: User | None = None) -> Any:
    response = get(crew, user or crew.judge, what)
    assert response.status_code == 200, response.content
    return response.json()  # type: ignore[attr-defined]


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
    for query, code in (("one=1&other=7", 404), ("one=0", 422), ("other=2", 404)):
        assert get(crew, crew.judge, f"agreement?{query}").status_code == code
    names = [person["name"] for person in told(crew, "agreement", crew.manager)["people"]]
    assert names == [crew.ann.username, crew.bob.username]
