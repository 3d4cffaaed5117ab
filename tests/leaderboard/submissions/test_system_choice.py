"""Choosing among more systems than a page lists: a few are read, any can be found."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Evaluation, EvaluationState, MetricResult, Phase, Submission
from leaderboard.selectors.submissions.system_choice import LISTED
from tests.factories import submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

PAGES = ("compare", "distributions", "words")


def many_scored(cast: Cast, number: int) -> list[Submission]:
    """Store systems with a ranking value each and nothing else, the best first."""
    first = submit(cast.phase, cast.team, name="Zebra", user=cast.member)
    first.evaluations.all().delete()
    now = timezone.now()
    rows = Submission.objects.bulk_create(
        Submission(
            phase=cast.phase,
            team=cast.team,
            system_name=f"System {place:03} <b>",
            file=first.file,
            file_name="captions.csv",
            created_at=now + timedelta(seconds=place),
        )
        for place in range(number)
    )
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            submission=row,
            family=cast.phase.ranking.family,
            reference_hash="r",
            signature="cider_d|made-up",
            state=EvaluationState.DONE,
            created_at=now,
            finished_at=now,
        )
        for row in (*rows, first)
    )
    MetricResult.objects.bulk_create(
        MetricResult(
            evaluation=one,
            submission_id=one.submission_id,
            metric=cast.phase.ranking_metric,
            value=1 - place / 1000,
            coverage=5,
            clips=5,
            signature=one.signature,
            per_clip=b"\0" * 20,
        )
        for place, one in enumerate(evaluations)
    )
    return [*rows, first]


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    return many_scored(cast, LISTED + 20)


def url(page: str, cast: Cast, query: str = "") -> str:
    names = [cast.phase.challenge.slug, cast.phase.slug]
    return reverse(f"leaderboard:{page}", args=names) + query


def test_any_system_is_found_without_listing_all(cast: Cast, systems: list[Submission]) -> None:
    client, last = cast.client(None), systems[-1]
    for where in PAGES:
        listed = client.get(url(where, cast)).context["listed"]
        ids = [row.public_id for row in systems[:LISTED]]
        assert [one.public_id for one in listed.options] == ids
        answer = client.get(url(where, cast, "?find=ZEB"))
        seen, listed = text(answer.content), answer.context["listed"]
        assert f"1 of {LISTED + 21} found by name or team." in seen
        names = [one.system_name for one in listed.options]
        assert names[-1] == "Zebra"
        assert names[0] == "System 000 <b>", "what is chosen stays in the list"
        assert len(names) < 8
        # Everything of a team is found by its name; the first are listed.
        answer = client.get(url(where, cast, f"?find={cast.team.name[:4]}"))
        assert f"and the first {LISTED} are listed" in text(answer.content)
        asked = f"?a={last.public_id}&find=none" if where == "compare" else f"?s={last.public_id}"
        answer = client.get(url(where, cast, asked))
        assert "Zebra" in [one.system_name for one in answer.context["listed"].options]
        assert b"System 000 <b>" not in answer.content


def test_one_to_stand_beside_another_is_found(cast: Cast, systems: list[Submission]) -> None:
    client, last = cast.client(None), systems[-1]
    offered = f'<option value="{last.public_id}"'
    for where in ("clips", "words-system"):
        address = reverse(f"leaderboard:{where}", args=[systems[0].public_id])
        page = client.get(address).content.decode()
        assert f"The first {LISTED} of {LISTED + 20} are listed." in page
        assert offered not in page
        page = client.get(address, {"find": "ZEB"}).content.decode()
        assert f"1 of {LISTED + 20} found by name or team." in page
        assert offered in page


def queries_of(cast: Cast, address: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert cast.client(None).get(address).status_code == 200
    return len(asked)


def test_few_are_all_listed_and_the_number_of_systems_adds_no_query(cast: Cast) -> None:
    many_scored(cast, 9)
    before = {where: queries_of(cast, url(where, cast)) for where in PAGES}
    for where in PAGES:
        answer = cast.client(None).get(url(where, cast))
        assert len(answer.context["listed"].options) == 10
        assert "Find systems" not in text(answer.content)
    many_scored(cast, LISTED + 30)
    for where in PAGES:
        assert queries_of(cast, url(where, cast)) <= min(before[where], 24)


def test_a_name_that_is_kept_back_is_not_found_by_it(cast: Cast, systems: list[Submission]) -> None:
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=1))
    listed = cast.client(None).get(url("compare", cast, "?find=zebra")).context["listed"]
    assert listed.matching == 0
    listed = cast.client(cast.member).get(url("compare", cast, "?find=zebra")).context["listed"]
    assert listed.matching == 1
