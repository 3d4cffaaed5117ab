"""Judges from elsewhere through real attempts at evaluations, as workers make them."""

import io
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from earmark.datasets.made_sounds import made_clips, wav_bytes
from leaderboard import scorer
from leaderboard.models import (
    AuditEvent,
    Evaluation,
    EvaluationState,
    LanguageModelUse,
    MetricResult,
    Phase,
    Submission,
)
from leaderboard.outside_models import LanguageModelServer
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.services.clips.audio import audio_add
from leaderboard.services.evaluations.attempts import evaluation_attempt_in_turn
from leaderboard.services.outside.judges import judge_turn_off, judge_turn_on
from tests.clap import small_clap
from tests.factories import NOW, REFERENCES, submit
from tests.language_server import KEY, Answer, Asked, LanguageServer, judgment
from tests.leaderboard.conftest import Cast
from tests.leaderboard.outside.conftest import entry

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def phase(cast: Cast) -> Phase:
    """A phase that computes little else, with nothing kept of other tests."""
    scorer._shared.cache_clear()
    scorer._kept.clear()
    cast.rules(metrics=["vocab"], ranking_metric="vocab")
    return cast.phase


def turn_on(phase: Phase, family: str = "clair_a", model: str = "judge", budget: int = 50) -> None:
    judge_turn_on(phase=phase, family=family, model=model, budget=budget, actor=None, now=NOW)


def attempt_all(queue: str = "outside") -> int:
    """Attempt what waits; returns how many attempts there were."""
    count = 0
    while evaluation_attempt_in_turn(queue):
        count += 1
    return count


def evaluation_of(submission: Submission, family: str = "clair_a") -> Evaluation:
    return submission.evaluations.get(family=family, published=True)


def test_a_phase_is_judged_and_its_pages_say_why(
    cast: Cast, phase: Phase, server: LanguageServer, judge: LanguageModelServer
) -> None:
    def say(asked: Asked) -> Answer:
        return judgment(
            90 if asked.caption.startswith("rain") else 40, f"<b>{asked.caption}</b> & so on"
        )

    server.say = say
    submission = submit(phase, cast.team)
    turn_on(phase)
    assert attempt_all() == 1
    evaluation = evaluation_of(submission)
    assert evaluation.state == EvaluationState.DONE, evaluation.reason
    assert evaluation.signature.startswith("clair_a|llm:model-2025-01-01|prompt:1|temp:0|")
    result = MetricResult.objects.get(metric="clair_a")
    assert result.read_per_clip() == pytest.approx([0.9, 0.4, 0.4, 0.4, 0.4], abs=3e-4)
    assert len(server.asked) == 5
    use = LanguageModelUse.objects.get()
    assert (use.requests, use.tokens_in, use.tokens_out) == (5, 2000, 150)
    page = Client().get(reverse("leaderboard:clip", args=[submission.public_id, 1]))
    seen = page.content.decode()
    assert "The language model gave 90 of 100." in seen
    assert "&lt;b&gt;rain falls on a roof&lt;/b&gt; &amp; so on" in seen
    board = Client().get(
        reverse("leaderboard:board", args=[phase.challenge.slug, phase.slug]) + "?columns=all"
    )
    assert "CLAIR-A" in board.content.decode()


def test_nothing_at_all_is_sent_where_the_phase_did_not_turn_it_on(
    cast: Cast, phase: Phase, server: LanguageServer, judge: LanguageModelServer
) -> None:
    submission = submit(phase, cast.team)
    assert attempt_all("cpu") == 1
    assert attempt_all("outside") == 0
    # A row that got there by itself, and one of a phase that turned it off again.
    stray = Evaluation.objects.create(
        submission=submission,
        family="clair_a",
        reference_hash=evaluation_of(submission, "vocab").reference_hash,
        signature=scorer.family_signature("clair_a", REFERENCES, {"model": "judge"}),
        parameters={"model": "judge"},
        clips_total=5,
        created_at=NOW,
    )
    assert attempt_all() == 1
    stray.refresh_from_db()
    assert stray.state == EvaluationState.FAILED
    assert "have not agreed" in stray.reason
    stray.delete()
    turn_on(phase)
    judge_turn_off(phase=phase, family="clair_a", actor=None, now=NOW)
    assert attempt_all() == 0
    submit(phase, cast.team, name="Later")
    assert attempt_all() == 0
    assert server.asked == []


def test_an_address_that_changed_is_not_asked(
    cast: Cast, phase: Phase, server: LanguageServer, judge: LanguageModelServer, settings: Any
) -> None:
    submission = submit(phase, cast.team)
    turn_on(phase)
    moved = entry(server, address=server.address.replace("127.0.0.1", "localhost"))
    settings.LANGUAGE_MODELS = {"judge": moved}
    attempt_all()
    assert "its address has changed" in evaluation_of(submission).reason
    assert server.asked == []


def test_the_budget_is_never_passed_and_a_raised_one_goes_on(
    cast: Cast, phase: Phase, server: LanguageServer, judge: LanguageModelServer
) -> None:
    submission = submit(phase, cast.team)
    turn_on(phase, budget=3)
    attempt_all()
    evaluation = evaluation_of(submission)
    assert evaluation.state == EvaluationState.FAILED
    assert evaluation.reason.startswith("The budget of 3 requests to the language model is spent")
    assert len(server.asked) == 3
    turn_on(phase, budget=5)
    attempt_all()
    assert evaluation_of(submission).state == EvaluationState.DONE
    # Three answers were kept, so that the five clips took five requests.
    assert len(server.asked) == LanguageModelUse.objects.get().requests == 5


