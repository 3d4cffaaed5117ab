"""A labeller is put to use, a phase scored anew with it, and both taken back, in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, User
from leaderboard.selectors.labellers.files import shipped_identity
from leaderboard.selectors.labellers.use import identity_in_use
from leaderboard.selectors.organising.rescoring import open_rescoring
from tests.e2e.conftest import LogIn
from tests.e2e.leaderboard.test_judging import looked_at
from tests.factories import PhaseFactory, UserFactory
from tests.labellers import registered, submitted
from tests.leaderboard.organising.rescoring_cases import LONG, SHORT, compute

Axe = Callable[[], list[str]]


@pytest.fixture(autouse=True)
def own_folder(settings: Settings, tmp_path: Path) -> None:
    """Keep labellers of a test to itself."""
    settings.LABELLERS_DIR = tmp_path / "labellers"


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    """Two systems, ranked by ACES."""
    made = PhaseFactory.create(
        name="Evaluation", challenge__title="Captions 2026", ranking_metric="aces", precision=5
    )
    for system, rows in (("Long", LONG), ("Short", SHORT)):
        submitted(made, system, rows)
    return made


@pytest.fixture
def organiser(phase: Phase) -> User:
    user = UserFactory.create(username="ann")
    phase.challenge.organisers.add(user)
    call_command("allow_labellers", "ann")
    return user


def test_put_to_use_rescored_published_and_rolled_back(
    page: Page, live_server: LiveServer, phase: Phase, organiser: User, log_in: LogIn, axe: Axe
) -> None:
    row, shipped = registered(actor=organiser, note="Made for this test."), shipped_identity()
    log_in(organiser)
    page.goto(f"{live_server.url}/manage/")
    page.get_by_role("link", name="Labellers").click()
    expect(page.get_by_role("row", name=shipped)).to_contain_text("in use")
    looked_at(page, axe, "labellers")
    page.get_by_role("link", name="Tiny tiny").click()
    expect(page.get_by_role("main")).to_contain_text(f"desc:{row.identity}")
    looked_at(page, axe, "labeller")
    page.get_by_role("link", name="Put into use").click()
    page.get_by_label("Reason").fill("Knows rain better")
    looked_at(page, axe, "labeller-use")
    page.get_by_role("button", name="Put into use").click()
    expect(page.get_by_text(f"{row.identity} is in use.")).to_be_visible()
    assert identity_in_use() == row.identity
    looked_at(page, axe, "labeller-phases")

    page.get_by_role("button", name="Start a dry run of Evaluation").click()
    expect(page.get_by_text("2 scores to go")).to_be_visible()
    found = open_rescoring(phase)
    assert found is not None
    compute(found)
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(f"desc:{row.identity}")
    looked_at(page, axe, "labeller-diff")
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("The ranking of before was kept.")).to_be_visible()
    system = phase.submissions.get(system_name="Long").public_id
    page.goto(f"{live_server.url}/s/{system}/")
    assert f"desc:{row.identity}" in page.content()

    page.goto(f"{live_server.url}/labellers/")
    page.get_by_role("button", name=f"Roll back to {shipped}").click()
    expect(page.get_by_text(f"Rolled back: {shipped} is in use.")).to_be_visible()
    page.get_by_role("button", name="Start a dry run of Evaluation").click()
    # Everything was computed before.
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("The ranking of before was kept.")).to_be_visible()
    page.goto(f"{live_server.url}/s/{system}/")
    assert f"desc:{shipped}" in page.content()
    page.goto(f"{live_server.url}/labellers/")
    expect(page.get_by_role("region", name="When labellers were put into use")).to_contain_text(
        "Knows rain better"
    )
    looked_at(page, axe, "labellers-history")
