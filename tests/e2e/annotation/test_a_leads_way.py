"""The whole way of who leads a labelling project, in a real browser and with a real worker.

From an empty site to a labeller and an archive: every step is what a person does on the pages.
The steps build on each other, so that they are one test; each is a function of its own.
"""

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings as site
from django.contrib.auth.models import Permission
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.spans import tokenized
from leaderboard.models import User
from tests.annotation.trained import easy_texts
from tests.e2e.annotation.desk import press, saved, text
from tests.e2e.conftest import LooksRight
from tests.e2e.page_checks import figure_drawn, looked_at
from tests.factories import PhaseFactory, UserFactory
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.sounds import wav, zipped

PASSWORD = "carry-the-lantern-9"
NAME = "Town sounds"
# Captions of the file, and those that both people label.
CAPTIONS, LABELLED = 120, 100
# In one caption of ten the two people differ on the place.
DISPUTED = LABELLED // 10
# The project's own labels, with their keys; a caption has one of each of the first three.
LABELS = {"SOURCE": "w", "ACTION": "o", "PLACE": "e", "REMARK": "m"}
RIGHT = ["O", "SOURCE", "ACTION", "PLACE", "O"]
OTHERWISE = ["O", "SOURCE", "ACTION", "REMARK", "O"]
GUIDELINES = "## Places\n\nWhere the sound is heard, not where the listener stands."
# For one person each, with suggestions; both have words that the training met.
MORE = ("a dog sings upstairs 7001", "a woman whistles indoors 7002")
TRAINED_WITHIN_MS = 300_000
# How often a page without a counter of its own is looked at, twice a second.
RELOADS = 300


@dataclass(frozen=True)
class Way:
    """Where the site is, and a folder for files."""

    url: str
    folder: Path
    slug: str = "town-sounds"

    def page(self, path: str = "") -> str:
        return f"{self.url}/annotate/{self.slug}/{path}"


@pytest.fixture
def lead(transactional_db: None) -> User:
    """Somebody who organises a challenge and may choose the labeller of the site."""
    user = UserFactory.create(username="lead", password=PASSWORD)
    PhaseFactory.create().challenge.organisers.add(user)
    user.user_permissions.add(Permission.objects.get(codename="publish_labeller"))
    return user


def test_a_lead_goes_from_an_empty_site_to_a_labeller_and_an_archive(
    page: Page,
    live_server: LiveServer,
    lead: User,
    second: Page,
    new_context: Callable[[], BrowserContext],
    looks_right: LooksRight,
    tmp_path: Path,
) -> None:
    UserFactory.create(username="ann", password=PASSWORD)
    way = Way(live_server.url, tmp_path)
    ann, bob = second, new_context().new_page()
    log_in(page, f"{way.url}/annotate/", lead.username)
    a_project_is_made(page, way)
    labels_are_written(page, looks_right)
    guidelines_are_written(page, way)
    captions_come_in(page, way)
    recordings_come_in(page, way)
    a_qualification_is_set(page, way)
    link = people_are_invited(page, way)
    ann_joins(ann, link)
    bob_signs_up_and_joins(bob, link)
    for person in (ann, bob):
        somebody_qualifies(person, way)
    for person, differs in ((ann, False), (bob, True)):
        captions_are_labelled(person, way, differs=differs)
    conflicts_are_decided(page, way)
    gold_is_corrected(page, way)
    a_wrong_file_comes_in_and_goes(page, way, looks_right)
    with running_worker(tmp_path):
        a_labeller_is_trained(page, way)
        the_labeller_is_put_to_use(page, way)
        more_captions_come_in(page, way)
    captions_are_handed_over(page, way, to="ann")
    suggestions_are_taken(ann, way)
    labels_are_downloaded(page, way)
    bob.goto(way.page())
    expect(bob.get_by_role("option").first).to_be_visible()
    the_project_is_archived(page, way)
    nobody_can_answer_any_more(bob, way)


def log_in(page: Page, address: str, name: str) -> None:
    """Go to a page that asks who one is, and say so."""
    page.goto(address)
    page.get_by_label("User name or e-mail address").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(address)


def a_project_is_made(page: Page, way: Way) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Labelled by several, in %").fill("100")
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    expect(page).to_have_url(way.page("manage/"))


