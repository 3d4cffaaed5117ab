"""From a mix in the lab to the metric that ranks: evidence, dry run, publication."""

import re

import numpy as np
import pytest

from earmark.metrics.composite.formula import read_formula
from earmark.registry import METRICS
from earmark.tricks.measuring import measured_tricks
from leaderboard.models import (
    AuditEvent,
    Evaluation,
    JudgmentSet,
    MetricResult,
    Phase,
    RankSnapshot,
    Rescoring,
)
from leaderboard.scorer import family_signature
from leaderboard.selectors.lab.evidence import evidence_of
from leaderboard.selectors.lab.report import report_of
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import NOW, REFERENCES, UserFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.lab.test_lab import SCORES, asked_of, lab_url, put, reported
from tests.leaderboard.scored_pages import text

CLIPS = len(REFERENCES)
WEIGHTS = (("cider_d", 3.0), ("fer", 1.0))


@pytest.fixture
def phase(cast: Cast) -> Phase:
    for name, (clips, others) in SCORES.items():
        put(cast.phase, name, clips, others)
    return cast.phase


def test_a_formula_gives_the_values_of_now_whoever_takes_part_later(phase: Phase) -> None:
    found = reported(phase, weights=WEIGHTS, mix="values", precision=6)
    assert found.formula == "0.75*cider_d-0.25*fer"
    told = {row.line.system_name: row.then.value for row in found.rows if row.then}
    assert told["Ash"] == pytest.approx(0.75 * 0.74 - 0.25 * 0.3, abs=1e-6)
    fewer = reported(phase, weights=WEIGHTS, mix="values", teams=frozenset({"ash"}))
    assert fewer.formula == found.formula
    # By z-scores it keeps the means and deviations of now.
    found = reported(phase, weights=WEIGHTS, precision=6)
    terms = read_formula(found.formula)
    cider = np.array([0.74, 0.64, 0.38])
    assert terms[0].centre == pytest.approx(cider.mean(), rel=1e-5)
    assert terms[0].scale == pytest.approx(cider.std(), rel=1e-5)
    for row in found.rows:
        assert row.then is not None
        clips, others = SCORES[row.line.system_name]
        values = {"cider_d": float(np.mean(clips)), **others}
        whole = sum(
            term.weight * (values[term.metric] - term.centre) / term.scale for term in terms
        )
        assert row.then.value == pytest.approx(whole, abs=1e-4)


def test_what_cannot_be_published_says_why(cast: Cast, phase: Phase) -> None:
    client = cast.client(cast.organiser)
    for query, told in (
        ("", "A single metric is chosen under Rules"),
        ("?metric=cider_d,fense&mix=ranks", "Ranks depend on who takes part"),
        ("?metric=cider_d,fense&clips=1", "Put back what is"),
        ("?metric=cider_d,fense&counting=last", "Put back what is"),
    ):
        page = client.get(lab_url(phase, query)).content
        assert told in text(page)
        assert 'value="composite"' not in page.decode()
    for formula in ("", "0.5*nothing", "0.5*fense+0.5*spider_max", "<script>", "1*composite"):
        data = {"act": "composite", "formula": formula, "precision": "3", "reason": "Why not."}
        answer = client.post(cast.at("manage-rescoring"), data, follow=True)
        assert answer.status_code == 200
        assert not Rescoring.objects.exists()
        assert "<script>" not in answer.content.decode().split("<main")[1]


def _judgments(phase: Phase) -> JudgmentSet:
    """Three decided pairs of two clips: CIDEr-D is right of two, fluency of the third."""
    pairs = [
        {"facet": "MM", "clip": clip, "captions": ["a", "b"], "truth": 1.0} for clip in (0, 0, 1)
    ]
    rows = [("cider_d", [1.0, 0.5, -0.1]), ("fer", [-1.0, 0.2, 0.9])]
    results = {
        "sha256": "f" * 64,
        "metrics": [
            {"name": name, "signature": name, "shares": {}, "differences": values}
            for name, values in rows
        ],
    }
    return JudgmentSet.objects.create(
        phase=phase,
        source="annotation:1",
        name="Listeners of May",
        pairs=pairs,
        sha256="f" * 64,
        judges=3,
        votes=9,
        results=results,
        handed_over_at=NOW,
    )


