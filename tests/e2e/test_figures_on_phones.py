"""Figures on phones: texts apart and whole, and no page to scroll sideways."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings

from annotation.agreement.measures import trend_of
from annotation.models import Gold, Project, RunState
from annotation.selectors.agreement import report as agreement
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.annotation.trained import make_training
from tests.e2e.conftest import Axe, LogIn
from tests.e2e.page_checks import figure_drawn, fits_width, table_opened
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, submit
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

OnPhones = Callable[..., None]


@pytest.fixture
def on_phones(page: Page, axe: Axe) -> OnPhones:
    """Look at a page narrow, light and dark: plots are drawn, and nothing is in the way."""

    def check(address: str, name: str, *plots: str) -> None:
        for scheme, width in (("light", WIDTHS[0]), ("dark", WIDTHS[1])):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(address)
            for plot in plots:
                figure_drawn(page, plot)
            page.evaluate("document.fonts.ready")
            if folder := os.environ.get("EARMARK_SCREENSHOTS"):
                page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
            assert page.evaluate(TEXTS_IN_EACH_OTHERS_WAY) == []
            fits_width(page)
            assert axe() == []

    return check


@pytest.fixture
def manager(transactional_db: None, log_in: LogIn) -> User:
    user: User = UserFactory.create(username="manager")
    log_in(user)
    return user


@pytest.fixture
def project(manager: User) -> Project:
    """Four captions with every label, some of them disputed."""
    words = " ".join(f"word{number}" for number in range(13))
    project = make_project(manager, texts=tuple(f"{words} {number}" for number in range(4)))
    names = project.scheme.names
    people = UserFactory.create_batch(2)
    for number, item in enumerate(project.items.all()):
        for user, shift in zip(people, (0, number % 2), strict=True):
            label(item, user, *[(at, at, names[(at + shift) % 12]) for at in range(12)])
    return project


def test_figures_of_a_phase(page: Page, on_phones: OnPhones) -> None:
    phase = PhaseFactory.create()
    for number, value in enumerate((0.3, 0.5, 0.5, 0.7)):
        finish(submit(phase, TeamFactory.create(name=f"Team {number}")), value=value, seed=number)
    for name, figures in (
        ("history", ["rank-history"]),
        ("distributions", ["spread-cider_d"]),
        ("board", ["scores"]),
        ("metric-pair", ["systems-by-both"]),
        ("analysis", ["significance", "ranks-by-metric", "over-clips"]),
    ):
        address = reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])
        on_phones(address, name, *figures)


def test_figures_of_agreement(
    page: Page, project: Project, on_phones: OnPhones, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/annotate/{project.slug}/agreement/"
    on_phones(address, "agreement", "confusion")
    few = page.locator("#trend")
    expect(few).to_contain_text("A line needs at least two points, one for every 50")
    expect(few.locator(".plot__area")).to_have_count(0)
    monkeypatch.setattr(agreement, "trend_of", partial(trend_of, step=2))
    # Another pair of words in the address: the page of before is kept.
    on_phones(f"{address}?one=1&other=2", "agreement-over-time", "confusion", "trend")


def test_agreement_with_gold_over_time(page: Page, manager: User, on_phones: OnPhones) -> None:
    project = make_project(manager, texts=tuple(f"a dog barks {n}" for n in range(60)), copies=1)
    for number, item in enumerate(project.items.all()):
        label(item, manager, *([(1, 1, "WHO")] if number > 25 else []))
        labels = ["O", "WHO", "O", "O"]
        Gold.objects.create(item=item, labels=labels, provenance=[], settled_at=timezone.now())
    for name in ("history", "quality"):
        on_phones(f"/annotate/{project.slug}/{name}/", f"gold-{name}", "as-gold")
        plot = page.get_by_role("figure").filter(has_text="Words labelled as settled")
        table_opened(plot)
        expect(plot.get_by_role("row", name="41 to 60")).to_contain_text("100%")


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


def test_figures_of_a_training_and_its_labeller(
    page: Page, project: Project, on_phones: OnPhones, settings: Settings, tmp_path: Path
) -> None:
    settings.LABELLERS_DIR = tmp_path / "labellers"
    report = whole_report([*project.scheme.names, "O"])
    make_training(project, report=report, told=epochs(20))
    run = make_training(project, state=RunState.WAITING, told=epochs(1))
    models = f"/annotate/{project.slug}/models"
    on_phones(f"{models}/1/", "training", "confusion", "curve", "loss", "f1")
    page.goto(f"{models}/2/")
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
    on_phones(f"{models}/2/", "training-live", "loss", "f1")
    on_phones(f"/labellers/{registered(scores=report).identity}/", "labeller", "confusion", "curve")
