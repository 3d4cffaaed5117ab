"""The organisers' page of a dry run: who sees it, what it refuses, what it says."""

import pytest
from django.core.cache import caches
from django.utils import timezone

from earmark.registry import metric
from leaderboard.models import EvaluationState, Kind, Phase, Rescoring, Submission
from leaderboard.selectors.organising.rescoring import open_rescoring, targets_of
from leaderboard.selectors.organising.rescoring_diff import diff_of, metrics_in
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.services.workers import worker_seen
from tests.factories import NOW, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.organising.rescoring_cases import (
    LONG,
    SHORT,
    board,
    compute,
    dry_run,
    names,
    scored_truly,
)
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.django_db
FORM = {"cider_d": "on", "cider_d__sigma": "1", "reason": "Shorter captions"}


@pytest.fixture
def systems(cast: Cast) -> tuple[Submission, Submission]:
    long = scored_truly(cast.phase, cast.team, "Long", LONG)
    return long, scored_truly(cast.phase, TeamFactory.create(), "Short", SHORT)


def address(cast: Cast, part: str = "") -> str:
    return cast.at(f"manage-rescoring{part}")


def act(cast: Cast, name: str, **fields: str) -> str:
    """What the page says after an act on the dry run, or on the last one."""
    current = open_rescoring(cast.phase) or Rescoring.objects.latest("pk")
    sent = {"act": name, "rescoring": current.pk, **fields}
    answer = cast.client(cast.organiser).post(address(cast), sent, follow=True)
    return answer.content.decode()


def whole_form(cast: Cast, **changes: str) -> dict[str, str]:
    """Fill the form in as a browser would: every parameter is sent along."""
    form = cast.client(cast.organiser).get(address(cast)).context["form"]
    present = {field.html_name: str(field.value()) for field in form}
    return {**{name: value for name, value in present.items() if "__" in name}, **FORM, **changes}


def test_the_form_offers_every_family_with_its_present_values(cast: Cast) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(parameters={"cider_d": {"sigma": 2.5}})
    form = cast.client(cast.organiser).get(address(cast)).context["form"]
    assert form["cider_d__sigma"].value() == 2.5
    assert form["aces__mode"].field.choices == [("combined", "combined"), ("max", "max")]
    # A path on the server is no business of a page.
    assert not [name for name in form.fields if name.endswith(("__encoder", "__detector"))]


def test_a_dry_run_is_begun_and_published(cast: Cast, systems: tuple[Submission, ...]) -> None:
    client = cast.client(cast.organiser)
    assert client.post(address(cast), whole_form(cast)).status_code == 302
    found = open_rescoring(cast.phase)
    assert found is not None
    assert found.parameters == {"cider_d": {"sigma": 1.0}}
    running = client.get(address(cast, "-progress"))
    assert "2 scores to go" in running.content.decode()
    assert "HX-Refresh" not in running
    assert "2 scores are still being computed" in act(cast, "publish")
    compute(found)
    assert client.get(address(cast, "-progress"))["HX-Refresh"] == "true"
    shown = text(client.get(address(cast)).content)
    assert "another system is first" in shown
    assert "The ranking of before was kept." in act(cast, "publish")
    assert names(cast.phase) == ["Short", "Long"]
    assert "already finished" in act(cast, "back")
    act(cast, "publish")
    assert names(cast.phase) == ["Long", "Short"]


