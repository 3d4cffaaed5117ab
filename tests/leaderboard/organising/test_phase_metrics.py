"""A phase computes the metrics that it names: no other is computed, waited for or shown."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from earmark.registry import standard_families
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Notice, Phase
from leaderboard.selectors.evaluations.progress import progress_of
from leaderboard.services.evaluations.attempts import evaluation_attempt_in_turn
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.phases import RULES, phase_change
from leaderboard.services.organising.rescoring import rescoring_open
from leaderboard.services.ranking.snapshots import phase_freeze
from leaderboard.web.refusals import Refused
from tests.factories import NOW, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.organising.rescoring_cases import dry_run
from tests.leaderboard.organising.test_phases import filled, page
from tests.leaderboard.scored_pages import scored, text


def set_metrics(cast: Cast, *metrics: str, **rules: Any) -> Phase:
    """Set them as the database has them, before anything was submitted."""
    cast.rules(metrics=list(metrics), **rules)
    return cast.phase


def change(cast: Cast, *metrics: str) -> list[int]:
    """Change the metrics as the form does; returns the evaluations that are to be sent."""
    phase = Phase.objects.get(pk=cast.phase.pk)
    values = {name: getattr(phase, name) for name in RULES} | {"metrics": list(metrics)}
    waiting = phase_change(
        phase=phase,
        values=values,
        version=version_of(phase, RULES),
        actor=cast.organiser,
        now=timezone.now(),
    )
    cast.phase.refresh_from_db()
    return waiting


def families(cast: Cast, **conditions: Any) -> list[str]:
    rows = Evaluation.objects.filter(submission__phase=cast.phase, **conditions)
    return sorted(rows.values_list("family", flat=True))


def test_a_phase_of_fense_is_scored_as_soon_as_fense_is(cast: Cast) -> None:
    phase = set_metrics(cast, "fense", ranking_metric="fense")
    submission = submit(phase, cast.team)
    assert families(cast) == ["fense"]
    while evaluation_attempt_in_turn("gpu"):
        pass
    assert evaluation_attempt_in_turn("cpu") is None
    progress = progress_of(submission.evaluations.all())
    assert (progress.state, progress.share) == ("scored", 1.0)
    assert list(MetricResult.objects.values_list("metric", flat=True)) == ["fense"]
    assert "was scored: FENSE 0." in Notice.objects.filter(user=cast.owner).get().text


def test_pages_files_and_the_api_show_no_other(cast: Cast) -> None:
    phase = set_metrics(cast, "cider_d", "meteor")
    first = scored(phase, cast.team, "Ahead", 0.9)
    scored(phase, cast.team, "Behind", 0.4)
    client = cast.client(cast.organiser)
    args = [phase.challenge.slug, phase.slug]
    for asked in ("?columns=all", "?preset=all", "?columns=fense&sort=fense"):
        seen = client.get(reverse("leaderboard:board", args=args) + asked)
        assert "CIDEr-D" in text(seen.content)
        assert "FENSE" not in text(seen.content)
    names = ("analysis", "distributions", "compare", "lab", "history")
    addresses = [reverse(f"leaderboard:{name}", args=args) for name in names]
    systems = [
        reverse(f"leaderboard:{name}", args=[first.public_id])
        for name in ("system", "profile", "clips")
    ]
    for address in (*addresses, *systems):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "FENSE" not in text(answer.content), address
        assert "/words/" not in answer.content.decode(), address
    assert client.get(reverse("leaderboard:words", args=args)).status_code == 404
    file = client.get(reverse("leaderboard:board-export", args=args) + "?format=csv&columns=all")
    head = b"".join(file.streaming_content).decode().splitlines()[1]  # type: ignore[attr-defined]
    assert head.endswith("submitted_at,cider_d,meteor")
    api = f"/api/v1/phases/{phase.challenge.slug}/{phase.slug}"
    (told,) = client.get(f"/api/v1/challenges/{phase.challenge.slug}").json()["phases"]
    assert told["metrics"] == ["meteor", "cider_d"]
    board = client.get(f"{api}/leaderboard").json()
    assert {name for row in board["rows"] for name in row["metrics"]} == {"cider_d", "meteor"}
    for query in ("leaderboard?metric=fense", "leaderboard?sort=fense", "distributions?metric=fer"):
        refused = client.get(f"{api}/{query}")
        assert refused.status_code == 404
        assert "Choose from: meteor, cider_d." in refused.json()["detail"]


def test_a_metric_that_is_added_is_computed_for_what_was_submitted(cast: Cast) -> None:
    phase = set_metrics(cast, "cider_d")
    submission = submit(phase, cast.team)
    finish(submission)
    waiting = change(cast, "cider_d", "fense")
    added = Evaluation.objects.get(family="fense")
    assert waiting == [added.pk]
    assert (added.state, added.published) == (EvaluationState.PENDING, True)
    assert families(cast) == ["cider_d", "fense"]
    assert len(change(cast)) == len(standard_families()) - 1
    assert families(cast) == sorted(standard_families())
    # What waits of a metric that is removed is not waited for.
    change(cast, "cider_d")
    assert families(cast) == ["cider_d"]
    assert progress_of(submission.evaluations.all()).state == "scored"


def test_a_metric_that_is_removed_is_hidden_and_comes_back_with_its_values(cast: Cast) -> None:
    submission = scored(cast.phase, cast.team, "Ahead", 0.9)
    results = MetricResult.objects.count()
    assert change(cast, "cider_d") == []
    assert families(cast, published=True) == ["cider_d"]
    assert MetricResult.objects.count() == results
    seen = cast.client(None).get(reverse("leaderboard:system", args=[submission.public_id]))
    assert "FENSE" not in text(seen.content)
    assert change(cast, "cider_d", "fense") == []
    assert families(cast, published=True) == ["cider_d", "fense"]
    assert families(cast, state=EvaluationState.PENDING) == []


def test_a_model_that_is_missing_is_said_of_each_system(
    cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    phase = set_metrics(cast, "cider_d")
    finish(submit(phase, cast.team))
    settings.SCORING_PARAMETERS = {"fense": {"encoder": str(tmp_path / "nowhere")}}
    assert change(cast, "cider_d", "fense") == []
    added = Evaluation.objects.get(family="fense")
    assert added.state == EvaluationState.FAILED
    assert added.reason
    assert str(tmp_path) not in added.reason, "no folder of the server is told"


def test_organisers_choose_by_family(cast: Cast) -> None:
    client, address = cast.client(cast.organiser), page(cast.phase)
    for sent, stored in (
        ({"computes": "all", "metrics": ["fense"]}, []),
        ({"computes": "ranking"}, ["cider_d"]),
        ({"computes": "usual", "columns": ["meteor"]}, ["meteor", "cider_d"]),
        (
            {"computes": "chosen", "metrics": ["bleu", "cider_d"]},
            ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "cider_d"],
        ),
    ):
        assert client.post(address, filled(cast.phase, **sent)).status_code == 302
        cast.phase.refresh_from_db()
        assert cast.phase.metrics == stored
        parts = client.get(address).content.decode().split("<input")
        (ticked,) = [part for part in parts if 'name="computes"' in part and "checked" in part]
        assert f'value="{sent["computes"]}"' in ticked
        cast.rules(columns=[], metrics=[])
    for sent, said in (
        ({"computes": "chosen", "metrics": []}, "Choose at least the ranking metric."),
        ({"computes": "chosen", "metrics": ["fense"]}, "CIDEr-D decides, but this phase"),
        ({"computes": "ranking", "columns": ["fer"]}, "does not compute Fluency error rate"),
        ({"computes": "chosen", "metrics": ["wer"]}, "Select a valid choice."),
    ):
        response = client.post(address, filled(cast.phase, **sent))
        assert response.status_code == 422
        assert said in text(response.content)


def test_consequences_are_told_before_anything_is_saved_and_what_is_added_is_sent(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    phase = set_metrics(cast, "cider_d", "meteor")
    scored(phase, cast.team, "Ahead", 0.9)
    client = cast.client(cast.organiser)
    form = filled(phase, computes="chosen", metrics=["cider_d", "fense"])
    asked = client.post(page(phase), form)
    assert "Computed from now on: FENSE, also for earlier submissions" in text(asked.content)
    assert "No longer computed or shown: METEOR" in text(asked.content)
    assert families(cast, published=True) == ["cider_d", "meteor"]
    form["confirmed"] = asked.context["confirmed"]
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(page(phase), form).status_code == 302
    assert Evaluation.objects.get(family="fense").enqueued_at is not None
    assert families(cast, published=True) == ["cider_d", "fense"]


def test_a_frozen_ranking_and_a_dry_run_keep_their_metrics(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Ahead", 0.9)
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=NOW)
    with pytest.raises(ValidationError, match="The ranking is frozen"):
        change(cast, "cider_d")
    cast.rules(frozen_at=None)
    dry_run(cast.phase)
    Phase.objects.filter(pk=cast.phase.pk).update(ranking_metric="fense")
    with pytest.raises(ValidationError, match="A dry run of CIDEr-D is open"):
        change(cast, "fense")
    assert families(cast, published=True) == sorted(standard_families())
    other = set_metrics(cast, "fense")
    other.rescorings.all().delete()
    with pytest.raises(Refused, match="does not compute CIDEr-D"):
        rescoring_open(
            phase=other, parameters={"cider_d": {}}, reason="x", actor=cast.organiser, now=NOW
        )
    offered = cast.client(cast.organiser).get(cast.at("manage-rescoring"))
    assert [family.name for family in offered.context["form"].families] == ["fense"]
