"""The public pages in a browser: accessible, quiet in the console, usable on a phone."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Evaluation, EvaluationState, MetricResult, Phase, Submission, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import evaluation_claim
from leaderboard.services.jobs.states import job_renew
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import figure_drawn, fits_width, started, table_opened
from tests.factories import (
    PhaseFactory,
    TeamFactory,
    UserFactory,
    finish,
    finish_evaluation,
    join,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)
WIDTHS = (320, 900, 1920)
SCHEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def ada() -> User:
    return UserFactory.create(username="ada")


@pytest.fixture
def phase(ada: User) -> Phase:
    """A phase with a dozen systems: ties, failures, hostile and long names, one under way."""
    phase = PhaseFactory.create(
        challenge__description="# Rules\n\nSee [them](https://example.org).",
        closes_at=timezone.now() + timedelta(days=3),
    )
    for number in range(12):
        team = TeamFactory.create(name=f"{HOSTILE} {'long ' * 6}{number}"[:60])
        system = submit(phase, team, name=f"{HOSTILE} {'W' * 50}"[:80])
        finish(system, value=0.3 + number / 50, seed=number)
    fail(Submission.objects.order_by("pk")[3])
    explain(Submission.objects.order_by("pk")[2])
    mine = TeamFactory.create(name="Ada's")
    join(mine, ada)
    submit(phase, mine, name="Under way")
    return phase


def fail(submission: Submission) -> None:
    MetricResult.objects.filter(submission=submission, metric="meteor").delete()
    Evaluation.objects.filter(submission=submission, family="meteor").update(
        state=EvaluationState.FAILED, reason="The worker stopped."
    )


def explain(submission: Submission) -> None:
    """Compute one system for real, so that its clips have details of every family."""
    submission.evaluations.update(state=EvaluationState.PENDING)
    for evaluation in submission.evaluations.all():
        evaluation_attempt(evaluation_id=evaluation.pk)


def addresses(phase: Phase) -> list[str]:
    names = (phase.challenge.slug, phase.slug)
    scored, failed = Submission.objects.order_by("pk")[2:4]
    under_way = Submission.objects.order_by("pk").last()
    assert under_way is not None
    return [
        reverse("leaderboard:home"),
        reverse("leaderboard:challenge", args=names[:1]),
        reverse("leaderboard:board", args=names),
        reverse("leaderboard:board", args=names) + "?systems=all&sort=-bleu_4",
        reverse("leaderboard:board", args=names) + "?columns=all",
        reverse("leaderboard:board", args=names) + "?systems=all&preset=all&q=system",
        reverse("leaderboard:history", args=names),
        reverse("leaderboard:clips", args=[scored.public_id]),
        reverse("leaderboard:clips", args=[scored.public_id])
        + f"?choose=1&with={failed.public_id}",
        *(reverse("leaderboard:clip", args=[scored.public_id, number]) for number in (1, 2)),
        reverse("leaderboard:clip", args=[scored.public_id, 1]) + f"?with={failed.public_id}",
        *(
            reverse("leaderboard:system", args=[submission.public_id])
            for submission in (scored, failed, under_way)
        ),
        reverse("leaderboard:analysis", args=names),
        reverse("leaderboard:compare", args=names),
        reverse("leaderboard:distributions", args=names),
        reverse("leaderboard:distributions", args=names) + "?drawing=violin&metric=aces",
        reverse("leaderboard:profile", args=[scored.public_id]),
        reverse("leaderboard:metrics"),
        reverse("leaderboard:metrics-agreement"),
        reverse("leaderboard:metric", args=["cider_d"]),
    ]


def test_every_page_is_accessible_and_fits(
    page: Page,
    live_server: LiveServer,
    log_in: LogIn,
    axe: Callable[[], list[str]],
    phase: Phase,
    ada: User,
) -> None:
    log_in(ada)
    found = []
    for address in addresses(phase):
        page.goto(live_server.url + address)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            fits_width(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += axe()
    assert found == []


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of WCAG 2.2."""
    shares = [byte / 255 for byte in colour]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("scale", ["share", "diverging", "steps"])