def labels_are_written(page: Page, looks_right: LooksRight) -> None:
    """Begin with none: nobody has used those of before, so that nothing is asked of them."""
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_label("Labels of").select_option("No labels: begin with none")
    page.get_by_role("button", name="Fill the form").click()
    expect(page.get_by_label("Name of the scheme")).to_have_value(NAME)
    for number, (name, key) in enumerate(LABELS.items(), start=1):
        page.get_by_role("button", name="Add a label").click()
        expect(page.locator(".scheme__label[open]")).to_have_count(number)
        row = page.locator(".scheme__label").last
        row.get_by_label("Title").fill(name.capitalize())
        row.get_by_label("Name in files").fill(name)
        row.get_by_label("Key").fill(key)
        row.get_by_label("Description").fill(f"What is the {name.lower()}.")
    looks_right()
    page.get_by_role("button", name="See what this changes").click()
    expect(page.get_by_text('"SOURCE" was added.')).to_be_visible()
    page.get_by_role("button", name="Make version 2").click()
    expect(page.get_by_text("Version 2 holds from now on.")).to_be_visible()
    expect(page.locator(".scheme__label")).to_have_count(len(LABELS))


def guidelines_are_written(page: Page, way: Way) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_label("Guidelines").fill(GUIDELINES)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Guidelines")).to_have_value(GUIDELINES)


def captions_come_in(page: Page, way: Way) -> None:
    table = way.folder / "captions.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file_name", "caption"])
        rows.writerows((f"{n}.wav", one) for n, one in enumerate(easy_texts(CAPTIONS)))
    page.get_by_role("link", name="Captions", exact=True).click()
    page.get_by_role("link", name="Add captions").click()
    page.get_by_label("File", exact=False).first.set_input_files(table)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(f"{CAPTIONS}, 0 of them with labels")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()


def recordings_come_in(page: Page, way: Way) -> None:
    files = {f"{n}.wav": wav(pitch=300 + n) for n in range(CAPTIONS)}
    archive = zipped(files, way.folder / "sounds.zip")
    page.goto(way.page("manage/"))
    page.get_by_role("link", name="Sounds", exact=True).click()
    page.get_by_role("main").locator("input[type=file]").set_input_files(archive)
    page.get_by_role("button", name="Add the recordings").click()
    expect(page.get_by_text(f"{CAPTIONS} recordings stored")).to_be_visible()
    expect(page.get_by_text(f"{CAPTIONS} of {CAPTIONS}", exact=True)).to_be_visible()


def labelled_line(caption: str, labels: list[str], **told: str) -> str:
    spans = [
        {"token_start": at, "token_end": at, "label": label}
        for at, label in enumerate(labels)
        if label != "O"
    ]
    return json.dumps({"text": caption, "tokens": tokenized(caption), "spans": spans, **told})


def a_qualification_is_set(page: Page, way: Way) -> None:
    file = way.folder / "known.jsonl"
    lines = (
        labelled_line(f"a {who} {how} nearby", RIGHT[:4], comment=f"Nearby is where it {how}.")
        for who, how in (("owl", "calls"), ("goat", "bleats"))
    )
    file.write_text("\n".join(lines) + "\n")
    page.get_by_role("link", name="Quality", exact=True).click()
    page.get_by_label("File of captions").set_input_files(file)
    page.get_by_role("button", name="Add from file").click()
    expect(page.get_by_text("2 captions added to the qualification.")).to_be_visible()
    page.get_by_label("New annotators qualify first").check()
    page.get_by_role("region", name="Qualification").get_by_role("button", name="Save").click()
    expect(page.get_by_text("The qualification was set.")).to_be_visible()


def people_are_invited(page: Page, way: Way) -> str:
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_label("People who may use it").fill("2")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("#invitation-link").inner_text()
    return link.replace(site.SITE_URL, way.url)


def ann_joins(page: Page, link: str) -> None:
    log_in(page, link, "ann")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text(f"You are in {NAME}.")).to_be_visible()


def bob_signs_up_and_joins(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill("bob")
    page.get_by_label("E-mail address").fill("bob@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page).to_have_url(link)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text(f"You are in {NAME}.")).to_be_visible()


def somebody_qualifies(page: Page, way: Way) -> None:
    """One word wrong of eight: told so, and passed."""
    page.get_by_role("main").get_by_role("link", name="Label", exact=True).click()
    expect(page.get_by_role("heading", name="Caption 1 of 2, try 1")).to_be_visible()
    looked_at(page, "qualification")
    for word, label in (("owl", "SOURCE"), ("calls", "ACTION"), ("nearby", "REMARK")):
        page.get_by_label(word, exact=True).select_option(label)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="3 of 4 words as expected")).to_be_visible()
    expect(page.get_by_text("Why: Nearby is where it calls.")).to_be_visible()
    looked_at(page, "feedback")
    for word, label in (("goat", "SOURCE"), ("bleats", "ACTION"), ("nearby", "PLACE")):
        page.get_by_label(word, exact=True).select_option(label)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("87 % of the words were as expected in try 1.")).to_be_visible()


