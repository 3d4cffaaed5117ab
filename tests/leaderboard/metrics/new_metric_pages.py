"""What the site shows of a metric of another package: ``length_ratio`` of the guide.

Run by tests/docs/test_adding_a_metric.py in a process that has the package.
"""

from django.urls import reverse

from earmark.registry import FAMILIES, METRICS
from leaderboard.models import EvaluationState
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def test_it_is_scored_and_shown_like_ours(cast: Cast) -> None:
    assert FAMILIES["length_ratio"].package == "earmark-length-ratio"
    assert list(METRICS).index("length_ratio") == list(METRICS).index("mace") + 1
    cast.rules(columns=["length_ratio"])
    system = submit(cast.phase, cast.team, user=cast.member)
    for family in (METRICS[cast.phase.ranking_metric].family, "length_ratio"):
        evaluation = system.evaluations.get(family=family)
        evaluation_attempt(evaluation_id=evaluation.pk)
        evaluation.refresh_from_db()
        assert evaluation.state == EvaluationState.DONE, evaluation.detail
    value = f"{system.results.get(metric='length_ratio').value:.2f}"
    client = cast.client(cast.member)
    challenge = cast.phase.challenge.slug

    def page(name: str, *arguments: object) -> str:
        return text(client.get(reverse(f"leaderboard:{name}", args=arguments)).content)

    board = page("board", challenge, cast.phase.slug)
    assert "Length ratio" in board
    assert value in board
    assert value in page("system", system.public_id)
    assert "Length ratio" in page("clip", system.public_id, 1)
    assert "mean" in page("clip", system.public_id, 1), "its details, by their names"
    assert "Everything but the length." in page("metric", "length_ratio")
    assert "length_ratio" in client.get("/api/v1/metrics").content.decode()