def test_the_numbers_in_every_cell_of_a_heatmap_can_be_read(
    modules: Page, scheme: Literal["dark", "light"], scale: str
) -> None:
    """The text of a cell has a contrast of 4.5 at least, whatever the cell's value."""
    modules.emulate_media(color_scheme=scheme)
    trace = modules.evaluate(
        """async (scale) => {
            const { themed } = await import('/static/js/controllers/plot.js');
            const figure = { data: [{ type: 'heatmap', meta: { scale } }], layout: {} };
            return themed(figure).data[0];
        }""",
        scale,
    )
    ink = luminance(rgb(trace["textfont"]["color"]))
    stops = [(at, rgb(colour)) for at, colour in trace["colorscale"]]
    for (low, first), (high, last) in pairwise(stops):
        assert low <= high  # where two classes meet, one colour ends and another begins
        for share in np.linspace(0, 1, 101):
            cell = luminance(tuple(a + share * (b - a) for a, b in zip(first, last, strict=True)))
            dark, light = sorted((ink, cell))
            assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_every_share_of_an_axis_from_none_to_all_is_written(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    """Plotly leaves out a number that does not fit beside the axis, as "100%" did."""
    scored = Submission.objects.order_by("pk")[2]
    page.goto(live_server.url + reverse("leaderboard:profile", args=[scored.public_id]))
    marks = figure_drawn(page, "events-by-family").locator(".xtick text")
    expect(marks.last).to_have_text("100%")
    expect(marks.last).to_be_visible()


def test_the_missing_page_is_accessible(
    page: Page, live_server: LiveServer, axe: Callable[[], list[str]], complaints: list[str]
) -> None:
    page.goto(f"{live_server.url}/nothing/")
    assert axe() == []
    complaints.clear()  # the browser reports the 404 itself


def test_the_histogram_is_drawn_and_follows_the_choice(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    system = Submission.objects.order_by("pk")[2]
    page.goto(live_server.url + reverse("leaderboard:system", args=[system.public_id]))
    figure_drawn(page, "clip-scores")
    # Scores about .34 in bins of .02 from 0 up: more than eight bars, empty ones included.
    expect(page.locator(".plot__area .bars .point").nth(8)).to_be_attached()
    started(page)
    page.get_by_label("Metric", exact=True).select_option(label="ROUGE-L")
    page.wait_for_url("**/*metric=rouge_l*")
    figure_drawn(page, "clip-scores")
    expect(page.locator(".plot__area .xtitle")).to_have_text("ROUGE-L of a clip")
    table_opened(page.locator("#clip-scores"))
    expect(page.get_by_role("region", name="Clips by ROUGE-L, as a table")).to_be_visible()


def test_progress_moves_and_ends_with_the_results(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    submission = submit(phase, TeamFactory.create(), name="Live")
    page.goto(live_server.url + reverse("leaderboard:system", args=[submission.public_id]))
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    first = submission.evaluations.order_by("pk").first()
    assert first is not None
    now, lease = timezone.now(), timedelta(minutes=1)
    claim = evaluation_claim(evaluation_id=first.pk, now=now, lease=lease)
    assert claim is not None
    job_renew(claim=claim, clips_done=3, now=now, lease=lease)
    expect(page.get_by_text("3 of 5 clips")).to_be_visible()
    first.refresh_from_db()
    Evaluation.objects.filter(pk=first.pk).update(state=EvaluationState.PENDING)
    for evaluation in submission.evaluations.all():
        finish_evaluation(evaluation, value=0.5, generator=np.random.default_rng(1))
    expect(page.get_by_role("region", name="Scores of Live")).to_be_visible()
    expect(page.locator("#progress")).to_have_count(0)


def test_the_board_sorts_without_javascript(
    live_server: LiveServer, phase: Phase, new_context: Callable[..., object]
) -> None:
    context = new_context(java_script_enabled=False)
    page = context.new_page()  # type: ignore[attr-defined]
    names = (phase.challenge.slug, phase.slug)
    page.goto(live_server.url + reverse("leaderboard:board", args=names))
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("BLEU-1", exact=True).check()
    page.get_by_role("button", name="Show these").click()
    page.get_by_role("link", name="BLEU-1", exact=True).click()
    header = page.get_by_role("columnheader", name="BLEU-1")
    expect(header).to_have_attribute("aria-sort", "descending")


def test_a_clip_shows_why_it_has_its_scores(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    system = Submission.objects.order_by("pk")[2]
    page.goto(live_server.url + reverse("leaderboard:system", args=[system.public_id]))
    page.get_by_role("link", name="Clips", exact=True).click()
    started(page)  # a form sends itself once its script is there
    page.get_by_label("Order").select_option(label="As in the references")
    page.wait_for_url("**/*sort=file*")
    page.get_by_label("Words").fill("dog")
    page.get_by_label("Words").press("Enter")
    expect(page.get_by_text("1 of 5 clips")).to_be_visible()
    page.get_by_role("link", name="dog.wav").click()
    expect(page.get_by_role("heading", name="a dog is barking")).to_be_visible()
    expect(page.get_by_text("A large dog is barking outside.").first).to_be_visible()
    expect(page.get_by_text("No details were stored")).to_have_count(0)
    aces = page.locator("details", has=page.get_by_role("heading", name="ACES"))
    expect(aces.locator(".word", has_text="dog").first).not_to_be_visible()
    aces.get_by_role("heading").click()
    expect(aces.locator(".word", has_text="dog").first).to_be_visible()
    page.get_by_role("heading", name="CB-score and CB recall").click()
    events = page.locator("details", has=page.get_by_role("heading", name="CB-score and CB recall"))
    expect(events).to_contain_text("Dog")
    page.get_by_role("link", name="All clips").click()
    expect(page.get_by_label("Words")).to_have_value("dog")


def test_clips_are_chosen_and_set_beside_those_of_another_system(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    system, other = Submission.objects.order_by("pk")[2:4]
    page.goto(live_server.url + reverse("leaderboard:clips", args=[system.public_id]))
    page.get_by_role("link", name="Filter by what the metrics found").click()
    started(page)  # a form sends itself once its script is there
    page.get_by_label("Sound event", exact=True).select_option(value="Dog")
    page.wait_for_url("**/*event=Dog*")
    expect(page.get_by_text("1 of 5 clips")).to_be_visible()
    started(page)
    page.get_by_label("Compare with").select_option(value=other.public_id)
    page.wait_for_url(f"**/*with={other.public_id}*")
    page.get_by_role("link", name="Named by the references: Dog").click()
    expect(page.get_by_text("5 clips", exact=True)).to_be_visible()
    page.get_by_role("table").get_by_role("link", name="dog.wav").click()
    rows = page.get_by_role("region", name="Captions and values").get_by_role("row")
    expect(rows).to_have_count(3)
    rows.get_by_role("link", name=other.system_name).click()
    page.wait_for_url(f"**/s/{other.public_id}/clips/2/**")
    page.get_by_role("link", name=f"Beside: {system.system_name}").click()
    page.wait_for_url(re.compile(rf"/s/{other.public_id}/clips/2/\??$"))
    expect(rows).to_have_count(0)


def test_the_keyboard_reaches_the_content_first(page: Page, live_server: LiveServer) -> None:
    page.goto(live_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_the_account_menu_needs_no_script_and_closes_by_escape(
    page: Page, live_server: LiveServer, log_in: LogIn, ada: User
) -> None:
    log_in(ada)
    page.route("**/*.js", lambda route: route.fulfill(content_type="text/javascript", body=""))
    page.goto(live_server.url)
    name = page.get_by_role("button", name="ada", exact=True)
    name.click()
    entry = page.get_by_role("button", name="Log out")
    expect(entry).to_be_visible()
    page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    expect(name).to_be_focused()


def test_a_deadline_is_told_on_the_readers_own_clock(
    live_server: LiveServer, phase: Phase, new_context: Callable[..., object]
) -> None:
    Phase.objects.filter(pk=phase.pk).update(closes_at=datetime(2099, 3, 12, 23, 59, tzinfo=UTC))
    address = live_server.url + reverse("leaderboard:challenge", args=[phase.challenge.slug])
    told = {}
    for zone in ("Asia/Tokyo", "UTC"):
        page = new_context(timezone_id=zone).new_page()  # type: ignore[attr-defined]
        page.goto(address)
        started(page)
        told[zone] = page.locator(".state__when").inner_text()
    assert "12 Mar 2099, 23:59 UTC (Fri 13 Mar, 08:59 your time)" in told["Asia/Tokyo"]
    assert "your time" not in told["UTC"]