def test_what_the_scorer_refuses_is_told_beside_the_field_and_nothing_is_lost(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    client = cast.client(cast.organiser)
    for changes, said in (
        ({"cider_d": ""}, "Choose at least one metric"),
        ({"cider_d__sigma": "0"}, "Give a number above 0."),
        ({"cider_d__sigma": "nan"}, "Enter a number."),
        ({"cider_d__sigma": "wide"}, "Enter a number."),
        ({"cider_d__sigma": ""}, "This field is required."),
        ({"reason": ""}, "Say why"),
        ({"cb": "on", "cb__senses": "0"}, "Give a whole number from 1 up"),
        ({"aces": "on", "aces__mode": "sum"}, "Select a valid choice"),
    ):
        sent = {name: value for name, value in whole_form(cast, **changes).items() if value}
        answer = client.post(address(cast), sent)
        assert answer.status_code == 422
        assert said in text(answer.content)
        assert answer.context["form"]["reason"].value() == sent.get("reason")
    answer = client.post(address(cast), whole_form(cast, cider_d__sigma="6"))
    assert answer.status_code == 409
    assert "already been scored with these parameters" in text(answer.content)
    assert not Rescoring.objects.exists()


def test_a_system_that_came_in_since_is_added_instead_of_publishing(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    compute(dry_run(cast.phase))
    scored_truly(cast.phase, cast.team, "Late", SHORT)
    assert "1 system was submitted since the dry run began" in act(cast, "publish")
    assert Phase.objects.get(pk=cast.phase.pk).parameters == {}
    found = open_rescoring(cast.phase)
    assert found is not None
    assert targets_of(found).evaluations.count() == 3
    compute(found)
    act(cast, "publish")
    assert names(cast.phase)[-1] == "Long"


def test_failures_are_retried_or_published_with_the_box_ticked(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    found, client = dry_run(cast.phase), cast.client(cast.organiser)
    for end in ("retry", "publish"):
        compute(found)
        row = targets_of(found).evaluations.get(submission=systems[0])
        row.results.all().delete()
        row.state, row.reason, row.detail = EvaluationState.FAILED, "No memory.", "<i>trace</i>"
        row.save()
        shown = client.get(address(cast)).content.decode()
        assert "&lt;i&gt;trace" in shown
        assert "loses its rank" in text(shown.encode())
        assert "1 score failed" in act(cast, "publish")
        # A team that retries touches no dry run.
        assert submission_retry(submission=systems[0], actor=cast.owner, now=NOW) == []
        act(cast, end, accept_failures="on")
        row.refresh_from_db()
        assert (row.state == EvaluationState.PENDING) is (end == "retry")
    assert open_rescoring(cast.phase) is None
    ranks = {line.system_name: line.rank for line in board(cast.phase).rows}
    assert ranks == {"Long": None, "Short": 1}


def test_a_dry_run_says_what_it_waits_for_and_compares(
    cast: Cast, systems: tuple[Submission, ...]
) -> None:
    """The human row is computed, too, and is no system."""
    Submission.objects.filter(pk=systems[1].pk).update(kind=Kind.BASELINE)
    human_row_create(phase=cast.phase, actor=None, now=NOW)
    found, client = dry_run(cast.phase), cast.client(cast.organiser)
    seen = text(client.get(address(cast, "-progress")).content.join([b"<main>", b"</main>"]))
    assert "0 of 2" in seen
    assert "3 scores to go, the human row's among them." in seen
    assert "No worker serves the queue cpu now" in seen
    worker_seen(name="one", queues=["cpu"], jobs=1, now=timezone.now())
    caches["parts"].clear()
    late = submit(cast.phase, TeamFactory.create())
    assert "1 system that teams wait for comes first" in text(client.get(address(cast)).content)
    late.evaluations.update(state=EvaluationState.DONE)
    caches["parts"].clear()
    assert "It is next" in text(client.get(address(cast)).content)
    late.delete()
    compute(found)
    targets = targets_of(found)
    diff = diff_of(cast.phase, cast.phase, targets, metric("cider_d"))
    assert [(row.system, row.competes, row.after.rank) for row in diff.rows] == [
        ("Long", True, 1),
        ("Short", False, None),
        ("Human", False, None),
    ]
    assert all("sigma:1|" in row.after.signature for row in diff.rows)
    assert [info.name for info in metrics_in(cast.phase, targets)] == ["cider_d"]
