"""The page of agreement: who sees it, what it says, what its cells open."""

import re

import pytest
from django.urls import reverse

from annotation.models import Answer, Member
from annotation.services.projects import member_remove
from leaderboard.models import User
from tests.annotation.conftest import Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.leaderboard.scored_pages import plain, text

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
    assert status(crew, None, query, name) == 302
    for user in (crew.ann, crew.bob, crew.outsider):
        assert status(crew, user, query, name) == 404
    for user in (crew.judge, crew.manager):
        assert status(crew, user, query, name) == 200
    crew.project.closed = True
    crew.project.save()
    assert status(crew, crew.ann, query, name) == 200
    assert status(crew, crew.outsider, query, name) == 404


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


def test_before_two_people_accepted_a_caption_it_says_so(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    assert "No caption has been accepted by two people yet" in page(crew, crew.manager)
    captions = "?one=1&other=2&a=WHO&b=WHO"
    assert status(crew, crew.manager, captions, "agreement-captions") == 404


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


def test_cells_open_the_captions_behind_them(crew: Crew) -> None:
    disputed_first(crew)
    html = page(crew, crew.manager)
    address = reverse("annotation:agreement-captions", args=[crew.project.slug])
    assert f"{address}?one=1&amp;other=2&amp;a=HOW&amp;b=WHEN" in html
    # The figure opens the same addresses.
    assert f"{address}?one=1\\u0026other=2\\u0026a=HOW\\u0026b=WHEN" in html
    opened = page(crew, crew.manager, "?one=1&other=2&a=HOW&b=WHEN", "agreement-captions")
    assert "1 word in 1 caption" in plain(opened)
    assert re.findall(r"<mark[^>]*>([^<]*)</mark>", opened) == ["twice"]
    other_way = page(crew, crew.manager, "?one=2&other=1&a=WHEN&b=HOW", "agreement-captions")
    assert re.findall(r"<mark[^>]*>([^<]*)</mark>", other_way) == ["twice"]
    none = page(crew, crew.manager, "?one=2&other=1&a=HOW&b=WHEN", "agreement-captions")
    assert "No word is labelled like this" in none


@pytest.mark.parametrize(
    "query",
    [
        *("?one=1", "?one=1&other=9", "?one=1&other=1", "?one=x&other=2", "?one=²&other=2"),
        *("captions/?one=1&other=2", "captions/?one=1&other=2&a=HOW&b=NOISE"),
    ],
)
def test_pairs_and_labels_that_are_none_are_not_found(crew: Crew, query: str) -> None:
    disputed_first(crew)
    address = f"/annotate/{crew.project.slug}/agreement/{query}"
    assert crew.client(crew.manager).get(address).status_code == 404


def test_what_changes_shows_at_once_and_the_work_of_who_has_left_counts(crew: Crew) -> None:
    item = disputed_first(crew)
    assert "1 of 1 captions have words in dispute" in text(page(crew, crew.manager).encode())
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "HOW"), (4, 6, "WHERE"))
    assert "1 of them was changed afterwards" in text(page(crew, crew.manager).encode())
    assert "agree on every word" in text(page(crew, crew.manager, "?answers=now").encode())
    ann = Member.objects.filter(user=crew.ann)
    ann.update(name="Anna")
    assert "Anna and" in text(page(crew, crew.manager).encode())
    member_remove(member=ann.get())
    assert crew.ann.username in text(page(crew, crew.manager).encode())


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


def test_the_list_of_projects_leads_those_who_may(crew: Crew) -> None:
    def links(user: User) -> set[str]:
        html = crew.client(user).get(reverse("annotation:projects")).content.decode()
        return {
            name for name in ("agreement", "adjudicate") if f"{crew.project.slug}/{name}/" in html
        }

    assert links(crew.ann) == set()
    assert links(crew.judge) == links(crew.manager) == {"agreement", "adjudicate"}
    crew.project.closed = True
    crew.project.save()
    assert links(crew.ann) == {"agreement"}


def test_of_three_people_every_pair_has_its_kappa_and_one_is_looked_at(crew: Crew) -> None:
    project = make_project(crew.manager, copies=3)
    for item in project.items.all()[:3]:
        label(item, crew.ann, (1, 1, "WHO"))
        label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"))
    label(project.items.all()[0], crew.judge, (1, 1, "WHAT"))
    for user in (crew.ann, crew.bob, crew.judge):
        Member.objects.create(project=project, user=user, name=f"P{user.pk}", role="annotator")
    client = crew.client(crew.manager)
    address = reverse("annotation:agreement", args=[project.slug])
    ann, bob, judge = (f"P{user.pk}" for user in (crew.ann, crew.bob, crew.judge))
    main = text(client.get(address).content)
    for one, other in ((ann, bob), (ann, judge), (bob, judge)):
        assert f"{one} and {other}" in main
    # The pair with most captions in common is the one that is looked at.
    assert f"{ann} and {bob}: all measures" in main
    other = text(client.get(f"{address}?one=3&other=2").content)
    assert f"{judge} and {bob}: all measures" in other
    assert "7 words" in other
