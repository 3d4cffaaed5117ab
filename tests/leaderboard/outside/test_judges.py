"""Organisers turn judges from elsewhere on and off; everyone is told what is sent."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.models import AuditEvent, Evaluation, EvaluationState, LanguageModelUse, Phase
from leaderboard.outside_models import LanguageModelServer
from leaderboard.selectors.evaluations.readiness import queue_names
from leaderboard.selectors.outside import TOKENS_OUT, cost_estimate
from leaderboard.services.outside.judges import judge_turn_off, judge_turn_on
from leaderboard.services.ranking.snapshots import phase_freeze
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.web.refusals import Refused
from tests.clap import small_clap
from tests.factories import NOW, finish_all, submit
from tests.language_server import LanguageServer
from tests.leaderboard.conftest import Cast
from tests.leaderboard.outside.conftest import entry

ON = {"family": "clair_a", "model": "judge", "budget": "50", "agreed": "on"}


def turn_on(phase: Phase, **changes: Any) -> list[int]:
    given = {"family": "clair_a", "model": "judge", "budget": 50, "actor": None, "now": NOW}
    return judge_turn_on(phase=phase, **{**given, **changes})


def families(phase: Phase, **conditions: Any) -> list[str]:
    rows = Evaluation.objects.filter(submission__phase=phase, family="clair_a", **conditions)
    return list(rows.values_list("state", flat=True))


def test_an_organiser_turns_it_on_and_off(
    cast: Cast,
    judge: LanguageModelServer,
    server: LanguageServer,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    phase = cast.phase
    submit(phase, cast.team)
    client = cast.client(cast.organiser)
    before = client.get(cast.at("manage-outside")).content.decode()
    assert "model-2025-01-01 at " + server.host in before
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(cast.at("manage-outside"), ON, follow=True)
    assert "Saved. Systems that have no score of it yet will be scored." in answer.content.decode()
    phase.refresh_from_db()
    assert phase.parameters["clair_a"] == {"model": "judge"}
    assert families(phase) == [EvaluationState.PENDING]
    assert Evaluation.objects.get(family="clair_a").enqueued_at is not None
    use = LanguageModelUse.objects.get()
    assert (use.phase, use.model, use.host, use.budget) == (phase, "judge", server.host, 50)
    event = AuditEvent.objects.get(action="phase.judge_on")
    assert event.actor == cast.organiser
    assert event.details == {
        "metric": "clair_a",
        "model": "judge",
        "host": server.host,
        "budget": 50,
    }
    off = client.post(cast.at("manage-outside"), {"act": "off", "family": "clair_a"}, follow=True)
    assert "its results are hidden" in off.content.decode()
    phase.refresh_from_db()
    assert "clair_a" not in phase.parameters
    assert families(phase) == []
    use.refresh_from_db()
    assert use.active is False
    assert AuditEvent.objects.filter(action="phase.judge_off").count() == 1
    assert server.asked == []


def test_what_is_not_complete_or_not_installed_is_refused(
    cast: Cast, judge: LanguageModelServer
) -> None:
    client = cast.client(cast.organiser)
    for changes, told in (
        ({"agreed": ""}, "Nothing is sent unless you confirm this."),
        ({"model": "other"}, "Select a valid choice"),
        ({"budget": "0"}, "greater than or equal to 1"),
        ({"budget": ""}, "required"),
        *(({"family": name}, "") for name in ("vocab", "clap_score", "", "nonsense")),
    ):
        answer = client.post(cast.at("manage-outside"), {**ON, **changes})
        assert answer.status_code == 422
        assert told in answer.content.decode()
    assert not LanguageModelUse.objects.exists()
    cast.phase.refresh_from_db()
    assert cast.phase.parameters.keys() <= {"aces"}


def test_nothing_is_offered_where_nothing_is_installed(cast: Cast) -> None:
    client = cast.client(cast.organiser)
    assert "EARMARK_LANGUAGE_MODELS" in client.get(cast.at("manage-outside")).content.decode()
    rules = cast.at("manage-phase")
    assert "Outside judges" not in client.get(rules).content.decode()
    assert "outside" not in queue_names()


def test_everyone_is_told_where_captions_are_sent(
    cast: Cast, judge: LanguageModelServer, server: LanguageServer
) -> None:
    phase = cast.phase
    args = [phase.challenge.slug, phase.slug]
    board, upload = (
        reverse("leaderboard:board", args=args),
        reverse("leaderboard:submission-create", args=args),
    )
    told = f"Sent to {server.host}:"
    api = f"/api/v1/challenges/{phase.challenge.slug}"

    def by_api() -> str:
        return str(cast.client(None).get(api).json()["phases"][0]["captions_sent_to"])

    assert by_api() == ""
    assert told not in cast.client(None).get(board).content.decode()
    turn_on(phase)
    assert told in cast.client(None).get(board).content.decode()
    assert told in cast.client(cast.owner).get(upload).content.decode()
    assert by_api() == server.host
    assert "outside" in queue_names()
    judge_turn_off(phase=phase, family="clair_a", actor=None, now=NOW)
    assert told not in cast.client(None).get(board).content.decode()
    assert told not in cast.client(cast.owner).get(upload).content.decode()
    assert by_api() == ""


def test_the_cost_is_estimated_from_the_prompt(cast: Cast, judge: LanguageModelServer) -> None:
    submit(cast.phase, cast.team)
    human_row_create(phase=cast.phase, actor=None, now=NOW)
    found = cost_estimate(cast.phase, judge)
    assert (found.systems, found.clips, found.requests) == (2, 5, 10)
    # The instructions have 1,097 characters, a question about 150 more; 4 characters a token.
    assert 280 < found.tokens_in < 340
    per_request = (found.tokens_in * 2.5 + TOKENS_OUT * 10) / 1e6
    assert found.price == pytest.approx(10 * per_request)
    assert found.price_per_system == pytest.approx(5 * per_request)
    seen = cast.client(cast.organiser).get(cast.at("manage-outside")).content.decode()
    assert "2 x 5 = 10" in seen
    assert 'value="15"' in seen


def test_a_pace_too_slow_for_one_attempt_is_told(
    cast: Cast, judge: LanguageModelServer, server: LanguageServer, settings: Any
) -> None:
    settings.LANGUAGE_MODELS = {"judge": entry(server, requests_per_minute=0.1, price_in=None)}
    seen = cast.client(cast.organiser).get(cast.at("manage-outside")).content.decode()
    assert "50 (longer than an attempt may take)" in seen
    assert "no price set" in seen


def test_results_come_back_with_the_same_model(cast: Cast, judge: LanguageModelServer) -> None:
    phase = cast.phase
    submission = submit(phase, cast.team)
    turn_on(phase)
    rows = submission.evaluations.filter(family="clair_a")
    finish_all(rows, value=0.5, generator=np.random.default_rng(0))
    judge_turn_off(phase=phase, family="clair_a", actor=None, now=NOW)
    assert families(phase, published=True) == []
    turn_on(phase)
    assert families(phase, published=True) == [EvaluationState.DONE]


def test_a_budget_below_what_was_sent_is_refused(cast: Cast, judge: LanguageModelServer) -> None:
    turn_on(cast.phase)
    LanguageModelUse.objects.update(requests=40)
    answer = cast.client(cast.organiser).post(cast.at("manage-outside"), {**ON, "budget": "39"})
    assert "40 requests were sent already" in answer.content.decode()


def test_it_cannot_go_while_it_ranks_or_the_ranking_is_frozen(
    cast: Cast, judge: LanguageModelServer
) -> None:
    phase = cast.phase
    turn_on(phase)
    Phase.objects.filter(pk=phase.pk).update(ranking_metric="clair_a")
    with pytest.raises(Refused, match="CLAIR-A decides"):
        judge_turn_off(phase=phase, family="clair_a", actor=None, now=NOW)
    Phase.objects.filter(pk=phase.pk).update(ranking_metric="cider_d")
    phase.refresh_from_db()
    phase_freeze(phase=phase, actor=None, now=timezone.now())
    with pytest.raises(Refused, match="frozen"):
        judge_turn_off(phase=phase, family="clair_a", actor=None, now=NOW)
    with pytest.raises(Refused, match="frozen"):
        turn_on(phase)


def test_a_model_that_is_gone_is_told_and_can_be_turned_off(
    cast: Cast, judge: LanguageModelServer, settings: Any
) -> None:
    turn_on(cast.phase)
    settings.LANGUAGE_MODELS = {}
    client = cast.client(cast.organiser)
    assert "changed or removed this model" in client.get(cast.at("manage-outside")).content.decode()
    submission = submit(cast.phase, cast.team)
    failed = submission.evaluations.get(family="clair_a")
    assert failed.reason == "This site has no model called 'judge' any more."
    assert (
        client.post(cast.at("manage-outside"), {"act": "off", "family": "clair_a"}).status_code
        == 302
    )
    cast.phase.refresh_from_db()
    assert "clair_a" not in cast.phase.parameters


def test_what_listens_needs_recordings(cast: Cast, settings: Any, tmp_path: Path) -> None:
    settings.CLAP_MODELS = {"small": small_clap(tmp_path / "clap"), "gone": str(tmp_path)}
    client = cast.client(cast.organiser)
    assert "0 of 5" in client.get(cast.at("manage-outside")).content.decode()
    for model, told in (("small", "not said which recordings"), ("gone", "no CLAP model in")):
        answer = client.post(cast.at("manage-outside"), {"family": "mace", "model": model})
        assert answer.status_code == 422
        assert told in answer.content.decode()


@pytest.mark.parametrize("asks", [False, True])
def test_a_worker_for_language_models_is_started_where_there_are_some(
    judge: LanguageModelServer, settings: Any, monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    if not asks:
        settings.LANGUAGE_MODELS = {}
    started: list[str] = []
    monkeypatch.setattr("os.execve", lambda _path, words, _environment: started.extend(words))
    call_command("run")
    assert started[started.index("start") + 1 :] == [
        *("web", "worker", "maintenance"),
        *(["outside"] if asks else []),
    ]
