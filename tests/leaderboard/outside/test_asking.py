"""Asking a real server: pauses, refusals, the key, the pace, the budget."""

import json
import time
from collections.abc import Callable
from contextlib import closing
from threading import Event, Timer
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from earmark.asking import AskingEnded, QuestionRefused
from earmark.metrics.clair_a.prompt import question
from leaderboard.outside_models import LanguageModelServer, clap_models, language_models
from leaderboard.services.outside import asking
from leaderboard.services.outside.asking import Pace, ServedModel
from tests.language_server import KEY, Answer, LanguageServer, judgment

QUESTION = question("a dog barks", ["A dog is barking."])


class Budget:
    """Spending without a database."""

    def __init__(self) -> None:
        self.requests, self.tokens = 0, (0, 0)

    def request_count(self) -> None:
        self.requests += 1

    def tokens_count(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens = (tokens_in, tokens_out)


def answered(server: LanguageModelServer, budget: Any = None, stop: Event | None = None) -> str:
    spending: Any = budget or Budget()
    with closing(ServedModel(server, spending)) as model:
        return model.answer(QUESTION, stop or Event())


def changed(server: LanguageModelServer, **changes: Any) -> LanguageModelServer:
    return server.model_copy(update=changes)


def in_turn(*answers: Answer) -> Callable[[object], Answer]:
    left = iter(answers)
    return lambda _asked: next(left)


def test_what_is_sent_is_the_conversation_at_temperature_nought(
    server: LanguageServer, judge: LanguageModelServer
) -> None:
    budget = Budget()
    assert answered(judge, budget) == judgment().text
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.authorization == f"Bearer {KEY}"
    assert asked.body["model"] == "model-2025-01-01"
    assert asked.body["temperature"] == 0
    assert [turn["role"] for turn in asked.body["messages"]] == ["system", "user"]
    assert asked.caption == "a dog barks"
    assert (budget.requests, budget.tokens) == (1, (400, 30))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 408])
def test_what_may_pass_is_tried_again(
    server: LanguageServer, judge: LanguageModelServer, status: int
) -> None:
    budget = Budget()
    server.say = in_turn(Answer(status=status), Answer(status=status), judgment(40))
    assert answered(judge, budget) == judgment(40).text
    assert budget.requests == 3


def test_what_does_not_pass_ends_it(server: LanguageServer, judge: LanguageModelServer) -> None:
    server.say = lambda _: Answer(status=503)
    with pytest.raises(AskingEnded, match=r"an error \(503\) 3 times in a row"):
        answered(judge)
    assert len(server.asked) == 3


def test_a_server_that_is_away_ends_it(judge: LanguageModelServer) -> None:
    with pytest.raises(AskingEnded, match="did not answer 3 times"):
        answered(changed(judge, address="http://127.0.0.1:9"))


def test_a_server_that_says_nothing_is_not_waited_for(
    server: LanguageServer, judge: LanguageModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TIMEOUT", 0.1)
    late = Event()

    def say(_asked: object) -> Answer:
        late.wait()
        return judgment()

    server.say = say
    with pytest.raises(AskingEnded, match="did not answer"):
        answered(judge)
    late.set()


def test_retry_after_is_honoured_within_reason(
    server: LanguageServer, judge: LanguageModelServer
) -> None:
    server.say = in_turn(Answer(status=429, headers={"Retry-After": "1"}), judgment())
    began = time.monotonic()
    answered(changed(judge, requests_per_minute=999_999))
    assert time.monotonic() - began >= 1
    server.say = lambda _: Answer(status=429, headers={"Retry-After": "7200"})
    with pytest.raises(AskingEnded, match="wait for 120 minutes"):
        answered(changed(judge, requests_per_minute=999_998))


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("12", 12), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", None), ("-3", None), ("", None)],
)
def test_retry_after_is_read_as_seconds_or_a_date(told: str, seconds: float | None) -> None:
    response = httpx.Response(429, headers={"Retry-After": told})
    assert asking._retry_after(response) == seconds


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_question_that_is_refused_is_only_that(
    server: LanguageServer, judge: LanguageModelServer, status: int
) -> None:
    server.say = lambda _: Answer(status=status)
    with pytest.raises(QuestionRefused, match=str(status)):
        answered(judge)
    assert len(server.asked) == 1


@pytest.mark.parametrize(("status", "told"), [(401, "refused the key"), (403, "key"), (404, "404")])
def test_what_will_not_pass_ends_it_at_once(
    server: LanguageServer, judge: LanguageModelServer, status: int, told: str
) -> None:
    server.say = lambda _: Answer(status=status)
    with pytest.raises(AskingEnded, match=told):
        answered(judge)
    assert len(server.asked) == 1


def test_the_key_is_taken_nowhere_else(server: LanguageServer, judge: LanguageModelServer) -> None:
    server.say = lambda _: Answer(status=307, headers={"Location": "http://127.0.0.1:9/v1"})
    with pytest.raises(AskingEnded, match="307"):
        answered(judge)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": {"content": null}}]}',
     b"x" * 1_500_000],
)  # fmt: skip
def test_what_is_no_turn_is_an_empty_one(
    server: LanguageServer, judge: LanguageModelServer, body: bytes
) -> None:
    server.say = lambda _: Answer(body=body)
    assert answered(judge) == ""


@pytest.mark.parametrize("key", ["", "two words", "line\nfeed", "sk-\x7f", "ключ"])
def test_a_key_that_is_none_is_told_without_being_quoted(
    server: LanguageServer, judge: LanguageModelServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("JUDGE_KEY", key)
    with pytest.raises(AskingEnded, match="The key of the language model 'judge'") as raised:
        answered(judge)
    assert raised.value.__cause__ is None
    assert not key or key not in str(raised.value)
    assert server.asked == []


def test_the_key_may_lie_in_a_file(
    server: LanguageServer, judge: LanguageModelServer, tmp_path: Any
) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    answered(changed(judge, key_file=str(path)))
    assert server.asked[0].authorization == f"Bearer {KEY}"
    with pytest.raises(AskingEnded, match="is missing"):
        answered(changed(judge, key_file=str(tmp_path / "none")))


def test_waiting_ends_when_the_run_does(server: LanguageServer, judge: LanguageModelServer) -> None:
    stop = Event()

    def hold_up(_: object) -> Answer:
        # Once it was asked: on a busy machine the first request may be seconds in coming.
        Timer(0.2, stop.set).start()
        return Answer(status=429, headers={"Retry-After": "200"})

    server.say = hold_up
    began = time.monotonic()
    with pytest.raises(AskingEnded, match="stopped"):
        answered(changed(judge, requests_per_minute=999_997), stop=stop)
    assert time.monotonic() - began < 200
    assert len(server.asked) == 1


def test_requests_keep_the_pace() -> None:
    pace, stop = Pace(1200), Event()
    began = time.monotonic()
    for _ in range(5):
        pace.wait(stop)
    assert time.monotonic() - began >= 0.19


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
