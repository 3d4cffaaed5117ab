"""An organiser puts a composite together, sees what is known of it, and publishes it."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Evaluation, Phase, Submission
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, UserFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import set_clips

# By CIDEr-D Ash is ahead, by ROUGE-L Birch.
SYSTEMS = {"Ash": (0.9, 0.1), "Birch": (0.5, 0.9), "Cedar": (0.4, 0.3)}


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    phase = PhaseFactory.create(challenge__published=True, ranking_metric="cider_d")
    for name, (cider, rouge) in SYSTEMS.items():
        system = submit(phase, TeamFactory.create(name=name), name=name)
        finish(system)
        set_clips(system, "cider_d", [cider + 0.01 * clip for clip in range(len(REFERENCES))])
        set_clips(system, "rouge_l", [rouge - 0.01 * clip for clip in range(len(REFERENCES))])
    return phase


def test_a_composite_is_built_looked_at_and_published(
    page: Page,
    live_server: LiveServer,
    log_in: LogIn,
    phase: Phase,
    axe: Callable[[], list[str]],
) -> None:
    organiser = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    log_in(organiser)
    base = f"{live_server.url}/c/{phase.challenge.slug}/{phase.slug}"
    page.goto(f"{base}/lab/")
    page.get_by_label("Metric", exact=True).select_option("cider_d")
    page.get_by_label("Weight", exact=True).fill("1")
    page.get_by_label("Metric 2").select_option("rouge_l")
    page.get_by_label("Weight 2").fill("3")
    page.get_by_label("Several metrics mixed by").select_option("values")
    # Ranks follow what is chosen, without a press of the button.
    page.wait_for_url("**mix=values**")

    # Ranks, agreement and robustness beside those of now.
    expect(page.locator(".lab__facts")).to_contain_text("Birch, now Ash")
    people = page.get_by_role("region", name="Agreement with people", exact=True)
    expect(people).to_contain_text("AudioCaps-Eval: all pairs")
    expect(page.get_by_role("region", name="What tricks gain")).to_contain_text("Repeated")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    page.set_viewport_size({"width": 390, "height": 800})
    fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 800})

    page.get_by_label("Why it is to rank").fill("Words in common count, too.")
    page.get_by_role("button", name="Start a dry run").click()
    page.wait_for_url("**/rescoring/")
    expect(page.get_by_text("the phase ranks by Composite")).to_be_visible()
    for pk in Evaluation.objects.filter(family="composite").values_list("pk", flat=True):
        evaluation_attempt(evaluation_id=pk)
    page.reload()
    changes = page.get_by_role("group", name="What would change")
    expect(changes).to_contain_text("Composite (0.25*cider_d+0.75*rouge_l) after")
    assert axe() == []
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("ranks by the new scores")).to_be_visible()

    page.goto(f"{base}/")
    expect(page.get_by_text("0.25*cider_d+0.75*rouge_l").first).to_be_visible()
    # The page of a clip says what each metric adds.
    ash = Submission.objects.get(system_name="Ash")
    page.goto(f"{live_server.url}{reverse('leaderboard:clip', args=[ash.public_id, 1])}")
    explained = page.locator("table").filter(has_text="Brings").filter(has_text="ROUGE-L")
    expect(explained.filter(has_text="0.750").first).to_be_attached()
