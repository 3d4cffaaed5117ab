"""The pages of those who label: who may see them, and what they say."""

import re
from typing import Any

from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation.models import Annotation, Answer, Item
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew, make_project

LIST = "annotation:projects"
PAGES = ("annotation:label", "annotation:history", "annotation:guidelines")


def page_of(crew: Crew, name: str) -> str:
    return reverse(name, args=[crew.project.slug])


def read(crew: Crew, name: str, user: User | None = None) -> str:
    return crew.client(user or crew.ann).get(page_of(crew, name)).content.decode()


def answer(item: Item, user: User, *spans: tuple[int, int, str], **more: Any) -> Annotation:
    rows = [{"token_start": a, "token_end": b, "label": name} for a, b, name in spans]
    edit = f"edit-{item.pk}-{user.pk}-{Annotation.objects.count()}"
    return annotation_save(
        item=item, user=user, change=AnswerChange(edit=edit, base=0, spans=rows, **more), now=NOW
    )


def test_the_list_has_ones_projects_with_role_and_progress(crew: Crew) -> None:
    make_project(crew.bob)
    answer(crew.items[0], crew.ann)
    response = crew.client(crew.ann).get(reverse(LIST))
    (row,) = response.context["rows"]
    assert (row["project"], row["role"], row["own"].answered) == (crew.project, "annotator", 1)
    assert (row["whole"].assignments_done, row["whole"].assignments) == (1, 8)
    page = response.content.decode()
    for shown in (page_of(crew, "annotation:label"), "1 of 8", "Annotator"):
        assert shown in page
    # Who is in none reads what to do, and has no link.
    page = crew.client(crew.outsider).get(reverse(LIST)).content.decode()
    assert f"add you by your user name, {crew.outsider.username}" in page
    assert f'href="{reverse(LIST)}"' not in page
    assert f'href="{reverse(LIST)}"' in crew.client(crew.ann).get("/").content.decode()


def test_ten_projects_take_eight_questions_each(
    crew: Crew, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(9):
        member_add(project=make_project(texts=("a dog barks",)), user=crew.ann)
    client = crew.client(crew.ann)
    # The last of the eleven: whether labellers and data sets are any business of theirs, and what
    # is archived.
    with django_assert_max_num_queries(11 + 10 * 8):
        client.get(reverse(LIST))


def test_the_page_has_the_labels_on_offer_and_neither_captions_nor_inline_scripts(
    crew: Crew,
) -> None:
    crew.project.offered = ["WHO", "HOW"]
    crew.project.save()
    page = read(crew, "annotation:label")
    assert re.findall('data-label="([^"]*)"', page) == ["WHO", "HOW", ""], "one takes labels off"
    assert not [item.text for item in crew.items if item.text in page]
    assert not crew.items[0].assignments.exclude(user=None).exists(), "looking takes nothing"
    for name in PAGES:
        page = read(crew, name)
        assert not re.search(r"<script(?![^>]*(src=|application/json))", page)
        assert not re.search(r"<style|\sstyle=|\son\w+=", page)


def test_own_answers_show_what_was_said_latest_first(crew: Crew) -> None:
    answer(crew.items[0], crew.ann, (1, 1, "WHO"), (4, 6, "WHERE"), comment="far <b>away</b>")
    answer(crew.items[1], crew.ann, answer=Answer.REJECT, flagged=True)
    answer(crew.items[2], crew.bob, (1, 1, "WHO"))
    page = read(crew, "annotation:history")
    assert page.index("heavy rain falls") < page.index(">dog<")
    assert "several people" not in page
    assert "Rejected" in page
    assert "Flagged" in page
    assert "far &lt;b&gt;away&lt;/b&gt;" in page
    assert re.search(r">in the distance<.{0,200}Where", page, re.DOTALL)
    assert f"?item={crew.items[0].pk}" in page


def test_many_answers_come_in_pages(
    crew: Crew, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project(texts=tuple(f"sound number {number}" for number in range(31)))
    member_add(project=project, user=crew.ann)
    for item in project.items.all():
        answer(item, crew.ann)
    address = reverse("annotation:history", args=[project.slug])
    client = crew.client(crew.ann)
    with django_assert_max_num_queries(8):
        first = client.get(address)
    assert [row["annotation"].item.text for row in first.context["rows"]][-1] == "sound number 1"
    (earlier,) = client.get(address, {"before": first.context["earlier"]}).context["rows"]
    assert earlier["annotation"].item.text == "sound number 0"
    for told in ("x", "-1", "9" * 30, "²"):
        assert len(client.get(address, {"before": told}).context["rows"]) == 30


def test_guidelines_are_markdown_and_examples_mark_their_words(crew: Crew) -> None:
    crew.project.guidelines = "Label *every* sound.\n\n<script>alert(1)</script>"
    crew.project.save()
    for name in ("annotation:guidelines", "annotation:label"):
        page = read(crew, name)
        assert "<em>every</em>" in page
        assert "<script>alert" not in page
        assert 'a <mark class="told__mark">man</mark> is talking' in page


def test_hostile_names_and_captions_are_escaped_everywhere(crew: Crew) -> None:
    bad = "</script><img src=x onerror=alert(1)>"
    project = make_project(texts=(bad,))
    scheme = project.scheme
    scheme.labels = [
        {**row, "title": bad, "guideline": bad, "examples": [bad]} for row in scheme.labels
    ]
    scheme.save()
    project.name = bad
    project.save()
    member_add(project=project, user=crew.ann)
    answer(project.items.get(), crew.ann, (0, 0, "WHO"), comment=bad)
    for name in PAGES:
        page = crew.client(crew.ann).get(reverse(name, args=[project.slug])).content.decode()
        assert "<img" not in page
        assert "onerror=alert(1)&gt;" in page
    assert "<img" not in crew.client(crew.ann).get(reverse(LIST)).content.decode()


def test_what_a_page_sends_while_another_person_is_logged_in_is_refused(crew: Crew) -> None:
    client = crew.client(crew.bob)
    address = f"/api/v1/labelling/{crew.project.slug}/tasks"
    headers = {"X-Labelling-As": str(crew.ann.pk)}
    refused = client.post(address, {"count": 1}, "application/json", headers=headers)
    assert refused.status_code == 401
    assert refused.json()["person"] == crew.bob.username
    save = f"/api/v1/labelling/{crew.project.slug}/items/{crew.items[0].pk}/annotation"
    change = {"edit": "edit-one", "base": 0, "spans": []}
    assert client.put(save, change, "application/json", headers=headers).status_code == 401
    assert not Annotation.objects.exists()
    for part in ("own", "history", f"items/{crew.items[0].pk}"):
        read_by = client.get(f"/api/v1/labelling/{crew.project.slug}/{part}", headers=headers)
        assert read_by.status_code == 401
    headers = {"X-Labelling-As": str(crew.bob.pk)}
    assert (
        client.post(address, {"count": 1}, "application/json", headers=headers).status_code == 200
    )
    assert client.put(save, change, "application/json", headers=headers).status_code == 200
