"""Suggestions: made by the labeller in use, shown where they may be, and noted where taken."""

import io
import json
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.urls import reverse

from annotation import tasks
from annotation.formats import prodigy
from annotation.models import Annotation, Item, Project, Revision, Suggestion
from annotation.selectors.answers import MOST_VERSIONS
from annotation.selectors.formats import ExportSelection, export_rows
from annotation.selectors.suggestions import suggestions_of
from annotation.selectors.training.material import LabelSource, TrainingSelection, training_material
from annotation.services.adjudication import gold_accept_single
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.imports import records_import
from annotation.services.projects import Task, items_add, member_add
from annotation.services.suggestions import suggestions_make
from earmark.models.descriptors import find_labeller
from leaderboard.models import User
from leaderboard.services.labellers.using import labeller_put_to_use
from tests.annotation.conftest import NOW, browser, make_project
from tests.factories import UserFactory
from tests.labellers import registered

MARK = "suggester@0badcafe"


@pytest.fixture
def ann(db: None) -> User:
    return UserFactory.create(username="ann")


@pytest.fixture
def project(ann: User) -> Project:
    """A project with suggestions whose captions go to one person each."""
    made = make_project(UserFactory.create(), share=0, suggest=True)
    member_add(project=made, user=ann)
    return made


def take_tasks(user: User, project: Project) -> list[dict[str, Any]]:
    answer = browser(user).post(
        f"/api/v1/labelling/{project.slug}/tasks", {"count": 6}, content_type="application/json"
    )
    found: list[dict[str, Any]] = answer.json()["tasks"]
    return found


def told(task: dict[str, Any]) -> list[tuple[str, str]]:
    words = [token["text"] for token in task["tokens"]]
    return [
        (" ".join(words[span["token_start"] : span["token_end"] + 1]), span["label"])
        for span in task["suggestion"]["spans"]
    ]


def test_the_labeller_in_use_says_what_it_thinks_of_each_open_caption(
    project: Project, ann: User
) -> None:
    assert suggestions_make(project=project, now=NOW) == 4
    first = take_tasks(ann, project)[0]
    assert first["text"] == "a dog barks twice in the distance"
    assert first["suggestion"]["labeller"] == find_labeller().identity
    assert ("dog", "WHO") in told(first)
    assert ("barks", "HOW") in told(first)
    assert all(0 < span["confidence"] <= 1 for span in first["suggestion"]["spans"])
    assert suggestions_make(project=project, now=NOW) == 0, "what is there is not made again"


