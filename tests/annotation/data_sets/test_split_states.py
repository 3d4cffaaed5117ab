"""Splits change hands like trainings: one holds them, whoever lost them writes nothing."""

from collections import Counter
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotation import tasks
from annotation.models import DataSet, Publication, SplitRun, SplitState
from annotation.services.data_sets import splits
from annotation.services.data_sets.making import DataSetAct
from annotation.services.data_sets.splits import SplitRequest, split_start
from leaderboard.models import AuditEvent
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.data_sets.made import make_data_set
from tests.factories import UserFactory, reference_set
from tests.leaderboard.scored_pages import text as text_of

PARTS = "development=.6,validation=.2,evaluation=.2"
QUICK = SplitRequest(PARTS, seed=1, trials=2000)


@pytest.fixture
def data_set(db: None) -> DataSet:
    return make_data_set(UserFactory.create())


def act(data_set: DataSet) -> DataSetAct:
    assert data_set.owner is not None
    return DataSetAct(data_set.owner, NOW)


def started(data_set: DataSet, request: SplitRequest = QUICK) -> SplitRun:
    return splits.split_start(data_set=data_set, request=request, act=act(data_set))


def state(run: SplitRun) -> str:
    run.refresh_from_db()
    return run.state


def test_a_split_stores_parts_and_report_is_noted_and_comes_again_by_its_seed(
    data_set: DataSet,
) -> None:
    parts = []
    for _ in range(2):
        run = started(data_set)
        tasks.SPLIT_TASKS.task(run.pk, run.token)
        assert state(run) == SplitState.DONE
        parts.append(list(data_set.clips.values_list("file_name", "part")))
    assert parts[0] == parts[1]
    data_set.refresh_from_db()
    counts = Counter(data_set.clips.values_list("part", flat=True))
    assert counts == {"development": 24, "validation": 8, "evaluation": 8}
    assert data_set.split is not None
    report = data_set.split["report"]
    assert {name: row["clips"] for name, row in report["parts"].items()} == counts
    assert (report["clips"], data_set.split["asked"]["seed"]) == (40, 1)
    assert "words_by_part" not in report
    assert all(sum(counts) > 1 for _, *counts in run.report["words_by_part"])
    noted = AuditEvent.objects.filter(action="data-set.split").values_list("target", flat=True)
    assert set(noted) == {f"data-sets/{data_set.slug}"}


def test_clips_of_one_uploader_stay_together_and_unknown_ones_do_not(db: None) -> None:
    metas: list[dict[str, Any]] = [{"uploader": name} for name in ("ann", "bob", "Not found")]
    metas += [{"uploader": f"person {number}"} for number in range(17)]
    data_set = make_data_set(UserFactory.create(), metas=metas, clips=60)
    run = started(data_set, SplitRequest("a=.5,b=.5", 0, ("uploader",), "", 2000))
    tasks.SPLIT_TASKS.task(run.pk, run.token)
    assert state(run) == SplitState.DONE
    parts: dict[str, set[str]] = {}
    for meta, part in data_set.clips.values_list("meta", "part"):
        parts.setdefault(meta["uploader"], set()).add(part)
    del parts["Not found"]
    assert all(len(found) == 1 for found in parts.values())
    assert run.report["kept_together"] == {"groups": 19, "largest": 3}


@pytest.mark.parametrize(
    ("clips", "request_", "why"),
    [
        (2, QUICK, "There are 2 clips for 3 parts"),
        (20, SplitRequest("a=.99,b=.01"), "would have no clip"),
        (10, SplitRequest("a=.5,b=.5", 0, ("recording",)), "in 1 group that stay together"),
    ],
)
def test_what_cannot_be_split_says_why(
    db: None, clips: int, request_: SplitRequest, why: str
) -> None:
    data_set = make_data_set(UserFactory.create(), clips=clips, metas=[{"recording": "one"}])
    run = started(data_set, request_)
    tasks.SPLIT_TASKS.task(run.pk, run.token)
    assert state(run) == SplitState.FAILED
    assert why in run.reason
    assert set(data_set.clips.values_list("part", flat=True)) == {""}


def test_one_split_at_a_time_and_what_waits_is_cancelled_at_once(data_set: DataSet) -> None:
    run = started(data_set)
    with pytest.raises(Refused, match="is running"):
        started(data_set)
    with pytest.raises(IntegrityError), transaction.atomic():
        SplitRun.objects.create(data_set=data_set, asked=run.asked, created_at=NOW)
    assert splits.split_cancel(run=run, act=act(data_set))
    assert state(run) == SplitState.CANCELLED
    with pytest.raises(Refused, match="already ended"):
        splits.split_cancel(run=run, act=act(data_set))