def test_agreement_and_what_tricks_gain_are_those_of_the_weighted_mix(phase: Phase) -> None:
    _judgments(phase)
    user, asked = UserFactory.create(), asked_of(phase, weights=WEIGHTS, mix="values")
    found = evidence_of(phase, report_of(phase, asked, clips=CLIPS), user)
    title, now, then = found["agreement"][-1]
    assert title == "Listeners of May"
    assert now is not None
    assert then is not None
    # CIDEr-D alone: two of three. With a quarter of fluency: 0.5, 0.425 and 0.15 for the first.
    assert (now.correct, then.correct, then.pairs) == (2, 3, 3)
    gains = next(gains for trick, *gains in found["tricks"] if trick.name == "repeated")
    known = measured_tricks().metrics
    values = [0.75 * np.mean(clips) - 0.25 * more["fer"] for clips, more in SCORES.values()]
    expected = 0.75 * known["cider_d"].gain("repeated") + 0.25 * known["fer"].gain("repeated")
    assert gains[1] == pytest.approx(expected / np.std(values), rel=1e-4)
    assert gains[0] is not None
    report = reported(phase, weights=(("cider_d", 1.0), ("vocab", 1.0)))
    assert evidence_of(phase, report, user)["unmeasured"] == [METRICS["vocab"].label]


def test_evidence_is_seen_and_a_composite_published(cast: Cast, phase: Phase) -> None:
    client = cast.client(cast.organiser)
    page = client.get(lab_url(phase, "?metric=cider_d:1,rouge_l:1&mix=values")).content
    seen = text(page)
    assert "Agreement with people" in seen
    assert "What tricks gain" in seen
    formula = re.findall(r'name="formula" value="([^"]+)"', page.decode())[0]
    assert formula == "0.5*cider_d+0.5*rouge_l"
    data = {"act": "composite", "formula": formula, "precision": "4", "reason": "Both count."}
    refused = client.post(cast.at("manage-rescoring"), data | {"reason": ""}, follow=True)
    assert "Say why the phase should rank by it." in refused.content.decode()
    begun = client.post(cast.at("manage-rescoring"), data, follow=True)
    assert "ranks by Composite (0.5*cider_d+0.5*rouge_l) at 4 decimals instead of CIDEr-D" in text(
        begun.content
    )

    waiting = Evaluation.objects.filter(family="composite")
    assert waiting.count() == len(SCORES)
    assert not waiting.filter(published=True).exists()
    for pk in waiting.values_list("pk", flat=True):
        evaluation_attempt(evaluation_id=pk)
    assert set(waiting.values_list("state", flat=True)) == {"done"}
    # Nobody else sees anything of it yet.
    assert Phase.objects.get().ranking_metric == "cider_d"
    assert "composite" not in Phase.objects.get().computed

    page = client.get(cast.at("manage-rescoring")).content
    assert "CIDEr-D before" in text(page)
    assert "Composite (0.5*cider_d+0.5*rouge_l) after" in text(page)
    publish = {"act": "publish", "rescoring": Rescoring.objects.get().pk}
    client.post(cast.at("manage-rescoring"), publish)
    after = Phase.objects.get()
    assert (after.ranking_metric, after.precision) == ("composite", 4)
    assert after.parameters["composite"]["formula"] == formula
    stored = MetricResult.objects.filter(metric="composite")
    assert stored.count() == len(SCORES)
    assert {row.signature.split("|")[1] for row in stored} == {f"formula:{formula}"}
    # The ranking of before was kept, and the act is in the log.
    assert RankSnapshot.objects.get().ranking_metric == "cider_d"
    details = AuditEvent.objects.get(action="rescoring.publish").details
    assert (details["ranked_before_by"], details["ranking_metric"]) == ("cider_d", "composite")
    values = {row.submission_id: row.value for row in stored}
    assert [row.value for row in ranking_of(after).rows] == pytest.approx(
        sorted((value or 0 for value in values.values()), reverse=True)
    )
    board = cast.client(None).get(cast.at("board")).content
    assert formula in text(board)


def test_what_is_handed_in_later_has_the_composite_too(cast: Cast, phase: Phase) -> None:
    Phase.objects.update(
        ranking_metric="composite",
        parameters={"composite": {"formula": "0.5*cider_d+0.5*rouge_l", "parts": {}}},
    )
    found = Phase.objects.get()
    assert "composite" in found.families
    system = put(found, "Dogwood", [0.1] * CLIPS, {})
    evaluation = system.evaluations.get(family="composite")
    assert evaluation.signature == family_signature(
        "composite", REFERENCES, found.parameters["composite"]
    )


def test_a_frozen_ranking_keeps_its_metric(cast: Cast, phase: Phase) -> None:
    client = cast.client(cast.organiser)
    formula = "0.5*cider_d+0.5*rouge_l"
    data = {"act": "composite", "formula": formula, "precision": "3", "reason": "Both."}
    client.post(cast.at("manage-rescoring"), data)
    for pk in Evaluation.objects.filter(family="composite").values_list("pk", flat=True):
        evaluation_attempt(evaluation_id=pk)
    Phase.objects.update(frozen_at=NOW)
    publish = {"act": "publish", "rescoring": Rescoring.objects.get().pk}
    said = client.post(cast.at("manage-rescoring"), publish, follow=True).content
    assert "Reveal it first" in said.decode()
    assert Phase.objects.get().ranking_metric == "cider_d"
