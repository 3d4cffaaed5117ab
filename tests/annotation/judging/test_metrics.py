"""The metrics of a phase against its judges: measured once by a worker, shown to whom it is for."""

from typing import Any

import pytest

from earmark.benchmark import metric_preferences, read_judgments, shares
from earmark.benchmark_results import accuracy_row
from earmark.workspace import Workspace
from leaderboard.models import AuditEvent, JudgmentSet, JudgmentsState, User
from leaderboard.selectors.analysis.human_judgments import judged_preferences, wrong_pairs
from leaderboard.services.judgments import measuring
from leaderboard.tasks import JUDGMENTS_TASKS
from tests.annotation.judging.conftest import Court
from tests.leaderboard.scored_pages import text

METRICS = ("bleu_4", "rouge_l", "cider_d")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure metrics that load no model."""
    monkeypatch.setattr(measuring, "benchmark_metrics", lambda **_: METRICS)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What is sent to the queue, which no worker takes."""
    messages: list[tuple[int, int]] = []
    monkeypatch.setattr(
        JUDGMENTS_TASKS.task, "apply_async", lambda args, **_: messages.append(tuple(args))
    )
    return messages


def hand_over(court: Court, user: Any = None) -> Any:
    client = court.client(user or court.manager)
    return client.post(f"{court.address}results/measure/")


def address(court: Court) -> str:
    return f"/c/{court.phase.challenge.slug}/{court.phase.slug}/judges/"


def api(court: Court, user: Any) -> Any:
    path = f"/api/v1/phases/{court.phase.challenge.slug}/{court.phase.slug}/judges"
    return court.client(user).get(path)


@pytest.fixture
def measured(court: Court, sent: list[tuple[int, int]]) -> JudgmentSet:
    court.judge_all()
    hand_over(court)
    found = JudgmentSet.objects.get()
    JUDGMENTS_TASKS.task(found.pk, found.token)
    found.refresh_from_db()
    return found


@pytest.mark.django_db(transaction=True)
def test_who_organises_has_the_metrics_measured_by_a_worker(
    court: Court, sent: list[tuple[int, int]]
) -> None:
    court.judge_all()
    answer = hand_over(court)
    found = JudgmentSet.objects.get()
    assert answer["Location"] == f"{address(court)}?of={found.pk}"
    assert sent == [(found.pk, found.token)]
    assert found.enqueued_at is not None
    page = court.client(court.manager).get(answer["Location"]).content
    assert "Waiting." in text(page)
    assert "vendor/htmx/" in page.decode(), "the page looks by itself how far it is"
    JUDGMENTS_TASKS.task(*sent[0])
    found.refresh_from_db()
    assert (found.state, found.judges, found.votes) == (JudgmentsState.DONE, 2, 16)
    shown = text(court.client(court.manager).get(answer["Location"]).content)
    for said in ("BLEU", "CIDEr-D", "95 % interval", "Show it to everyone", "2 people gave 16"):
        assert said in shown


def test_shares_are_those_of_the_judgment_file(court: Court, measured: JudgmentSet) -> None:
    """Metrics that weigh no words say the same of the file as of the phase."""
    sent = court.client(court.manager).get(f"{court.address}results/?format=json")
    judgments = read_judgments(sent.getvalue())
    found = metric_preferences(judgments, ("rouge_l",), Workspace(), {})
    rows = {row["name"]: row for row in measured.results["metrics"]}
    right = sum(
        difference * pair.truth > 0
        for difference, pair in zip(found.differences["rouge_l"], found.pairs, strict=True)
    )
    total = rows["rouge_l"]["shares"]["Total"]
    assert (total["correct"], total["pairs"]) == (right, len(judgments.decidable))
    assert rows["rouge_l"]["signature"] == found.signatures["rouge_l"]
    assert total["low"] <= 100 * right / total["pairs"] <= total["high"]


def test_by_how_much_a_metric_prefers_a_caption_is_kept(
    court: Court, measured: JudgmentSet
) -> None:
    kept = judged_preferences(measured)
    assert set(kept.differences) == set(METRICS)
    assert kept.facets.size == kept.clips.size == measured.results["decided"]
    for row in measured.results["metrics"]:
        found = shares(kept, kept.differences[row["name"]])
        assert {kind: accuracy_row(share) for kind, share in found.items()} == row["shares"]
    # Of judgments that came later nothing is known; results of before they were kept are shown.
    measured.sha256 = "of judgments that came later"
    assert not judged_preferences(measured).differences
    measured.refresh_from_db()
    for row in measured.results["metrics"]:
        del row["differences"]
    measured.save()
    assert not judged_preferences(measured).differences
    assert "95 % interval" in text(court.client(court.manager).get(address(court)).content)


