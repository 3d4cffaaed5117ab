"""Every figure of a real page says what it shows and what that is, in words and in numbers."""

import re
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.selectors.figures.figure import Figure, Numbers, about, axis, base_layout
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import TeamFactory, finish_evaluation, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_several_candidates import SEVERAL

# The families whose details the pages draw.
DRAWN = ("cb", "sbf", "aces", "fluency", "spider", "spice_plus_emb")


def figures_of(client: Client, address: str) -> tuple[list[Figure], str]:
    """The figures that a page draws, and the page."""
    response = client.get(address)
    assert response.status_code == 200
    contexts: Any = response.context
    found = [
        context["figure"]
        for template, context in zip(response.templates, contexts, strict=True)
        if template.name == "leaderboard/figures/_figure.html"
    ]
    return found, response.content.decode()


def faults(figure: Figure) -> list[str]:
    """List what a figure leaves unsaid."""
    found = []
    if len(figure.title.split()) < 2:
        found.append("no title that says what it shows")
    if len(figure.alt.split()) < 4:
        found.append("nothing said for those who cannot see it")
    found += [f"no title of its {name}" for name in ("xaxis", "yaxis") if unnamed(figure, name)]
    width = len(figure.numbers.headings)
    if width < 2 or not all(figure.numbers.headings):
        found.append("no headings in its table")
    if not figure.numbers.rows or any(len(row) != width for row in figure.numbers.rows):
        found.append("no table of its numbers")
    if not figure.about:
        found.append("no link to the definition of what it shows")
    return found


def unnamed(figure: Figure, name: str) -> bool:
    """Whether an axis of numbers has no title; the names of systems or metrics need none."""
    own = figure.layout.get(name, {})
    says_itself = own.get("type") == "category" or "ticktext" in own
    return not says_itself and not own.get("title", {}).get("text", "").strip()


def figure_without(**left_out: Any) -> Figure:
    whole: dict[str, Any] = {
        "name": "name",
        "title": "Words of a caption",
        "alt": "Bars of shares; the table says the same.",
        "data": [],
        "layout": base_layout(300, xaxis=axis("Words"), yaxis=axis("Share of captions")),
        "numbers": Numbers(("Words", "Share"), (("1", "2"),)),
        "about": about("vocab"),
    }
    return Figure(**(whole | left_out))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "one for every epoch. There is none yet."),
        ([[None, None]], "one for every epoch. There is none yet."),
        ([[0.5], [None, 0.25]], "one for every epoch. There is only one."),
        ([[0.5], [0.5, 0.25]], ""),
    ],
)
def test_one_point_is_no_line(lines: list[list[float | None]], said: str) -> None:
    figure = figure_without(data=[{"y": line} for line in lines], point="epoch")
    assert figure.missing.endswith(said)
    assert bool(figure.missing) is bool(said)
    html = render_to_string("leaderboard/figures/_figure.html", {"figure": figure})
    assert figure.missing in html
    assert ("plot__area" in html) is not bool(said)
    assert "<td" in html, "the numbers that there are stand in the table"


def guide_stands(client: Client, figure: Figure) -> bool:
    """Whether the document that a figure leads to has that heading."""
    page = client.get(figure.guide_url.partition("#")[0])
    anchor = figure.guide.partition("#")[2]
    return page.status_code == 200 and (not anchor or f'id="{anchor}"' in page.content.decode())


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Three systems, the first really scored where pages draw details, with made-up values else."""
    found = []
    for place in range(3):
        system = submit(cast.phase, TeamFactory.create(), name=f"System {place}", data=SEVERAL)
        generator = np.random.default_rng(place)
        for evaluation in system.evaluations.all():
            if place == 0 and evaluation.family in DRAWN:
                evaluation_attempt(evaluation_id=evaluation.pk)
            else:
                finish_evaluation(evaluation, value=0.8 - place / 5, generator=generator)
        found.append(system)
    return found


# An attempt's heartbeat has a connection of its own; a transaction around the test would clash.
@pytest.mark.django_db(transaction=True)
def test_every_figure_says_what_it_shows(cast: Cast, systems: list[Submission]) -> None:
    phase = [cast.phase.challenge.slug, cast.phase.slug]
    pages = {
        reverse("leaderboard:analysis", args=phase): {
            "ranks-by-metric",
            "rank-probabilities",
            "significance",
            "over-systems",
            "over-clips",
        },
        reverse("leaderboard:compare", args=phase): {"clips-of-both"},
        reverse("leaderboard:distributions", args=phase): {"spread-cider_d"},
        reverse("leaderboard:distributions", args=phase) + "?drawing=violin": {"spread-cider_d"},
        reverse("leaderboard:system", args=[systems[0].public_id]): {"clip-scores"},
        reverse("leaderboard:profile", args=[systems[0].public_id]): {
            "events-by-family",
            "events-per-caption",
            "descriptor-labels",
            "tuples-by-candidates",
            "best-by-candidates",
            "caption-lengths",
        },
    }
    for address, names in pages.items():
        figures, page = figures_of(cast.client(None), address)
        shown = re.findall(r'<figure class="plot[^"]*" id="([\w-]+)">', page)
        assert sorted(shown) == sorted(figure.name for figure in figures), "none without _figure"
        assert names <= set(shown)
        assert len(shown) == len(set(shown))
        assert page.count('data-controller="plot"') == len(shown)
        for figure in figures:
            assert faults(figure) == [], figure.name
            part = page[page.index(f'id="{figure.name}"') :].split("</figure>")[0]
            led_to = [reverse("leaderboard:metric", args=[info.name]) for info in figure.about]
            for link in led_to if len(led_to) < 5 else [reverse("leaderboard:metrics")]:
                assert f'href="{link}"' in part
            assert "What is" in part or "What are" in part
            assert f'popovertarget="{figure.name}-menu"' in part
            if figure.guide:
                assert guide_stands(cast.client(None), figure), figure.guide
                assert f'href="{figure.guide_url}"' in part