def labels_of(number: int, *, differs: bool) -> list[str]:
    """What somebody says of a caption: of one in ten the two people differ."""
    return OTHERWISE if differs and number % 10 == 0 else RIGHT


def captions_are_labelled(page: Page, way: Way, *, differs: bool) -> None:
    """By keyboard alone, as fast as the page shows the next caption."""
    page.get_by_role("main").get_by_role("link", name="Label", exact=True).click()
    for number, caption in enumerate(easy_texts(LABELLED)):
        expect(page.get_by_role("option").last).to_have_text(str(number))
        assert text(page) == caption
        press(page, *(LABELS[label] for label in labels_of(number, differs=differs)[1:4]))
        if number == 0:
            expect(page.locator(".word.is-labelled")).to_have_count(3)
            looked_at(page, "labelling")
        press(page, "a")
    saved(page)
    page.goto(f"{way.url}/annotate/")
    expect(page.get_by_role("row", name=NAME)).to_contain_text(f"{CAPTIONS - LABELLED}")


def conflicts_are_decided(page: Page, way: Way) -> None:
    page.goto(way.page("manage/"))
    page.get_by_role("link", name=f"{DISPUTED} captions in dispute").click()
    page.get_by_role("button", name="Start").click()
    for left in range(DISPUTED, 0, -1):
        expect(page.get_by_text(f"{left} to decide,")).to_be_visible()
        expect(page.get_by_role("radio").first).to_be_focused()
        if left == DISPUTED:
            looked_at(page, "decide")
        press(page, LABELS["PLACE"], "Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    expect(page.get_by_text(f"{LABELLED} of {LABELLED}", exact=True)).to_be_visible()


def gold_is_corrected(page: Page, way: Way) -> None:
    """Two words on which both agreed."""
    page.get_by_role("link", name="Look again at caption 2", exact=True).click()
    words = page.locator("fieldset")
    expect(words).to_have_count(5)
    # Keys work once their script runs, which then gives the first question the focus.
    expect(words.first.get_by_role("radio").first).to_be_focused()
    words.nth(0).get_by_role("radio").first.focus()
    press(page, LABELS["REMARK"])
    words.nth(4).get_by_role("radio").first.focus()
    press(page, LABELS["REMARK"])
    page.get_by_label("Note: reason for this decision").fill("Article and number are remarks here.")
    looked_at(page, "correct")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Caption 2 is settled so.")).to_be_visible()
    history = page.get_by_role("region", name="History").get_by_role("listitem")
    expect(history.filter(has_text="Settled again by lead")).to_contain_text("Article and number")


def a_wrong_file_comes_in_and_goes(page: Page, way: Way, looks_right: LooksRight) -> None:
    """Labels of elsewhere: counted, mapped, imported, and taken back as a whole."""
    file = way.folder / "elsewhere.jsonl"
    lines = (
        labelled_line(f"a {who} hums", ["O", "ANIMAL", "ACTION"], _session_id="elsewhere-carl")
        for who in ("bee", "fly", "wasp")
    )
    file.write_text("\n".join(lines) + "\n")
    page.goto(way.page("manage/files/"))
    page.get_by_role("link", name="Import a file").click()
    page.get_by_label("File", exact=False).first.set_input_files(file)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text(
        f"1 label of the file is not in {NAME}: ANIMAL (3)."
    )
    expect(page.get_by_role("row", name="elsewhere-carl")).to_contain_text("3")
    looks_right()
    page.get_by_label("What ANIMAL becomes").select_option("SOURCE")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()
    page.get_by_role("link", name="Take back").click()
    expect(page.get_by_text("3 captions that the file added are deleted")).to_be_visible()
    looks_right()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("3 captions and 3 annotations are gone.")).to_be_visible()
    page.get_by_role("link", name="Import and export").click()
    expect(page.get_by_role("row", name="elsewhere.jsonl")).to_contain_text("Taken back")


def a_labeller_is_trained(page: Page, way: Way) -> None:
    page.goto(way.page("manage/"))
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_label("What is settled").check()
    expect(page.locator("#amount")).to_contain_text(f"{LABELLED} captions with 500 words")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Epochs").fill("4")
    page.get_by_label("Learning rate").fill("0.005")
    page.get_by_label("Batch size").fill("8")
    page.get_by_role("button", name="Start training").click()
    show = page.get_by_role("link", name="Show the results")
    expect(show).to_be_visible(timeout=TRAINED_WITHIN_MS)
    show.click()
    expect(page.get_by_role("heading", name="How well it labels")).to_be_visible()
    for figure in ("confusion", "loss", "f1"):
        figure_drawn(page, figure)
    looked_at(page, "trained")


