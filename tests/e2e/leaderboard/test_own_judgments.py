"""A person uploads judgments and reads which pairs a metric gets wrong, in a real browser."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import JudgmentSet
from leaderboard.services.judgments import measuring
from leaderboard.services.playground.computing import PlaygroundReport
from leaderboard.tasks import judgments_measure
from leaderboard.views import playground
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = b"""clip,kind,caption_a,caption_b,votes,reference_1,reference_2
rain.wav,MM,rain falls on a roof,an owl,-1 -1,rain falls on a roof,it rains
rain.wav,HM,rain falls,a dog,1 1 -1,,
dog.wav,MM,cats sleep,music plays,1,a dog barks,a dog is barking
"""


def fits_narrow(page: Page) -> None:
    """Look at the page on the narrowest phone, and go back to a wide window."""
    page.set_viewport_size({"width": 320, "height": 800})
    fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_file_of_judgments_from_its_errors_to_the_wrong_pairs(
    live_server: LiveServer,
    log_in: LogIn,
    page: Page,
    axe: Callable[[], list[str]],
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "benchmark_metrics", lambda **_: ("bleu_1", "rouge_l"))
    sent: list[Any] = []
    monkeypatch.setattr(judgments_measure, "apply_async", lambda args, **_: sent.append(args))
    # What it computes has tests of its own, and takes long while models load.
    none_yet = partial(PlaygroundReport, families=())
    monkeypatch.setattr(playground, "playground_compute", lambda texts, _: none_yet(texts))
    log_in(UserFactory.create())
    page.goto(f"{live_server.url}/metrics/agreement/")
    page.get_by_role("link", name="Your judgments").first.click()

    def upload(data: bytes) -> None:
        file: FilePayload = {"name": "mine.csv", "mimeType": "text/csv", "buffer": data}
        page.get_by_label("File of judgments").set_input_files(file)
        page.get_by_role("button", name="Upload and measure").click()

    upload(TABLE.replace(b",HM,", b",XX,"))
    expect(page.get_by_text("1 error in the file")).to_be_visible()
    expect(page.get_by_role("cell", name="This is no kind of pair")).to_be_visible()
    assert axe() == []
    complaints.clear()  # the answer was 422
    upload(TABLE)
    expect(page.get_by_text("Waiting.")).to_be_visible()
    judgments_measure(*sent[0])
    # The page looks by itself, and is read again with what came of it.
    expect(page.get_by_role("heading", name="Every kind of pair")).to_be_visible()
    assert axe() == []
    fits_narrow(page)
    page.get_by_role("link", name="2 wrong pairs of ROUGE-L").click()
    rows = page.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("2 for, 0 against")
    expect(rows.nth(2)).to_contain_text("tie")
    assert axe() == []
    fits_narrow(page)
    rows.nth(1).get_by_text("References of the preferred caption").click()
    expect(rows.nth(1).get_by_role("listitem").first).to_have_text("rain falls on a roof")
    rows.nth(1).get_by_role("button", name="Explain the preferred caption").click()
    expect(page.get_by_label("Caption")).to_have_value("an owl")
    page.goto(f"{live_server.url}/metrics/agreement/own/")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("mine was deleted.")).to_be_visible()
    assert not JudgmentSet.objects.exists()
