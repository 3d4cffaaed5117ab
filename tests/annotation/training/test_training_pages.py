"""The pages of trainings: who sees what, what is refused, what is said and escaped."""

import gzip
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Role, RunState, TrainingRun
from annotation.services.labels import schemes_load
from annotation.services.projects import member_add, project_create
from leaderboard.models import AuditEvent, User
from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import Crew, make_project
from tests.annotation.trained import easy_texts, label_easily, make_training
from tests.leaderboard.scored_pages import plain, text

HOSTILE = "<script>alert(1)</script>"
FORM = {
    "source": "accepted",
    "leave_flagged": "on",
    "name": "my-labeller",
    "method": "lora",
    "batch": "16",
    "seed": "1",
    "held_out": "20",
    "folds": "0",
}
ERROR = {
    "words": ["a", "dog", "barks"],
    "given": ["O", "WHO", "HOW"],
    "found": ["O", "WHAT", "HOW"],
}


def get(crew: Crew, user: User | None, name: str, *more: object, query: str = "") -> Any:
    address = reverse(f"annotation:{name}", args=[crew.project.slug, *more])
    return crew.client(user).get(address + query)


def post(crew: Crew, user: User, name: str, *more: object, data: Any = None) -> Any:
    address = reverse(f"annotation:{name}", args=[crew.project.slug, *more])
    return crew.client(user).post(address, data or {})


@pytest.fixture
def easy(crew: Crew) -> Crew:
    """The crew with a project of 24 captions that one of them accepted."""
    project = make_project(crew.manager, texts=easy_texts(24), copies=1)
    for user, role in ((crew.ann, Role.ANNOTATOR), (crew.judge, Role.ADJUDICATOR)):
        member_add(project=project, user=user, role=role)
    label_easily(list(project.items.all()), crew.ann)
    return Crew(
        project,
        list(project.items.all()),
        crew.ann,
        crew.bob,
        crew.judge,
        crew.manager,
        crew.outsider,
    )


@pytest.mark.parametrize(
    ("name", "more", "codes"),
    [
        ("models", (), (302, 404, 404, 200, 200)),
        ("training", (1,), (302, 404, 404, 200, 200)),
        ("training-progress", (1,), (302, 404, 404, 200, 200)),
        # Captions and amounts are for managers: adjudicators may still label some of them.
        ("models-amount", (), (302, 404, 404, 404, 200)),
        ("training-captions", (1,), (302, 404, 404, 404, 200)),
        ("training-data", (1,), (302, 404, 404, 404, 200)),
    ],
)
def test_who_sees_which_page(
    crew: Crew, name: str, more: tuple[int, ...], codes: tuple[int, ...]
) -> None:
    make_training(crew.project, errors=[ERROR])
    people = (None, crew.outsider, crew.ann, crew.judge, crew.manager)
    assert tuple(get(crew, user, name, *more).status_code for user in people) == codes


@pytest.mark.parametrize("name", ["training-cancel", "training-again"])
def test_adjudicators_only_read(crew: Crew, name: str) -> None:
    run = make_training(crew.project, state=RunState.WAITING)
    for user in (crew.outsider, crew.ann, crew.judge):
        assert post(crew, user, name, 1).status_code == 404
    assert post(crew, crew.judge, "models", data=FORM).status_code == 404
    run.refresh_from_db()
    assert run.state == RunState.WAITING
    assert run.cancel_asked_at is None
    html = get(crew, crew.judge, "training", 1).content.decode()
    assert "Cancel" not in text(html.encode())


def test_an_adjudicator_reads_figures_and_no_caption(crew: Crew) -> None:
    make_training(crew.project, errors=[ERROR], state=RunState.DONE)
    told = text(get(crew, crew.judge, "training", 1).content)
    assert "0.812" in told
    assert "barks" not in told
    assert crew.manager.username not in told
    assert "barks" in text(get(crew, crew.manager, "training", 1).content)


def test_a_training_of_another_project_is_not_found(crew: Crew) -> None:
    make_training(make_project(crew.outsider))
    assert get(crew, crew.manager, "training", 1).status_code == 404


def test_a_manager_starts_a_training_of_what_was_chosen(easy: Crew) -> None:
    response = post(easy, easy.manager, "models", data=FORM)
    run = TrainingRun.objects.get()
    assert response.url == reverse("annotation:training", args=[easy.project.slug, 1])
    assert run.state == RunState.WAITING
    assert run.chosen == {
        "source": "accepted",
        "people": [],
        "leave_flagged": True,
        "projects": [],
    }
    assert run.options == {
        "name": "my-labeller",
        "method": "lora",
        "backbone": "",
        "epochs": None,
        "rate": None,
        "batch": 16,
        "seed": 1,
        "held_out": 0.2,
        "folds": 0,
        "curve": False,
        "learn_all": False,
    }
    assert run.data.captions == 24
    event = AuditEvent.objects.get(action="labelling.train")
    assert event.details == {"number": 1, "data": run.data.sha256}
    assert "started training 1" in text(get(easy, easy.manager, "manage").content)