def the_labeller_is_put_to_use(page: Page, way: Way) -> None:
    page.get_by_role("link", name="Open the labeller").click()
    expect(page.get_by_role("heading", name="Measured")).to_be_visible()
    page.get_by_role("link", name="Put into use").click()
    looked_at(page, "put-to-use")
    page.get_by_label("Reason").fill("Learned from the gold of our town.")
    page.get_by_role("button", name="Put into use").click()
    in_use = page.get_by_text("In use:").get_by_role("link", name=f"{way.slug}-1@")
    in_use.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{way.slug}-1 in use")
    looked_at(page, "in-use")


def more_captions_come_in(page: Page, way: Way) -> None:
    """Captions for one person each, which the labeller labels before anybody."""
    page.goto(way.page("manage/settings/"))
    page.get_by_label("Labelled by several, in %").fill("0")
    page.get_by_label("Suggest labels").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The settings were saved.")).to_be_visible()
    more = way.folder / "more.txt"
    more.write_text("".join(f"{caption}\n" for caption in MORE))
    page.goto(way.page("manage/captions/"))
    page.get_by_label("File", exact=False).first.set_input_files(more)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()
    page.goto(way.page("manage/"))
    suggested = page.get_by_text(f"for {len(MORE)} of {len(MORE)} open captions")
    for _ in range(RELOADS):
        if suggested.is_visible():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(suggested).to_be_visible()
    looked_at(page, "suggested")


def captions_are_handed_over(page: Page, way: Way, to: str) -> None:
    page.get_by_role("link", name="Captions", exact=True).click()
    page.get_by_label("Text or number").fill("700")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text(f"{len(MORE)} captions match")).to_be_visible()
    for box in page.get_by_role("checkbox", name="Tick caption").all():
        box.check()
    page.get_by_role("button", name="Hand to somebody").click()
    page.get_by_label("To whom").select_option(to)
    page.get_by_role("button", name="Continue").click()
    looked_at(page, "hand-over")
    page.get_by_role("button", name="Hand over").click()
    expect(page.get_by_role("table")).to_contain_text(f"with {to}")


def suggestions_are_taken(page: Page, way: Way) -> None:
    """After the captions that she had in hand already come those that were handed to her."""
    page.goto(way.page())
    number = page.get_by_role("option").last
    expect(number).to_be_visible()
    for _ in range(CAPTIONS - LABELLED):
        if (caption := text(page)) in MORE:
            break
        press(page, *(LABELS[label] for label in RIGHT[1:4]), "a")
        expect(number).not_to_have_text(caption.split()[-1])
    for caption in MORE:
        expect(number).to_have_text(caption.split()[-1])
        expect(page.locator(".word.is-suggested")).to_have_count(3)
        looked_at(page, "suggestion")
        press(page, "l")
        expect(page.locator(".word.is-labelled")).to_have_count(3)
        press(page, "a")
    saved(page)


def labels_are_downloaded(page: Page, way: Way) -> None:
    page.goto(way.page("manage/files/"))
    page.get_by_label("Whose").select_option("gold")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download", exact=True).click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert len(lines) == LABELLED
    labels = [[span["label"] for span in json.loads(line)["spans"]] for line in lines]
    assert labels.count(["SOURCE", "ACTION", "PLACE"]) == LABELLED - 1
    assert labels.count(["REMARK", "SOURCE", "ACTION", "PLACE", "REMARK"]) == 1


def the_project_is_archived(page: Page, way: Way) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Archive", exact=True).click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("Archived", exact=True).first).to_be_visible()


def nobody_can_answer_any_more(page: Page, way: Way) -> None:
    """Not on a page that was open before, and not on a new one."""
    press(page, *LABELS.values(), "a")
    notice = page.get_by_role("region", name="This project is closed")
    expect(notice).to_contain_text("1 answer of yours is kept on the server and not counted.")
    looked_at(page, "closed-under-hand")
    page.goto(f"{way.url}/annotate/")
    expect(page.get_by_text("All your projects are archived.")).to_be_visible()
    page.get_by_role("link", name="Archived projects").click()
    row = page.get_by_role("row", name=NAME)
    expect(row).to_contain_text("Archived")
    page.goto(way.page())
    expect(notice).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(0)
    looked_at(page, "label-archived")