def test_without_votes_for_a_side_there_is_nothing_to_measure(
    court: Court, sent: list[tuple[int, int]]
) -> None:
    for item in court.draw():
        court.judge(item, court.ann, "alike")
    client = court.client(court.manager)
    answer = client.post(f"{court.address}results/measure/", follow=True)
    assert "There is no pair yet" in answer.content.decode()
    assert not JudgmentSet.objects.exists()


def test_only_managers_who_organise_the_phase_hand_judgments_over(
    court: Court, sent: list[tuple[int, int]]
) -> None:
    assert hand_over(court).status_code == 404
    court.judge_all()
    people = (court.outsider, court.ann, court.helper)
    assert [hand_over(court, user).status_code for user in people] == [404, 404, 404]
    assert court.client(None).post(f"{court.address}results/measure/").status_code == 302
    assert court.client(court.manager).get(f"{court.address}results/measure/").status_code == 405
    assert not JudgmentSet.objects.exists()


def test_others_see_it_once_an_organiser_publishes_it_and_no_longer_once_taken_back(
    court: Court, measured: JudgmentSet
) -> None:
    people = (None, court.outsider, court.helper)

    def codes() -> list[int]:
        return [court.client(user).get(address(court)).status_code for user in people]

    def is_linked() -> bool:
        analysis = address(court).replace("/judges/", "/analysis/")
        return f'href="{address(court)}"' in court.client(None).get(analysis).content.decode()

    assert codes() == [404, 404, 404]
    assert not is_linked()
    assert api(court, court.outsider).status_code == 404
    publish = {"act": "publish", "judgments": measured.pk}

    def sent(user: User | None, **more: str) -> int:
        return court.client(user).post(address(court), publish | more).status_code

    assert [sent(user) for user in people] == [302, 404, 404]
    assert codes() == [404, 404, 404]
    assert sent(court.manager) == 302
    assert codes() == [200, 200, 200]
    # Under the tab of the analysis, too where clips are hidden.
    assert is_linked()
    page = court.client(None).get(address(court)).content.decode()
    for kept in ("Show it", "csrfmiddlewaretoken", "rain", "drums", court.good.public_id, "Good"):
        assert kept not in page.split("<main")[1].split("</main")[0], kept
    (told,) = api(court, None).json()
    assert {row["metric"] for row in told["metrics"]} == set(METRICS)
    assert told["metrics"][0]["kinds"]["Total"]["pairs"] == told["decided"]
    sent(court.manager, public="no")
    assert codes() == [404, 404, 404]
    acts = AuditEvent.objects.filter(action__startswith="judgments.").values_list(
        "action", flat=True
    )
    assert set(acts) == {"judgments.measure", "judgments.publish", "judgments.unpublish"}


def test_organisers_alone_see_which_pairs_a_metric_gets_wrong(
    court: Court, measured: JudgmentSet
) -> None:
    wrong = f"{address(court)}{measured.pk}/wrong/rouge_l/"
    court.client(court.manager).post(address(court), {"act": "publish", "judgments": measured.pk})
    people = (None, court.outsider, court.ann, court.helper, court.manager)
    assert [court.client(user).get(wrong).status_code for user in people] == [
        302, 404, 404, 404, 200,
    ]  # fmt: skip
    assert wrong in court.client(court.manager).get(address(court)).content.decode()
    assert "/wrong/" not in court.client(None).get(address(court)).content.decode()
    found = wrong_pairs(measured, "rouge_l")
    assert found is not None
    row = next(row for row in measured.results["metrics"] if row["name"] == "rouge_l")
    share = row["shares"]["Total"]
    assert len(found.pairs) == share["pairs"] - share["correct"] > 0
    shown = text(court.client(court.manager).get(wrong).content)
    first = found.pairs[0]
    for said in (first.better.caption, first.worse.caption, "2 for, 0 against", "All metrics"):
        assert said in shown, said
    # Of another phase there is none.
    elsewhere = wrong.replace(str(measured.pk), str(measured.pk + 1))
    assert court.client(court.manager).get(elsewhere).status_code == 404


def test_the_results_are_in_the_api_for_managers(court: Court) -> None:
    court.judge_all()
    path = "/api/v1/labelling/court/judging"
    people = (None, court.outsider, court.ann, court.helper, court.manager)
    assert [court.client(user).get(path).status_code for user in people] == [
        401,
        404,
        404,
        200,
        200,
    ]
    told = court.client(court.manager).get(path).json()
    assert told["systems"][0]["name"] == "People"
    assert told["phase"] == f"{court.phase.challenge.slug}/{court.phase.slug}"
    blind = court.client(court.helper).get(path).content.decode()
    for kept in ("Good", "Poor", court.good.public_id):
        assert kept not in blind