def test_too_few_captions_are_refused_on_the_page_and_nothing_is_lost(easy: Crew) -> None:
    easy.items[0].project.items.filter(position__gte=9).delete()
    response = post(easy, easy.manager, "models", data=FORM | {"seed": "77"})
    assert response.status_code == 422
    told = text(response.content)
    assert "at least 20 different captions, and there are 9. " in told
    assert 'value="77"' in response.content.decode()
    assert not TrainingRun.objects.exists()


def test_too_many_captions_are_counted_and_not_read(easy: Crew, settings: Settings) -> None:
    """Neither to start, nor to say on the page what there would be to learn from."""
    settings.TRAINING_CAPTIONS = 23
    said = "at most 23 captions on this site, and there are 24"
    pages = (
        get(easy, easy.manager, "models"),
        get(easy, easy.manager, "models-amount", query="?source=accepted"),
        post(easy, easy.manager, "models", data=FORM),
    )
    assert [page.status_code for page in pages] == [200, 200, 422]
    for page in pages:
        assert said in page.content.decode()
    assert not TrainingRun.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "two words", "Letters a to z, digits"),
        ("name", "", "required"),
        ("epochs", "51", "less than or equal to 50"),
        ("rate", "0", "greater than or equal to 1e-07"),
        ("batch", "0", "greater than or equal to 1"),
        ("method", "magic", "not one of the available choices"),
        ("backbone", "/etc", "not one of the available choices"),
        ("held_out", "99", "not one of the available choices"),
        ("folds", "7", "not one of the available choices"),
        ("source", "all", "not one of the available choices"),
        ("people", "999999", "not one of the available choices"),
        ("helpers", "999999", "not one of the available choices"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(
    easy: Crew, field: str, value: str, said: str
) -> None:
    response = post(easy, easy.manager, "models", data=FORM | {field: value})
    assert response.status_code == 422
    assert said in text(response.content)
    assert not TrainingRun.objects.exists()


def test_a_second_training_is_refused_while_one_is_under_way(easy: Crew) -> None:
    make_training(easy.project, state=RunState.RUNNING)
    assert "is under way" in text(get(easy, easy.manager, "models").content)
    response = post(easy, easy.manager, "models", data=FORM)
    assert response.status_code == 302
    assert TrainingRun.objects.count() == 1


def test_the_amount_follows_what_is_chosen(easy: Crew) -> None:
    def told(query: str) -> str:
        response = get(easy, easy.manager, "models-amount", query=query)
        assert response.status_code == 200
        return plain(response.content.decode())

    assert "24 captions with 120 words" in told("?source=accepted&leave_flagged=on")
    assert "0 captions" in told("?source=gold")
    assert "20 more" in told("?source=gold")
    easy.items[0].annotations.update(flagged=True)
    assert "23 captions" in told("?source=accepted&leave_flagged=on")
    assert "24 captions" in told("?source=accepted")
    assert "24 captions" in told(f"?source=accepted&people={easy.ann.pk}")
    assert "Choose which labels" in told("?source=nonsense")


def test_only_own_projects_of_another_inventory_may_help(easy: Crew) -> None:
    ten = next(found for found in schemes_load() if found.slug == "aces-10")
    own = project_create(slug="own-ten", name="Own ten", scheme=ten, manager=easy.manager)
    project_create(slug="their-ten", name="Their ten", scheme=ten, manager=easy.outsider)
    read = project_create(slug="read-ten", name="Read ten", scheme=ten, manager=easy.outsider)
    member_add(project=read, user=easy.manager, role=Role.ADJUDICATOR)
    make_project(easy.manager)
    html = get(easy, easy.manager, "models").content.decode()
    found = re.search(r"Projects that help(.*?)</fieldset>", html, re.DOTALL)
    assert found is not None
    assert re.findall(r'name="helpers" value="(\d+)"', found[1]) == [str(own.pk)]
    refused = post(easy, easy.manager, "models", data=FORM | {"helpers": str(read.pk)})
    assert refused.status_code == 422


def test_captions_of_a_helping_project_are_for_its_managers_alone(crew: Crew) -> None:
    ten = next(found for found in schemes_load() if found.slug == "aces-10")
    theirs = project_create(slug="theirs", name="Theirs", scheme=ten, manager=crew.outsider)
    chosen = {"source": "gold", "people": [], "leave_flagged": True, "projects": [theirs.pk]}
    make_training(crew.project, chosen=chosen)
    file = f"/api/v1/labelling/{crew.project.slug}/trainings/1/data"
    assert get(crew, crew.manager, "training-data", 1).status_code == 404
    assert crew.client(crew.manager).get(file).status_code == 404
    told = text(get(crew, crew.manager, "training", 1).content)
    assert "Download them" not in told
    # Not even that there is a project of this name.
    assert "helped by 1 other project" in told
    assert "Theirs" not in told
    member_add(project=theirs, user=crew.manager, role=Role.MANAGER)
    assert get(crew, crew.manager, "training-data", 1).status_code == 200
    assert "helped by Theirs" in text(get(crew, crew.manager, "training", 1).content)


def test_the_download_is_byte_for_byte_what_was_kept(easy: Crew) -> None:
    post(easy, easy.manager, "models", data=FORM)
    response = get(easy, easy.manager, "training-data", 1)
    run = TrainingRun.objects.get()
    assert response.content == gzip.decompress(bytes(run.data.content))
    assert f'filename="{easy.project.slug}-training-1.jsonl"' in response["Content-Disposition"]
    assert response.content.count(b"\n") == 25
    file = f"/api/v1/labelling/{easy.project.slug}/trainings/1/data"
    assert easy.client(easy.manager).get(file).content == response.content


def test_hostile_captions_and_labels_are_escaped(crew: Crew) -> None:
    words = [HOSTILE, "%{x}", "barks"]
    make_training(crew.project, errors=[ERROR | {"words": words}])
    make_training(
        crew.project, state=RunState.FAILED, reason=HOSTILE, advice=HOSTILE, detail=HOSTILE
    )
    for name, more in (("training", 1), ("training-captions", 1), ("training", 2)):
        response = get(crew, crew.manager, name, more)
        assert response.status_code == 200
        assert HOSTILE.encode() not in response.content
        assert b"&lt;script&gt;alert(1)" in response.content


def test_a_cell_opens_the_captions_behind_it(crew: Crew) -> None:
    other = {"words": ["rain"], "given": ["WHAT"], "found": ["O"]}
    make_training(crew.project, errors=[ERROR, other])
    page = get(crew, crew.manager, "training", 1).content.decode()
    address = reverse("annotation:training-captions", args=[crew.project.slug, 1])
    assert f'href="{address}?given=WHO&amp;found=WHAT"' in page
    assert f"{address}?given=WHO\\u0026found=WHAT" in page
    opened = get(crew, crew.manager, "training-captions", 1, query="?given=WHO&found=WHAT")
    assert re.findall(r"<mark[^>]*>([^<]*)</mark>", opened.content.decode()) == ["dog"]
    assert "rain" not in text(opened.content)
    none = get(crew, crew.manager, "training-captions", 1, query="?given=HOW&found=WHO")
    assert "None of the captions" in text(none.content)
    for query in ("?given=NOTHING&found=WHO", "?given=WHO"):
        assert get(crew, crew.manager, "training-captions", 1, query=query).status_code == 404


def test_captions_with_errors_lead_to_the_caption(crew: Crew) -> None:
    words = crew.items[0].text.split()
    labels = ["O"] * len(words)
    make_training(
        crew.project,
        errors=[{"words": words, "given": labels, "found": ["WHO", *labels[1:]]}],
    )
    page = get(crew, crew.manager, "training", 1).content.decode()
    item = reverse("annotation:adjudicate-item", args=[crew.project.slug, crew.items[0].pk])
    assert f'href="{item}"' in page


TOLD = {
    "stage": "Training",
    "epoch": 2,
    "epochs": 6,
    "done": 120,
    "total": 576,
    "spent": 3.5,
    "rows": [
        {"stage": "Training", "epoch": 1, "epochs": 6, "loss": 1.5, "f1": 0.25, "ended": True},
        {"stage": "Training", "epoch": 2, "epochs": 6, "loss": 0.5, "f1": None, "ended": False},
    ],
}


def test_the_progress_asks_for_itself_until_it_is_over(crew: Crew) -> None:
    run = make_training(crew.project, state=RunState.RUNNING, told=TOLD)
    address = reverse("annotation:training-progress", args=[crew.project.slug, 1])
    html = get(crew, crew.manager, "training-progress", 1).content.decode()
    assert f'hx-get="{address}"' in html
    told = plain(html)
    assert "Training. Epoch 2 of 6." in told
    assert "epoch 1: loss 1.500, F1 0.250" in told
    TrainingRun.objects.filter(pk=run.pk).update(state=RunState.DONE)
    html = get(crew, crew.manager, "training-progress", 1).content.decode()
    assert "hx-get" not in html
    assert "Show what was measured" in html


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": RunState.WAITING}, "Waiting for a worker."),
        ({"state": RunState.WAITING, "told": TOLD}, "Others have their turn."),
        ({"state": RunState.RUNNING}, "Reading the captions and the encoder."),
        ({"state": RunState.FAILED, "reason": "It rained.", "advice": "Wait."}, "It rained. Wait."),
        ({"state": RunState.CANCELLED, "told": TOLD}, "Nothing was registered."),
    ],
)
def test_every_state_is_said(crew: Crew, fields: dict[str, Any], said: str) -> None:
    make_training(crew.project, **fields)
    assert said in text(get(crew, crew.manager, "training", 1).content)


