"""The page of splits: starting one, how far it is, what came of it, and who may do so."""

from typing import Any

import pytest

from annotation import tasks
from annotation.models import DataSet, Publication, SplitRun, SplitState
from annotation.services.data_sets.split_states import SplitRequest, split_start
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.data_sets.made import make_data_set
from tests.factories import reference_set
from tests.leaderboard.scored_pages import text as text_of

PARTS = "development=.6,validation=.2,evaluation=.2"
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
    tasks.split_run(run.pk, run.token)
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


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"parts": "a=.5,b=.6"}, "must add up to 1"),
        ({"parts": "a=.5,../b=.5"}, "name of its file"),
        ({"parts": f"{'a' * 41}=.5,b=.5"}, "at most 40 characters"),
        ({"parts": "all"}, "This is not a part"),
        ({"parts": ""}, "required"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"seed": "x"}, "whole number"),
        ({"similarity": "0"}, "would keep all clips together"),
        ({"similarity": "1.5"}, "less than or equal to 1"),
        ({"columns": ["nothing"]}, "nothing is not one of the available choices"),
    ],
)
def test_bad_input_is_named_and_starts_nothing(
    desk: Desk, large: DataSet, changed: dict[str, Any], why: str
) -> None:
    response = desk.client(desk.owner).post(path(large), GOOD | changed)
    assert response.status_code == 422
    assert why in text(response)
    assert not SplitRun.objects.exists()
