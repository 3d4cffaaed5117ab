"""Starting a training: what can be chosen, what is refused, and what is kept of it."""

import gzip
import json
import re
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Role, RunState, TrainingRun
from annotation.services.labels import schemes_load
from annotation.services.projects import member_add, project_create
from leaderboard.models import AuditEvent
from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import Crew, make_project
from tests.annotation.trained import make_training
from tests.annotation.training.training_pages import ERROR, FORM, get, post
from tests.leaderboard.scored_pages import plain, text


def test_a_manager_starts_a_training_of_what_was_chosen(easy: Crew) -> None:
    response = post(easy, easy.manager, "models", data=FORM)
    run = TrainingRun.objects.get()
    assert response.url == reverse("annotation:training", args=[easy.project.slug, 1])
    assert run.state == RunState.WAITING
    assert run.chosen == {"source": "accepted", "people": [], "leave_flagged": True, "projects": []}
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
    assert "at least 20 different captions, but there are only 9. " in told
    assert 'value="77"' in response.content.decode()
    assert not TrainingRun.objects.exists()


def test_too_many_captions_are_counted_and_not_read(easy: Crew, settings: Settings) -> None:
    """Neither to start, nor to say on the page what there would be to learn from."""
    settings.TRAINING_CAPTIONS = 23
    said = "at most 23 captions, but you chose 24"
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
    assert "is running" in text(get(easy, easy.manager, "models").content)
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
    assert "Choose the labels" in told("?source=nonsense")


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


# -- through the API -----------------------------------------------------------------------


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
    assert "at least 20 different captions, but there are only 0" in refused.json()["detail"]
    for body, said in (
        ('{"chosen": {"people": ["nobody"]}}', "Nobody called"),
        ('{"chosen": {"projects": ["none"]}}', "not a project with another inventory"),
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