def test_cancelling_and_trying_again_from_the_page(crew: Crew) -> None:
    run = make_training(crew.project, state=RunState.WAITING)
    post(crew, crew.manager, "training-cancel", 1)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    post(crew, crew.manager, "training-again", 1)
    run.refresh_from_db()
    assert run.state == RunState.WAITING


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        ({"seen": None}, "It is not known from which captions shipped@12345678 learned."),
        ({"seen": 0}, "shipped@12345678 , on the same captions."),
        (
            {"seen": 20, "unseen": {"captions": 4, "micro": 0.5}},
            (
                "It learned from 20 of these 24 captions, so its figures are too high to be "
                "compared. On the 4 others its micro F1 is 0.500."
            ),
        ),
    ],
)
def test_the_labeller_in_use_is_compared_with_a_warning_where_it_learned_from_them(
    crew: Crew, comparison: dict[str, Any], said: str
) -> None:
    run = make_training(crew.project)
    scores = {"micro": 0.7, "weighted": 0.7, "accuracy": 0.7, "span": 0.7, "captions": 24}
    run.report["comparison"] = {"identity": "shipped@12345678", "scores": scores, **comparison}
    run.save()
    told = text(get(crew, crew.judge, "training", 1).content)
    assert said in told
    assert "0.700" in told
    assert ("not known" in told) == (comparison["seen"] is None)


