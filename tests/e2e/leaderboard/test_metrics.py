"""Trying the metrics, judgments of one's own, and the words of systems, in a browser."""

from functools import partial
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import FilePayload, Page, expect

from earmark.models.descriptors import find_labeller
from leaderboard.models import JudgmentSet
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.judgments import measuring
from leaderboard.services.playground import computing
from leaderboard.services.playground.computing import PlaygroundReport
from leaderboard.tasks import JUDGMENTS_TASKS
from leaderboard.views import metrics
from tests.e2e.conftest import LogIn, LooksRight
from tests.e2e.page_checks import figure_drawn, started
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, UserFactory, submit


def test_type_and_see_a_refusal_keeps_the_text_and_who_comes_second_waits_for_their_turn(
    page: Page, looks_right: LooksRight, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By two metrics that load no model."""
    computing._reports.clear()
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1", "rouge_l"))
    page.goto(reverse("leaderboard:metric", args=["rouge_l"]))
    page.get_by_role("link", name="Try it").click()
    page.wait_for_url("**/metrics/try/**")
    started(page)
    caption, references = page.get_by_label("Caption"), page.get_by_label("References")
    caption.fill("A door creaks and <b>a man</b> speaks")
    page.keyboard.press("Tab")
    expect(references).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("A door creaks open\nA man is talking")
    caption.press("Enter")
    values = page.get_by_role("region", name="Values")
    expect(values).to_contain_text("A door creaks and <b>a man</b> speaks")
    expect(values.get_by_role("link", name="BLEU-1", exact=True)).to_have_count(1)
    # The reader came for ROUGE-L, edits on where they were, and did not leave the page.
    expect(page.get_by_role("region", name="Why ROUGE-L has this value")).to_be_visible()
    expect(caption).to_be_focused()
    assert page.url.endswith("?metric=rouge_l")
    references.fill("A dog barks\n???")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 2: The caption has no words.")
    expect(references).to_have_attribute("aria-invalid", "true")
    expect(references).to_have_value("A dog barks\n???")
    looks_right()
    monkeypatch.setattr(computing, "WAIT_SECONDS", 0.01)
    references.fill("A dog barks")
    with computing._computing:
        page.get_by_role("button", name="Compute").click()
        expect(page.get_by_text("Yours is sent again")).to_be_visible()
    # Nobody has to ask again.
    expect(values).to_contain_text("BLEU-1")
    expect(references).not_to_have_attribute("aria-invalid", "true")
    looks_right()


TABLE = b"""clip,kind,caption_a,caption_b,votes,reference_1,reference_2
rain.wav,MM,rain falls on a roof,an owl,-1 -1,rain falls on a roof,it rains
rain.wav,HM,rain falls,a dog,1 1 -1,,
dog.wav,MM,cats sleep,music plays,1,a dog barks,a dog is barking
"""


def test_a_file_of_judgments_from_its_errors_to_the_wrong_pairs(
    page: Page, log_in: LogIn, looks_right: LooksRight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "benchmark_metrics", lambda **_: ("bleu_1", "rouge_l"))
    sent: list[Any] = []
    monkeypatch.setattr(JUDGMENTS_TASKS.task, "apply_async", lambda args, **_: sent.append(args))
    # What it computes has tests of its own, and takes long while models load.
    none_yet = partial(PlaygroundReport, families=())
    monkeypatch.setattr(metrics, "playground_compute", lambda texts, _: none_yet(texts))
    log_in(UserFactory.create())
    page.goto("/metrics/agreement/")
    page.get_by_role("link", name="Your judgments").first.click()
    for data, told in (
        (TABLE.replace(b",HM,", b",XX,"), "1 error in the file"),
        (TABLE, "Waiting."),
    ):
        file: FilePayload = {"name": "mine.csv", "mimeType": "text/csv", "buffer": data}
        page.get_by_label("File of judgments").set_input_files(file)
        page.get_by_role("button", name="Upload and measure").click()
        expect(page.get_by_text(told)).to_be_visible()
        looks_right()
    JUDGMENTS_TASKS.task(*sent[0])
    # The page looks by itself, and is read again with what came of it.
    expect(page.get_by_role("heading", name="Every kind of pair")).to_be_visible()
    looks_right()
    page.get_by_role("link", name="2 wrong pairs of ROUGE-L").click()
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("2 for, 0 against")
    looks_right()
    first.get_by_text("References of the preferred caption").click()
    expect(first.get_by_role("listitem").first).to_have_text("rain falls on a roof")
    first.get_by_role("button", name="Explain the preferred caption").click()
    expect(page.get_by_label("Caption")).to_have_value("an owl")
    page.goto("/metrics/agreement/own/")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("mine was deleted.")).to_be_visible()
    assert not JudgmentSet.objects.exists()


LONG = "A system with a rather long name that a legend has to cut somewhere"


def test_words_are_counted_and_compared_without_loading_by_hand_and_lead_to_their_clip(
    page: Page,
) -> None:
    """Labelled for real by ACES; the second system hears a cat where a door shuts."""
    phase = PhaseFactory.create(ranking_metric="aces")
    other = CANDIDATES.replace(b"a door slams", b"a cat meows loudly outside")
    systems = [
        submit(phase, TeamFactory.create(), name=name, data=data)
        for name, data in (("First", CANDIDATES), (LONG, other))
    ]
    for system in systems:
        evaluation_attempt(evaluation_id=system.evaluations.get(family="aces").pk)
    page.goto(reverse("leaderboard:system", args=[systems[0].public_id]))
    page.get_by_role("link", name="Profile", exact=True).click()
    page.get_by_role("link", name="Descriptors", exact=True).click()
    started(page)
    page.get_by_label("Another system").select_option(systems[1].public_id)
    table = page.get_by_role("region", name="Descriptors").get_by_role("table")
    expect(table.get_by_role("link", name=LONG)).to_be_visible()
    started(page)
    page.get_by_label("Count", exact=True).select_option("Spans")
    expect(table.get_by_role("columnheader", name="Spans").first).to_be_visible()
    started(page)
    page.get_by_label("Compared with").select_option(LONG)
    # What is compared with has no difference: three sets, two columns of differences.
    expect(table.get_by_role("columnheader", name="Diff.")).to_have_count(2)
    expect(page.get_by_label("Another system")).to_have_value(systems[1].public_id)
    page.get_by_role("navigation", name="Descriptors").get_by_role("link", name="WHO").last.click()
    expect(page.get_by_label("Count", exact=True)).to_have_value("spans")
    page.goto(reverse("leaderboard:words", args=[phase.challenge.slug, phase.slug]))
    figure_drawn(page, "descriptors")
    expect(page.get_by_text(find_labeller().identity).first).to_be_visible()
    texts = page.get_by_role("region", name="Most frequent words").get_by_role("table")
    texts.get_by_role("link", name="meows").click()
    expect(page.get_by_role("heading", name="a cat meows loudly outside")).to_be_visible()
