"""The API of trainings says and does what their pages do."""

import json
from typing import Any

from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import Crew
from tests.annotation.trained import make_training
from tests.annotation.training.training_pages import ERROR


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