def test_the_list_does_not_ask_the_database_once_for_each_training(crew: Crew) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert get(crew, crew.judge, "models").status_code == 200
        return len(found)

    make_training(crew.project)
    first = queries()
    for _ in range(5):
        make_training(crew.project)
    assert queries() <= first


def test_the_api_says_and_does_the_same(easy: Crew) -> None:
    """Start, list, read, cancel, try again; the same refusals as on the pages."""
    secret = token_create(user=easy.manager, name="x")[1]
    bearer = {"Authorization": f"Bearer {secret}"}
    root = f"/api/v1/labelling/{easy.project.slug}/trainings"
    client = easy.client(None)

    def ask(method: str, path: str = "", body: Any = None) -> Any:
        return client.generic(
            method, root + path, data=body or "", content_type="application/json", headers=bearer
        )

    refused = ask("POST", body='{"chosen": {"source": "gold"}}')
    assert refused.status_code == 422
    assert "at least 20 different captions, and there are 0" in refused.json()["detail"]
    for body, said in (
        ('{"chosen": {"people": ["nobody"]}}', "Nobody called"),
        ('{"chosen": {"projects": ["none"]}}', "no project of another inventory"),
        ('{"options": {"backbone": "/etc"}}', "not configured"),
        ('{"options": {"folds": 4}}', "not valid"),
    ):
        response = ask("POST", body=body)
        assert response.status_code == 422
        assert said in response.json()["detail"]
    body = json.dumps({"chosen": {"source": "accepted", "people": [easy.ann.username]}})
    started = ask("POST", body=body)
    assert started.status_code == 200
    assert started.json()["state"] == "waiting"
    assert ask("POST", body=body).status_code == 409
    (listed,) = ask("GET").json()["trainings"]
    assert listed["captions"] == 24
    assert ask("POST", "/1/cancel").json()["state"] == "cancelled"
    assert ask("POST", "/1/cancel").status_code == 409
    assert ask("POST", "/1/again").json()["state"] == "waiting"
    told = ask("GET", "/1").json()
    assert told["command"].startswith("python -m scoring train descriptors ")
    assert told["report"] is None


def test_the_api_gives_captions_with_errors_to_managers_alone(crew: Crew) -> None:
    make_training(crew.project, errors=[ERROR])
    address = f"/api/v1/labelling/{crew.project.slug}/trainings/1"
    for user, count in ((crew.manager, 1), (crew.judge, 0)):
        told = crew.client(user).get(address).json()
        assert len(told["report"]["inventories"]["aces-13"]["errors"]) == count
        assert told["micro"] == 0.8125
    assert crew.client(crew.ann).get(address).status_code == 404
