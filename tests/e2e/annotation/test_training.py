"""From a file of labels to a labeller, in a real browser, with a real worker."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project, RunState, TrainingRun
from annotation.spans import tokenized
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.trained import easy_texts, make_training
from tests.e2e.conftest import LogIn, scripts_held_back
from tests.e2e.page_checks import figure_drawn, fits_width
from tests.factories import UserFactory
from tests.leaderboard.evaluations.worker_process import running_worker

Axe = Callable[[], list[str]]
TRAINED_WITHIN_MS = 300_000


@pytest.fixture
def manager(transactional_db: None) -> User:
    return UserFactory.create(username="manager")


@pytest.fixture
def project(manager: User) -> Project:
    return make_project(manager, texts=(), copies=1)


def labelled_file(folder: Path) -> Path:
    """Write 60 captions with labels, as Prodigy does."""
    path = folder / "labels.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for text in easy_texts(60):
            tokens = tokenized(text)
            spans = [
                {
                    "start": tokens[at]["start"],
                    "end": tokens[at]["end"],
                    "token_start": at,
                    "token_end": at,
                    "label": label,
                }
                for at, label in ((1, "WHO"), (2, "HOW"), (3, "WHERE"))
            ]
            row = {"text": text, "tokens": tokens, "spans": spans, "_session_id": "set-ann"}
            file.write(json.dumps(row) + "\n")
    return path


def looked_at(page: Page, axe: Axe, name: str) -> None:
    """Check a page light and dark, wide and narrow."""
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert axe() == []
            if folder := os.environ.get("EARMARK_SCREENSHOTS"):
                page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


def test_labels_from_a_file_become_a_labeller_while_one_watches(
    page: Page,
    live_server: LiveServer,
    project: Project,
    manager: User,
    log_in: LogIn,
    axe: Axe,
    tmp_path: Path,
) -> None:
    """Import, choose, start, watch loss and F1 come, read the report, open captions."""
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/captions/")
    page.get_by_label("File", exact=False).first.set_input_files(labelled_file(tmp_path))
    page.get_by_role("button", name="Add", exact=True).click()
    # Five labels alone do not tell of which inventory they are.
    page.get_by_label("Inventory of its labels").select_option(project.scheme.slug)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("60 captions and 60 annotations came in")).to_be_visible()
    page.get_by_role("link", name=project.name).click()
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_text("Nothing has been trained from these labels yet.")).to_be_visible()
    # The amount follows the choice without loading the page.
    expect(page.locator("#amount")).to_contain_text("60 captions")
    page.get_by_label("What is settled").check()
    expect(page.locator("#amount")).to_contain_text("A training needs at least 20")
    page.get_by_label("Accepted answers").check()
    expect(page.locator("#amount")).to_contain_text("60 captions with 300 words")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Epochs").fill("3")
    page.get_by_label("Learning rate").fill("0.005")
    page.get_by_label("Batch size").fill("8")
    page.get_by_label("Learning curve").check()
    looked_at(page, axe, "models")
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    expect(page.locator("#f1")).to_contain_text("A line needs at least two points")
    looked_at(page, axe, "waiting")
    with running_worker(tmp_path):
        page.locator("#loss").scroll_into_view_if_needed()
        points = page.locator("#loss .js-plotly-plot .scatterlayer .point")
        expect(points.first).to_be_attached(timeout=TRAINED_WITHIN_MS)
        if folder := os.environ.get("EARMARK_SCREENSHOTS"):
            page.screenshot(path=f"{folder}/running.png", full_page=True)
        show = page.get_by_role("link", name="Show the results")
        expect(show).to_be_visible(timeout=TRAINED_WITHIN_MS)
    assert axe() == []
    show.click()
    expect(page.get_by_role("heading", name="How well it labels")).to_be_visible()
    run = TrainingRun.objects.get()
    assert run.labeller is not None
    micro = run.report["inventories"]["aces-13"]["micro"]
    row = page.get_by_role("row").filter(has_text="Token F1, micro, without O")
    expect(row.first).to_contain_text(f"{micro:.3f}")
    for name in ("confusion", "curve", "loss", "f1"):
        figure_drawn(page, name)
    looked_at(page, axe, "report")
    expect(page.get_by_role("link", name="Open the labeller")).to_be_visible()
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("row").filter(has_text=run.name)).to_contain_text("done")


def test_a_choice_made_before_the_scripts_came_is_heard_all_the_same(
    page: Page, live_server: LiveServer, project: Project, manager: User, log_in: LogIn
) -> None:
    log_in(manager)
    choice = page.expect_response(lambda response: "source=gold" in response.url)
    with choice, scripts_held_back(page):
        page.goto(f"{live_server.url}/annotate/{project.slug}/models/", wait_until="commit")
        page.get_by_label("What is settled").check()


def test_a_cell_opens_the_captions_and_a_cancelled_training_says_what_can_be_done(
    page: Page, live_server: LiveServer, project: Project, manager: User, log_in: LogIn, axe: Axe
) -> None:
    errors = [
        {"words": ["a", "dog", "barks"], "given": ["O", "WHO", "HOW"], "found": ["O", "WHAT", "O"]}
    ]
    make_training(project, errors=errors)
    make_training(project, state=RunState.WAITING)
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/1/")
    page.get_by_role("link", name="1 word: Who by people, What by the labeller").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("People: Who. The labeller: What")
    expect(page.locator("mark")).to_have_text(["dog"])
    looked_at(page, axe, "captions")
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/2/")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("No labeller was registered.")).to_be_visible()
    looked_at(page, axe, "cancelled")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