def test_no_way_leads_to_a_suggestion_for_a_caption_that_measures_agreement(ann: User) -> None:
    """Not even where a row stands in the table: tasks, history, one item, the page itself."""
    made = make_project(share=1, copies=2, suggest=True)
    assert suggestions_make(project=made, now=NOW) == 0
    assert not Suggestion.objects.exists()
    member_add(project=made, user=ann)
    for item in made.items.all():
        span = {"token_start": 1, "token_end": 1, "label": "WHO", "start": 0, "end": 1}
        spans = [{**span, "confidence": 0.9}]
        Suggestion.objects.create(item=item, identity=MARK, spans=spans, made_at=NOW)
    given = take_tasks(ann, made)
    assert [task["suggestion"] for task in given] == [None] * 4
    first, row = made.items.order_by("position")[0], taken((1, 1, "WHO"))
    assert "taken" not in save(first, ann, 1, row, taken=row).extra
    client = browser(ann)
    base = f"/api/v1/labelling/{made.slug}"
    for path in (f"{base}/history", f"{base}/items/{first.pk}", f"/annotate/{made.slug}/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert MARK not in answer.text
    assert suggestions_of(made.items.all(), made) == {}


def test_only_offered_labels_are_suggested_without_asking_the_labeller_again(
    project: Project, ann: User
) -> None:
    suggestions_make(project=project, now=NOW)
    Project.objects.update(offered=["HOW"])
    assert {label for _, label in told(take_tasks(ann, project)[0])} == {"HOW"}
    Project.objects.update(suggest=False)
    assert take_tasks(ann, project)[0]["suggestion"] is None, "the project asks for none"
    Project.objects.update(offered=["HOW", "WHO"], suggest=True)
    assert {label for _, label in told(take_tasks(ann, project)[0])} == {"HOW", "WHO"}


def test_another_labeller_put_to_use_makes_them_anew(project: Project, ann: User) -> None:
    """Of open captions only: what is answered is answered."""
    suggestions_make(project=project, now=NOW)
    done = project.items.all()[3]
    annotation_save(item=done, user=ann, change=AnswerChange("edit-one", 0, []), now=NOW)
    other = registered()
    labeller_put_to_use(labeller=other, reason="a test", actor=None, now=NOW)
    assert suggestions_make(project=project, now=NOW) == 3
    found = dict(Suggestion.objects.values_list("item", "identity"))
    assert found.pop(done.pk) == find_labeller().identity
    assert set(found.values()) == {other.identity}


def test_the_sweep_sends_projects_that_wait_and_no_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(tasks.suggestions_make, "delay", asked.append)
    tasks.labeller_sweep()
    assert asked == [project.pk]
    tasks.suggestions_make(project.pk)
    tasks.labeller_sweep()
    assert asked == [project.pk]
    items_add(project=project, tasks=[Task("a cat purrs")])
    tasks.labeller_sweep()
    assert asked == [project.pk] * 2


def taken(*rows: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [
        {"token_start": first, "token_end": last, "label": label, "labeller": MARK}
        for first, last, label in rows
    ]


def save(
    item: Item, user: User, number: int, spans: list[dict[str, Any]], **more: Any
) -> Annotation:
    change = AnswerChange(f"edit-{number}", number - 1, spans, **more)
    return annotation_save(item=item, user=user, change=change, now=NOW)


def test_what_was_taken_is_kept_with_the_answer_as_far_as_it_stands(
    project: Project, ann: User
) -> None:
    item = project.items.all()[0]
    mine, theirs = {"token_start": 3, "token_end": 3, "label": "WHEN"}, taken((1, 1, "WHO"))
    kept = save(item, ann, 1, [mine, *theirs], taken=[*theirs, *taken((2, 2, "HOW"))])
    assert kept.extra["taken"] == theirs, "what is not among the labels was not taken"
    kept = save(item, ann, 2, [mine, *theirs])
    assert kept.extra["taken"] == theirs, "who does not tell takes nothing back"
    kept = save(item, ann, 3, [mine, {**theirs[0], "label": "WHAT"}])
    assert "taken" not in kept.extra
    kept_then = Revision.objects.order_by("version").values_list("taken", flat=True)
    assert list(kept_then) == [theirs, theirs, []], "each version knows what it took"


def test_a_person_reads_and_takes_along_which_spans_were_suggested_and_how_it_stood_before(
    project: Project, ann: User
) -> None:
    item, theirs = project.items.all()[0], taken((1, 1, "WHO"))
    for number in range(1, 14):
        save(item, ann, number, theirs if number % 2 else [], taken=theirs)
    client = browser(ann)
    response = client.get(reverse("annotation:history", args=[project.slug]))
    (row,) = response.context["rows"]
    assert [old["revision"].version for old in row["versions"]] == [
        *range(12, 12 - MOST_VERSIONS, -1)
    ]
    html = response.content.decode()
    assert f"How it stood before each of the last {MOST_VERSIONS} changes" in html
    assert f'title="Taken from the suggestion of {MARK}">, suggested<' in html
    path = f"/api/v1/labelling/{project.slug}/items/{item.pk}/versions"
    told = client.get(path).json()["versions"]
    assert [(row["version"], row["taken"]) for row in told][:2] == [(1, theirs), (2, [])]
    copy = json.loads(client.get(reverse("leaderboard:account"), {"act": "export"}).getvalue())
    assert [row["taken"] for row in copy["annotation_versions"]][:2] == [theirs, []]
    assert [set(row) & {"taken", "extra"} for row in copy["annotations"]] == [{"taken"}]


def test_what_is_known_of_versions_from_before_is_filled_in(project: Project, ann: User) -> None:
    theirs = taken((1, 1, "WHO"))
    for number in (1, 2):
        save(project.items.all()[0], ann, number, theirs, taken=theirs)
    save(project.items.all()[1], ann, 1, [])
    Revision.objects.update(taken=None)
    import_module("annotation.migrations.0009_taken_in_revisions").latest_fill(apps, None)
    rows = Revision.objects.order_by("annotation", "version").values_list("taken", flat=True)
    assert list(rows) == [None, theirs, []]
    client = browser(ann)
    assert (
        "were not recorded at that time"
        in client.get(f"/annotate/{project.slug}/history/").content.decode()
    )
    path = f"/api/v1/labelling/{project.slug}/items/{project.items.all()[0].pk}/versions"
    assert [row["taken"] for row in client.get(path).json()["versions"]] == [None, theirs]


def test_the_api_keeps_what_was_taken_and_gives_it_back(project: Project, ann: User) -> None:
    task = take_tasks(ann, project)[0]
    rows = taken((1, 1, "WHO"))
    body = {
        "edit": "edit-from-api",
        "base": 0,
        "spans": [{key: rows[0][key] for key in ("token_start", "token_end", "label")}],
        "taken": rows,
    }
    path = f"/api/v1/labelling/{project.slug}/items/{task['id']}/annotation"
    answer = browser(ann).put(path, body, content_type="application/json")
    assert answer.json()["taken"] == rows
    refused = {**body, "taken": [{**rows[0], "labeller": "x\n"}]}
    assert browser(ann).put(path, refused, content_type="application/json").status_code == 422


def lines_of(project: Project) -> list[str]:
    return list(prodigy.write(export_rows(project, ExportSelection()), project.slug))


def test_a_file_tells_what_was_taken_and_brings_it_back(project: Project, ann: User) -> None:
    item = project.items.all()[0]
    rows = taken((1, 1, "WHO"))
    save(item, ann, 1, [*rows, {"token_start": 2, "token_end": 2, "label": "HOW"}], taken=rows)
    (line,) = lines_of(project)
    assert json.loads(line)["_suggested"] == rows
    other = make_project(texts=(), share=0)
    found = prodigy.read(io.BytesIO(line.encode()))
    assert records_import(project=other, records=found, now=NOW).annotations == 1
    kept = Annotation.objects.get(item__project=other)
    assert kept.extra["taken"] == rows
    assert lines_of(other) == [line], "byte for byte, as it came"
    # Changed since, the record tells what still stands; of others on the caption, nothing.
    user = kept.user
    member_add(project=other, user=user)
    save(kept.item, user, 2, [{"token_start": 2, "token_end": 2, "label": "HOW"}])
    assert "_suggested" not in json.loads(lines_of(other)[0])
    member_add(project=other, user=ann)
    save(kept.item, ann, 1, [])
    assert "_suggested" not in json.loads(lines_of(other)[1])


def test_captions_that_are_learned_from_tell_what_was_taken(project: Project, ann: User) -> None:
    """As accepted answers and as gold; those without anything taken have no such key."""
    first, second = project.items.all()[:2]
    rows = taken((1, 1, "WHO"))
    save(first, ann, 1, [*rows, {"token_start": 2, "token_end": 2, "label": "HOW"}], taken=rows)
    save(second, ann, 1, [{"token_start": 1, "token_end": 1, "label": "WHAT"}])
    (part,) = training_material(project, TrainingSelection(LabelSource.ACCEPTED))
    assert [record.get("_suggested") for record in part.records] == [rows, None]
    assert gold_accept_single(project=project, by=ann, now=NOW) == 2
    (part,) = training_material(project, TrainingSelection(LabelSource.GOLD))
    assert [record.get("_suggested") for record in part.records] == [rows, None]


def test_a_key_of_the_same_name_that_means_something_else_is_carried_along(db: None) -> None:
    line = '{"text":"a dog","_suggested":{"by":"me"},"spans":[],"answer":"accept"}\n'
    made = make_project(texts=())
    records_import(project=made, records=prodigy.read(io.BytesIO(line.encode())), now=NOW)
    assert lines_of(made) == [line]
    kept = Annotation.objects.get()
    member_add(project=made, user=kept.user)
    save(kept.item, kept.user, 2, [{"token_start": 1, "token_end": 1, "label": "WHO"}])
    assert json.loads(lines_of(made)[0])["_suggested"] == {"by": "me"}
