"""What the settings say of language models and CLAP models, and what is wrong with it."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.outside_models import clap_models, language_models

GOOD = {"address": "https://API.example.org:8443/v1/", "model": "model-1"}


def read(**changes: object) -> str:
    return json.dumps({"judge": {**GOOD, **changes}})


def test_a_model_is_read_with_usual_values() -> None:
    (found,) = language_models(read(price_in=2, price_out=10.5, key_file="/run/key")).values()
    assert (found.name, found.model, found.key_file) == ("judge", "model-1", "/run/key")
    assert (found.address, found.host) == (
        "https://API.example.org:8443/v1",
        "api.example.org:8443",
    )
    assert (found.price_in, found.price_out, found.currency) == (2, 10.5, "USD")
    assert (found.requests_per_minute, found.at_once) == (60, 4)
    assert language_models("") == {}
    assert clap_models("") == {}
    assert clap_models('{"small": "/models/clap"}') == {"small": "/models/clap"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no json", "it is no JSON"),
        ("[]", "not a JSON object"),
        ('{"": {}}', "the name ''"),
        ('{"judge": 1}', "address of 'judge': Field required"),
        (read(address="ftp://example.org"), "such as https://api.example.org/v1"),
        (read(address="https://me:secret@example.org"), "no user"),
        (read(address="https://example.org/?key=1"), "no user, [?] and #"),
        (read(address="https://[::1"), "address of 'judge'"),
        (read(model="a|b"), "model of 'judge'"),
        (read(model=""), "model of 'judge'"),
        (read(requests_per_minute=0), "requests_per_minute of 'judge'.*greater than 0"),
        (read(at_once=0), "at_once of 'judge'"),
        (read(price_in=-1), "price_in of 'judge'"),
        (read(key="sk-secret"), "key of 'judge': Extra inputs"),
    ],
)
def test_what_is_wrong_is_told_without_quoting_a_key(text: str, told: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=told) as raised:
        language_models(text)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("text", ["{", '{"a": 1}', '{"a": ""}'])
def test_folders_that_are_none_are_told(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EARMARK_CLAP_MODELS"):
        clap_models(text)