@pytest.mark.parametrize(
    ("change", "left"),
    [({"token": 7}, SplitState.RUNNING), ({"cancel_asked_at": NOW}, SplitState.CANCELLED)],
    ids=["taken over by another attempt", "cancelled at the end"],
)
def test_who_lost_it_or_is_to_stop_stores_no_parts(
    data_set: DataSet, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], left: SplitState
) -> None:
    run = started(data_set)
    compute = splits.report_of

    def meanwhile(*arguments: Any) -> dict[str, Any]:
        SplitRun.objects.filter(pk=run.pk).update(**change)
        return compute(*arguments)

    monkeypatch.setattr(splits, "report_of", meanwhile)
    splits.split_attempt(pk=run.pk, token=run.token)
    data_set.refresh_from_db()
    assert (state(run), data_set.split) == (left, None)
    assert set(data_set.clips.values_list("part", flat=True)) == {""}


GOOD = {"parts": PARTS, "seed": "3", "similarity": "0.9"}


@pytest.fixture
def large(desk: Desk) -> DataSet:
    """A data set of forty clips that the owner has, with uploaders and tags."""
    metas: list[dict[str, Any]] = [
        {"uploader": f"person {at % 15}", "tags": ["rain", "<b>dog</b>"][: 1 + at % 2]}
        for at in range(40)
    ]
    return make_data_set(desk.owner, metas=metas)


def text(response: Any) -> str:
    return text_of(response.content)


def path(data_set: DataSet, part: str = "") -> str:
    return f"/annotate/data-sets/{data_set.slug}/split/{part}"


def split_now(data_set: DataSet, desk: Desk, parts: str = PARTS) -> SplitRun:
    request = SplitRequest(parts, trials=2000)
    run = split_start(data_set=data_set, request=request, act=desk.act)
    tasks.SPLIT_TASKS.task(run.pk, run.token)
    run.refresh_from_db()
    assert run.state == SplitState.DONE
    return run


def test_a_split_is_started_followed_and_cancelled(desk: Desk, large: DataSet) -> None:
    client = desk.client(desk.owner)
    page = text(client.get(path(large)))
    assert "40 clips go into parts" in page
    assert "uploader (40 clips share theirs with others)" in page
    started = client.post(path(large), GOOD | {"columns": ["uploader"]})
    assert (started.status_code, started["Location"]) == (302, path(large))
    run = SplitRun.objects.get()
    assert run.asked["columns"] == ["uploader"]
    assert run.started_by == desk.owner
    assert "Waiting for a worker." in text(client.get(path(large)))
    SplitRun.objects.update(state="running", stage="Exchanging", done=500_000, total=2_000_000)
    assert (
        "Exchanging.</strong> 500,000 of 2,000,000 steps."
        in client.get(path(large, "progress/")).content.decode()
    )
    again = client.post(path(large), GOOD, follow=True)
    assert "is running" in again.content.decode()
    stopped = client.post(path(large, "cancel/"), follow=True)
    assert "stops at its next step" in stopped.content.decode()
    SplitRun.objects.update(state="failed", reason="Unexpected error (OSError).")
    assert "Unexpected error (OSError)." in text(client.get(path(large)))
    over = client.post(path(large, "cancel/"), follow=True)
    assert "already ended" in over.content.decode()


def test_the_report_has_parts_words_and_tags_and_what_was_published_is_asked_about(
    desk: Desk, large: DataSet
) -> None:
    split_now(large, desk)
    client = desk.client(desk.owner)
    response = client.get(path(large))
    page, html = text(response), response.content.decode()
    assert "development 24 24" in " ".join(page.split())
    assert "Distance by equation 2" in page
    assert "as printed" in page
    assert 'id="word-shares-data"' in html
    assert 'id="tag-shares-data"' in html
    assert "<b>dog</b>" not in html
    assert f'value="{PARTS}"' in html, "what was asked stands in the form"
    Publication.objects.create(
        data_set=large, part="evaluation", reference_set=reference_set(), at=NOW
    )
    refused = client.post(path(large), GOOD)
    assert refused.status_code == 422
    assert "Already published: evaluation." in text(refused)
    assert SplitRun.objects.count() == 1
    assert client.post(path(large), GOOD | {"sure": "on"}).status_code == 302


def test_bad_input_is_named_and_starts_nothing(desk: Desk, large: DataSet) -> None:
    for changed, why in (
        ({"parts": "a=.5,b=.6"}, "must add up to 1"),
        ({"parts": "a=.5,../b=.5"}, "name of its file"),
        ({"parts": f"{'a' * 41}=.5,b=.5"}, "at most 40 characters"),
        ({"parts": "all"}, "This is not a part"),
        ({"similarity": "0"}, "would keep all clips together"),
        ({"columns": ["nothing"]}, "nothing is not one of the available choices"),
    ):
        response = desk.client(desk.owner).post(path(large), GOOD | changed)
        assert response.status_code == 422
        assert why in text(response)
        assert not SplitRun.objects.exists()
