"""Figures of agreement, trainings and labellers on phones: texts apart, and no page to scroll."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.agreement.measures import trend_of
from annotation.models import Gold, Project, RunState
from annotation.selectors.agreement import report as agreement
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.annotation.trained import make_training
from tests.e2e.conftest import Axe, LogIn
from tests.e2e.page_checks import figure_drawn, fits_width, table_opened
from tests.factories import UserFactory
from tests.labellers import registered

WIDTHS = (390, 320)
# Texts of all plots that cover one another, or are cut at the edge of their plot. Texts may be
# turned: their corners are compared along the sides of both (separating axes).
TEXTS_IN_EACH_OTHERS_WAY = """() => {
  const corners = (text) => {
    const { x, y, width, height } = text.getBBox();
    const matrix = text.getScreenCTM();
    // The box of a line is higher than its letters.
    const [top, bottom] = [y + height * 0.2, y + height * 0.85];
    return [[x, top], [x + width, top], [x + width, bottom], [x, bottom]]
      .map(([a, b]) => new DOMPoint(a, b).matrixTransform(matrix));
  };
  const side = (box, a, b) => [box[b].x - box[a].x, box[b].y - box[a].y];
  const sides = (box) => [side(box, 0, 1), side(box, 1, 2)];
  const span = (box, [x, y]) => {
    const along = box.map((point) => point.x * x + point.y * y);
    return [Math.min(...along), Math.max(...along)];
  };
  const apart = (a, b) => [...sides(a), ...sides(b)].some((line) => {
    const [[low, high], [from, to]] = [span(a, line), span(b, line)];
    return high <= from || to <= low;
  });
  return [...document.querySelectorAll(".js-plotly-plot")].flatMap((plot) => {
    const edge = plot.getBoundingClientRect();
    const query = ".xtick text, .ytick text, .g-xtitle text, .g-ytitle text, .legendtext";
    const texts = [...plot.querySelectorAll(query)]
      .filter((text) => text.textContent.trim() && text.getBBox().width)
      .map((text) => [text.textContent, corners(text)]);
    const cut = texts.filter(([, box]) => box.some(({ x, y }) =>
      x < edge.left - 1 || x > edge.right + 1 || y < edge.top - 1 || y > edge.bottom + 1));
    const crossed = texts.flatMap(([one, a], at) =>
      texts.slice(at + 1).filter(([, b]) => !apart(a, b)).map(([other]) => `${one} on ${other}`));
    const found = [...cut.map(([text]) => `${text} is cut`), ...crossed];
    return found.map((what) => `${plot.closest("figure").id}: ${what}`);
  });
}"""


@pytest.fixture
def manager(transactional_db: None) -> User:
    return UserFactory.create(username="manager")


@pytest.fixture
def own_labellers(settings: Settings, tmp_path: Path) -> None:
    """Keep labellers of a test to itself."""
    settings.LABELLERS_DIR = tmp_path / "labellers"


@pytest.fixture
def project(manager: User) -> Project:
    """Four captions with every label, some of them disputed."""
    words = " ".join(f"word{number}" for number in range(13))
    texts = tuple(f"{words} {number}" for number in range(4))
    project = make_project(manager, texts=texts)
    names = project.scheme.names
    people = UserFactory.create_batch(2)
    for number, item in enumerate(project.items.all()):
        for user, shift in zip(people, (0, number % 2), strict=True):
            spans = [(at, at, names[(at + shift) % 12]) for at in range(12)]
            label(item, user, *spans)
    return project


def on_phones(page: Page, axe: Axe, name: str, *plots: str) -> None:
    """Look at a page narrow, light and dark: plots are drawn, and nothing is in the way."""
    for scheme, width in (("light", WIDTHS[0]), ("dark", WIDTHS[1])):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.reload()
        for plot in plots:
            figure_drawn(page, plot)
        page.evaluate("document.fonts.ready")
        if folder := os.environ.get("EARMARK_SCREENSHOTS"):
            page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        assert page.evaluate(TEXTS_IN_EACH_OTHERS_WAY) == []
        fits_width(page)
        assert axe() == []


def test_figures_of_agreement(
    page: Page,
    live_server: LiveServer,
    project: Project,
    manager: User,
    log_in: LogIn,
    axe: Axe,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/agreement/")
    expect(page.locator("#trend")).to_contain_text(
        "A line needs at least two points, one for every 50"
    )
    expect(page.locator("#trend .plot__area")).to_have_count(0)
    on_phones(page, axe, "agreement", "confusion")
    monkeypatch.setattr(agreement, "trend_of", partial(trend_of, step=2))
    # Another pair of words in the address: the page of before is kept.
    page.goto(f"{live_server.url}/annotate/{project.slug}/agreement/?one=1&other=2")
    on_phones(page, axe, "agreement-over-time", "confusion", "trend")


def whole_report(labels: list[str]) -> dict[str, Any]:
    """What a training of 13 labels measures, with a learning curve."""
    count = len(labels)
    scores = {"micro": 0.6125, "weighted": 0.75, "accuracy": 0.9, "span": 0.5, "captions": 240}
    per_label = {"precision": 0.9, "recall": 0.8, "f1": 0.8471, "words": 1200}
    counts = [[1200 if a == b else (a * 7 + b) % 30 for b in range(count)] for a in range(count)]
    return {
        "data_hash": "d" * 64,
        "captions": {"learned": 960, "held_out": 240, "written": 960},
        "inventories": {
            "aces-13": {
                **scores,
                "labels": dict.fromkeys(labels[:-1], per_label),
                "confusion": {"labels": labels, "counts": counts},
                "errors": [],
            }
        },
        "folds": None,
        "curve": [
            {"captions": at, "micro": at / 2000, "weighted": at / 1500}
            for at in (240, 480, 720, 960)
        ],
        "seconds": 12.5,
        "comparison": {"identity": "tiny@12345678", "scores": scores, "seen": 0},
    }


def epochs(count: int) -> dict[str, Any]:
    """Notes of a training that has done ``count`` of 20 epochs."""
    one = {"stage": "Training", "epochs": 20, "ended": True}
    rows = [{**one, "epoch": at, "loss": 2 / at, "f1": 1 - 1 / at} for at in range(1, count + 1)]
    return {"stage": "Training", "epoch": count, "epochs": 20, "rows": rows}


def test_figures_of_a_training(
    page: Page, live_server: LiveServer, project: Project, manager: User, log_in: LogIn, axe: Axe
) -> None:
    labels = [*project.scheme.names, "O"]
    make_training(project, report=whole_report(labels), told=epochs(20))
    run = make_training(project, state=RunState.WAITING, told=epochs(1))
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/1/")
    on_phones(page, axe, "training", "confusion", "curve", "loss", "f1")
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/2/")
    for name in ("loss", "f1"):
        expect(page.locator(f"#{name}")).to_contain_text("one for every epoch. There is only one.")
        expect(page.locator(f"#{name} .plot__area")).to_be_hidden()
    run.told = epochs(2)
    run.save(update_fields=["told"])
    # Drawn with the second epoch, without loading the page.
    for name in ("loss", "f1"):
        page.locator(f"#{name}").scroll_into_view_if_needed()
        expect(page.locator(f"#{name} .js-plotly-plot .point").nth(1)).to_be_attached()
        expect(page.locator(f"#{name} .plot__missing")).to_be_hidden()
    on_phones(page, axe, "training-live", "loss", "f1")


@pytest.mark.usefixtures("own_labellers")
def test_figures_of_a_labeller(
    page: Page, live_server: LiveServer, project: Project, manager: User, log_in: LogIn, axe: Axe
) -> None:
    row = registered(scores=whole_report([*project.scheme.names, "O"]))
    log_in(manager)
    page.goto(f"{live_server.url}/labellers/{row.identity}/")
    on_phones(page, axe, "labeller", "confusion", "curve")


def test_agreement_with_gold_over_time(
    page: Page, live_server: LiveServer, manager: User, log_in: LogIn, axe: Axe
) -> None:
    texts = tuple(f"a dog barks {number}" for number in range(60))
    project = make_project(manager, texts=texts, copies=1)
    for number, item in enumerate(project.items.all()):
        label(item, manager, *([(1, 1, "WHO")] if number > 25 else []))
        labels = ["O", "WHO", "O", "O"]
        Gold.objects.create(item=item, labels=labels, provenance=[], settled_at=timezone.now())
    log_in(manager)
    for name in ("history", "quality"):
        page.goto(f"{live_server.url}/annotate/{project.slug}/{name}/")
        on_phones(page, axe, f"gold-{name}", "as-gold")
        plot = page.get_by_role("figure").filter(has_text="Words labelled as settled")
        table_opened(plot)
        expect(plot.get_by_role("row", name="41 to 60")).to_contain_text("100%")
