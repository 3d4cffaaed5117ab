"""Findings in captions in a real browser: a data set from a file, decided by keys alone."""

import pytest
from playwright.sync_api import FilePayload, Page, expect

from annotation.models import CaptionFinding, DataSetCaption, Verdict
from annotation.services.data_sets.decisions import caption_edit
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import text_stamp
from tests.annotation.conftest import NOW
from tests.e2e.annotation.desk import press
from tests.e2e.conftest import LogIn, LooksRight
from tests.factories import UserFactory

FILE = """file_name,caption_1,caption_2
rain.wav,Continous rain falls on a zorkel roof in town,heavy rain patters on a roof while birds sing
dog.wav,A dogg barks twice in the far distance outside,a dog is barking near a busy road with cars
door.wav,A door slams loudly and somebody wakls away,footsteps fade after a heavy wooden door shuts
"""


@pytest.fixture
def queue(page: Page, log_in: LogIn) -> Page:
    """The spelling findings of a data set that was made of a file and checked."""
    log_in(UserFactory.create(username="maker", is_staff=True))
    page.goto("/annotate/data-sets/new/")
    page.get_by_label("Name").fill("Town sounds")
    file = FilePayload(name="town.csv", mimeType="text/csv", buffer=FILE.encode())
    page.get_by_label("File with captions").set_input_files(files=[file])
    page.get_by_role("button", name="Make the data set").click()
    expect(page.get_by_text("6 captions and 3 clips added")).to_be_visible()
    page.get_by_role("link", name="Check the captions").click()
    page.get_by_role("button", name="Check the captions").click()
    expect(page.get_by_text("6 captions checked")).to_be_visible()
    page.get_by_role("link", name="Spelling").click()
    return page


def caption(name: str, number: int = 1) -> DataSetCaption:
    return DataSetCaption.objects.get(clip__file_name=name, number=number)


def row(page: Page, text: str) -> str:
    found = CaptionFinding.objects.get(text=text, kind="spelling")
    return f"#finding-{found.pk}"


def test_findings_are_decided_by_keys_alone(queue: Page, looks_right: LooksRight) -> None:
    page = queue
    looks_right()
    first = page.locator(row(page, "Continous"))
    expect(first).to_be_focused()
    press(page, "1")
    second = page.locator(row(page, "zorkel"))
    expect(second).to_be_focused()
    expect(first).to_contain_text("Suggestion taken")
    assert caption("rain.wav").text == "Continuous rain falls on a zorkel roof in town"
    # The others of the caption follow.
    expect(second).to_contain_text("Continuous rain falls")
    press(page, "d")
    third = page.locator(row(page, "dogg"))
    expect(third).to_be_focused()
    expect(second).to_contain_text("Dismissed by maker")
    press(page, "u")
    expect(page.get_by_text("Taken back: dismissed the finding (rain.wav")).to_be_visible()
    expect(second).to_be_focused()
    expect(second.get_by_role("button", name="Dismiss", exact=False).first).to_be_visible()
    press(page, "d")
    expect(third).to_be_focused()
    press(page, "e")
    expect(third.get_by_role("textbox")).to_be_focused()
    press(page, "ControlOrMeta+A")
    page.keyboard.type("A hound barks twice in the far distance outside")
    press(page, "Control+Enter")
    last = page.locator(row(page, "wakls"))
    expect(last).to_be_focused()
    assert caption("dog.wav").text.startswith("A hound")
    press(page, "k")
    expect(third).to_be_focused()
    press(page, "j")
    press(page, "1")
    expect(page.get_by_role("link", name="Continue")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("No finding matches")).to_be_visible()
    states = CaptionFinding.objects.filter(kind="spelling").values_list("verdict", flat=True)
    assert Verdict.OPEN not in set(states)


def test_u_takes_back_what_was_done_last_and_says_what(queue: Page) -> None:
    """Not the decision of the finding at hand; an edit that leaves its finding open is one, too."""
    page = queue
    accepted, edited = page.locator(row(page, "Continous")), page.locator(row(page, "zorkel"))
    expect(accepted).to_be_focused()
    press(page, "1")
    expect(edited).to_be_focused()
    press(page, "e", "ControlOrMeta+A")
    page.keyboard.type("Continuous rain falls on a zorkel roof in some town")
    press(page, "Control+Enter")
    expect(edited.locator(".finding__caption")).to_contain_text("some town")
    expect(edited).to_be_focused()
    press(page, "k")
    expect(accepted).to_be_focused()
    press(page, "u")
    taken_back = page.get_by_text("Taken back: edited the caption (rain.wav, caption 1).")
    expect(taken_back).to_be_visible()
    assert caption("rain.wav").text == "Continuous rain falls on a zorkel roof in town"
    expect(edited).to_be_focused()
    press(page, "u")
    expect(page.get_by_text("Taken back: took a suggestion (rain.wav, caption 1).")).to_be_visible()
    assert caption("rain.wav").text.startswith("Continous rain falls on a zorkel")
    expect(accepted).to_be_focused()


def test_what_is_written_survives_that_somebody_else_changed_the_caption(queue: Page) -> None:
    page = queue
    one = page.locator(row(page, "Continous"))
    expect(one).to_be_focused()
    press(page, "e", "ControlOrMeta+A")
    page.keyboard.type("My own words about this rain in town")
    found = caption("rain.wav")
    other = UserFactory.create(username="other")
    caption_edit(
        caption=found,
        text="Continous rain by another",
        seen=text_stamp(found.text),
        act=DataSetAct(other, NOW),
    )
    press(page, "Control+Enter")
    expect(one.get_by_role("alert")).to_contain_text("Continous rain by another")
    expect(one.get_by_role("textbox")).to_have_value("My own words about this rain in town")
    expect(one.get_by_role("textbox")).to_be_focused()
    assert caption("rain.wav").text == "Continous rain by another"
    press(page, "Control+Enter")
    expect(one).to_contain_text("Edited")
    assert caption("rain.wav").text == "My own words about this rain in town"