def test_errors_of_the_server_are_told_without_the_key(
    cast: Cast,
    phase: Phase,
    server: LanguageServer,
    judge: LanguageModelServer,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Some servers quote the key that they refuse."""
    caplog.set_level(logging.DEBUG)
    quoted = f'{{"error": "Incorrect API key provided: {KEY}"}}'.encode()
    server.say = lambda _: Answer(status=401, body=quoted)
    submission = submit(phase, cast.team)
    turn_on(phase)
    attempt_all()
    failed = evaluation_of(submission)
    assert failed.reason == "The language model's server refused the key (401)."
    server.say = lambda _: Answer(f'{{"score": 70, "reason": "The key is {KEY[::-1]}."}}')
    turn_on(phase)
    attempt_all()
    client = cast.client(cast.organiser)
    names = ("manage-outside", "manage-audit", "board", "manage-rescoring")
    args = [phase.challenge.slug, phase.slug]
    pages = [
        client.get(reverse(f"leaderboard:{name}", args=args[: 1 + (name != "manage-audit")]))
        for name in names
    ]
    rows = [
        str(row)
        for table in (Evaluation, MetricResult, AuditEvent, LanguageModelUse, Phase)
        for row in table._default_manager.values()
    ]
    texts = [page.content.decode() for page in pages] + rows
    out = io.StringIO()
    out.writelines(record.getMessage() + (record.exc_text or "") for record in caplog.records)
    texts += [out.getvalue(), *capfd.readouterr(), failed.detail, repr(judge)]
    assert all(page.status_code == 200 for page in pages)
    assert not [text for text in texts if KEY in text]


def test_a_system_that_is_withdrawn_or_hostile_costs_no_more_than_others(
    cast: Cast, phase: Phase, server: LanguageServer, judge: LanguageModelServer
) -> None:
    """A caption that makes the model talk nonsense has no value, and only that one."""

    def say(asked: Asked) -> Answer:
        return Answer("Sure!") if "dog" in asked.caption else judgment()

    server.say = say
    submission = submit(phase, cast.team)
    turn_on(phase)
    attempt_all()
    result = MetricResult.objects.get(metric="clair_a")
    assert (result.coverage, result.clips) == (4, 5)
    assert len(server.asked) == 4 + 3
    page = Client().get(reverse("leaderboard:clip", args=[submission.public_id, 2]))
    assert "could not be read" in page.content.decode()


@pytest.fixture
def clap(settings: Any, tmp_path: Path) -> str:
    settings.CLAP_MODELS = {"small": small_clap(tmp_path / "clap")}
    settings.AUDIO_DIR = tmp_path / "audio"
    settings.SCORING_CACHE_DIR = tmp_path / "cache"
    return "small"


def add_sounds(phase: Phase, folder: Path, *, seed: int, count: int = 4) -> None:
    folder.mkdir()
    sounds = made_clips("evaluation", count, seed)
    for name, sound in zip(REFERENCES.file_names, sounds, strict=False):
        (folder / name).write_bytes(wav_bytes(sound))
    audio_add(phase=phase, path=folder, actor=None, now=NOW)


@pytest.mark.parametrize("family", ["clap_score", "mace"])
def test_recordings_are_heard(
    cast: Cast, phase: Phase, clap: str, tmp_path: Path, family: str
) -> None:
    add_sounds(phase, tmp_path / "sounds", seed=1)
    submission = submit(phase, cast.team)
    turn_on(phase, family, clap)
    assert attempt_all("gpu") == 1
    evaluation = evaluation_of(submission, family)
    assert evaluation.state == EvaluationState.DONE, evaluation.reason
    digest = recordings_of(phase.reference_set).digest
    assert f"|recordings:{digest}|" in evaluation.signature
    result = MetricResult.objects.get(metric=family)
    assert (result.coverage, result.clips) == (4, 5)
    page = Client().get(reverse("leaderboard:clip", args=[submission.public_id, 1]))
    assert "imilarity to the recording" in page.content.decode()


def test_other_recordings_are_heard_only_when_it_is_turned_on_again(
    cast: Cast, phase: Phase, clap: str, tmp_path: Path, settings: Any
) -> None:
    add_sounds(phase, tmp_path / "first", seed=1)
    turn_on(phase, "clap_score", clap)
    first = submit(phase, cast.team)
    attempt_all("gpu")
    signed = evaluation_of(first, "clap_score").signature
    add_sounds(phase, tmp_path / "second", seed=2)
    second = submit(phase, cast.team, name="Second")
    # What was heard of the first ones is kept until it is deleted and the worker starts anew.
    shutil.rmtree(settings.SCORING_CACHE_DIR)
    scorer._kept.clear()
    attempt_all("gpu")
    assert "The recordings changed since" in evaluation_of(second, "clap_score").reason
    page = cast.client(cast.organiser).get(
        reverse("leaderboard:manage-outside", args=[phase.challenge.slug, phase.slug])
    )
    assert "The recordings changed since this was turned on" in page.content.decode()
    turn_on(phase, "clap_score", clap)
    assert attempt_all("gpu") == 2
    again = [evaluation_of(one, "clap_score") for one in (first, second)]
    assert {one.state for one in again} == {EvaluationState.DONE}
    assert len({one.signature for one in again} | {signed}) == 2
