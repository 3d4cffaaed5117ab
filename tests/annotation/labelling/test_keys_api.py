"""Keys are the person's, for a scheme, and only what a key can be is kept."""

from typing import Any

import pytest

from annotation.models import KeyChoice
from leaderboard.models import User
from tests.annotation.conftest import Crew, make_project
from tests.leaderboard.api_client import ROOT


def ask(crew: Crew, user: User | None, keys: object = None, project: str = "") -> Any:
    address = f"{ROOT}/labelling/{project or crew.project.slug}/keys"
    client = crew.client(user)
    if keys is None:
        return client.get(address)
    return client.put(address, {"keys": keys}, content_type="application/json")


def test_what_was_chosen_is_there_in_every_project_with_the_scheme(crew: Crew) -> None:
    other = make_project(crew.ann)
    assert (
        ask(crew, crew.ann, {"label:WHO": "g", "accept": " ", "label:HOW": ""}).status_code == 200
    )
    told = ask(crew, crew.ann, project=other.slug).json()
    assert told == {"keys": {"label:WHO": "g", "accept": " ", "label:HOW": ""}}
    assert ask(crew, crew.bob).json() == {"keys": {}}
    ask(crew, crew.ann, {})
    assert KeyChoice.objects.get().keys == {}


@pytest.mark.parametrize(
    "keys",
    [
        {"accept": "ab"},
        {"accept": "4"},
        {"accept": "\x00"},
        {"accept": "\u202e"},
        {"accept": None},
        {"": "g"},
        {"x" * 101: "g"},
        {str(number): "g" for number in range(201)},
        ["g"],
    ],
)
def test_what_no_key_can_be_is_refused(crew: Crew, keys: object) -> None:
    assert ask(crew, crew.ann, keys).status_code == 422
    assert not KeyChoice.objects.exists()
