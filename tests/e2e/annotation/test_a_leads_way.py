"""The whole way of who leads a labelling project, in a real browser and with a real worker.

From an empty site to a labeller and an archive: every step is what a person does on the pages.
The steps build on each other, so that they are one test; each is a function of its own. What two
people would do a hundred times is done by hand ten times.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as site
from django.contrib.auth.models import Permission
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project, Suggestion
from leaderboard.models import User
from tests.annotation.labelled import label
from tests.annotation.trained import easy_texts
from tests.e2e.annotation.desk import press, saved, text
from tests.e2e.conftest import WORKED_WITHIN_MS, LogIn, LooksRight
from tests.e2e.page_checks import figure_drawn
from tests.factories import PASSWORD, PhaseFactory, UserFactory
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.waiting import wait_until

NAME = "Town sounds"
PROJECT = "/annotate/town-sounds/"
# Captions of the file, and those that both people label by hand; of the first they differ.
CAPTIONS, BY_HAND = 100, 10
# The project's own labels, with their keys; a caption has one of each of the first three.
LABELS = {"SOURCE": "w", "ACTION": "o", "PLACE": "e", "REMARK": "m"}
RIGHT = ["SOURCE", "ACTION", "PLACE"]
# For one person each, with suggestions; they have words that the training met.
MORE = ("a dog sings upstairs 7001", "a woman whistles indoors 7002", "a cat cries outside 8001")


@pytest.fixture
def lead(transactional_db: None, log_in: LogIn) -> User:
    """Somebody who organises a challenge and may choose the labeller of the site."""
    user = UserFactory.create(username="lead")
    PhaseFactory.create().challenge.organisers.add(user)
    user.user_permissions.add(Permission.objects.get(codename="publish_labeller"))
    log_in(user)
    return user


@pytest.mark.usefixtures("lead")
def test_a_lead_goes_from_an_empty_site_to_a_labeller_and_an_archive(
    page: Page,
    second: Page,
    live_server: LiveServer,
    log_in: LogIn,
    new_context: Callable[[], BrowserContext],
    looks_right: LooksRight,
    tmp_path: Path,
) -> None:
    ann, bob = second, new_context().new_page()
    log_in(UserFactory.create(username="ann"), ann.context)
    a_project_is_made(page)
    labels_are_written(page, looks_right)
    captions_come_in(page, tmp_path / "captions.csv")
    link = people_are_invited(page).replace(site.SITE_URL, live_server.url)
    ann.goto(link)
    bob_signs_up(bob, link)
    for person, place in ((ann, "PLACE"), (bob, "REMARK")):
        person.get_by_role("button", name="Join").click()
        expect(person.get_by_text(f"You are in {NAME}.")).to_be_visible()
        captions_are_labelled(person, place)
    the_rest_is_labelled()
    conflicts_are_decided(page)
    with running_worker(tmp_path):
        a_labeller_is_trained(page)
        the_labeller_is_put_to_use(page)
        more_captions_come_in(page, tmp_path / "more.txt")
    captions_are_handed_over(page, to="ann")
    # The last of the new captions goes to bob, who leaves his page open.
    bob.goto(PROJECT)
    expect(bob.get_by_role("option").first).to_be_visible()
    suggestions_are_taken(ann)
    labels_are_downloaded(page)
    the_project_is_archived(page)
    nobody_can_answer_any_more(bob)


def a_project_is_made(page: Page) -> None:
    page.goto("/annotate/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Labelled by several, in %").fill("100")
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    expect(page).to_have_url(f"{PROJECT}manage/")


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
    expect(page.get_by_text("Version 2 is in use from now on.")).to_be_visible()
    expect(page.locator(".scheme__label")).to_have_count(len(LABELS))


def import_file(page: Page, file: Path, count: int) -> None:
    page.goto(f"{PROJECT}manage/captions/")
    page.get_by_label("File", exact=False).first.set_input_files(file)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(f"{count}, 0 of them with labels")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()


def captions_come_in(page: Page, table: Path) -> None:
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file_name", "caption"])
        rows.writerows((f"{n}.wav", one) for n, one in enumerate(easy_texts(CAPTIONS)))
    import_file(page, table, CAPTIONS)


def people_are_invited(page: Page) -> str:
    page.goto(f"{PROJECT}manage/")
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_label("People who may use it").fill("2")
    page.get_by_role("button", name="Make a link").click()
    return page.locator("#invitation-link").inner_text()


def bob_signs_up(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill("bob")
    page.get_by_label("E-mail address").fill("bob@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page).to_have_url(link)


def captions_are_labelled(page: Page, place: str) -> None:
    """By keyboard alone, as fast as the page shows the next caption."""
    page.get_by_role("main").get_by_role("link", name="Label", exact=True).click()
    for number, caption in enumerate(easy_texts(BY_HAND)):
        expect(page.get_by_role("option").last).to_have_text(str(number))
        assert text(page) == caption
        names = RIGHT if number else [*RIGHT[:2], place]
        press(page, *(LABELS[name] for name in names), "a")
    saved(page)


def the_rest_is_labelled() -> None:
    spans = [(at, at, name) for at, name in enumerate(RIGHT, start=1)]
    for item in Project.objects.get().items.order_by("position")[BY_HAND:]:
        for name in ("ann", "bob"):
            label(item, User.objects.get(username=name), *spans)


def conflicts_are_decided(page: Page) -> None:
    page.goto(f"{PROJECT}manage/")
    page.get_by_role("link", name="1 caption in dispute").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("1 to decide,")).to_be_visible()
    expect(page.get_by_role("radio").first).to_be_focused()
    press(page, LABELS["PLACE"], "Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    expect(page.get_by_text(f"{CAPTIONS} of {CAPTIONS}", exact=True)).to_be_visible()


def a_labeller_is_trained(page: Page) -> None:
    page.goto(f"{PROJECT}manage/")
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_label("What is settled").check()
    expect(page.locator("#amount")).to_contain_text(f"{CAPTIONS} captions with 500 words")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Epochs").fill("4")
    page.get_by_label("Learning rate").fill("0.005")
    page.get_by_label("Batch size").fill("8")
    page.get_by_role("button", name="Start training").click()
    page.get_by_role("link", name="Show the results").click(timeout=WORKED_WITHIN_MS)
    expect(page.get_by_role("heading", name="How well it labels")).to_be_visible()
    for figure in ("confusion", "loss", "f1"):
        figure_drawn(page, figure)


def the_labeller_is_put_to_use(page: Page) -> None:
    page.get_by_role("link", name="Open the labeller").click()
    expect(page.get_by_role("heading", name="Measured")).to_be_visible()
    page.get_by_role("link", name="Put into use").click()
    page.get_by_label("Reason").fill("Learned from the gold of our town.")
    page.get_by_role("button", name="Put into use").click()
    page.get_by_text("In use:").get_by_role("link", name="town-sounds-1@").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("town-sounds-1 in use")


def more_captions_come_in(page: Page, file: Path) -> None:
    """Captions for one person each, which the labeller labels before anybody."""
    page.goto(f"{PROJECT}manage/settings/")
    page.get_by_label("Labelled by several, in %").fill("0")
    page.get_by_label("Suggest labels").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The settings were saved.")).to_be_visible()
    file.write_text("".join(f"{caption}\n" for caption in MORE))
    import_file(page, file, len(MORE))
    wait_until(lambda: Suggestion.objects.count() == len(MORE))
    page.goto(f"{PROJECT}manage/")
    expect(page.get_by_text(f"for {len(MORE)} of {len(MORE)} open captions")).to_be_visible()


def captions_are_handed_over(page: Page, to: str) -> None:
    page.get_by_role("link", name="Items", exact=True).click()
    page.get_by_label("Text or number").fill("700")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("2 captions match")).to_be_visible()
    for box in page.get_by_role("checkbox", name="Tick caption").all():
        box.check()
    page.get_by_role("button", name="Hand to somebody").click()
    page.get_by_label("To whom").select_option(to)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Hand over").click()
    expect(page.get_by_role("table")).to_contain_text(f"with {to}")


def suggestions_are_taken(page: Page) -> None:
    page.goto(PROJECT)
    for caption in MORE[:2]:
        expect(page.get_by_role("option").last).to_have_text(caption.split()[-1])
        expect(page.locator(".word.is-suggested")).to_have_count(3)
        press(page, "l")
        expect(page.locator(".word.is-labelled")).to_have_count(3)
        press(page, "a")
    saved(page)


def labels_are_downloaded(page: Page) -> None:
    page.goto(f"{PROJECT}manage/files/")
    page.get_by_label("Whose").select_option("gold")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download", exact=True).click()
    lines = Path(started.value.path()).read_text().splitlines()
    labels = [[span["label"] for span in json.loads(line)["spans"]] for line in lines]
    assert labels == [RIGHT] * CAPTIONS


def the_project_is_archived(page: Page) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Archive", exact=True).click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("Archived", exact=True).first).to_be_visible()


def nobody_can_answer_any_more(page: Page) -> None:
    """Not on a page that was open before, and not on a new one."""
    press(page, *LABELS.values(), "a")
    notice = page.get_by_role("region", name="This project is closed")
    expect(notice).to_contain_text("1 answer of yours is kept on the server and not counted.")
    page.goto("/annotate/")
    expect(page.get_by_text("All your projects are archived.")).to_be_visible()
    page.goto(PROJECT)
    expect(notice).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(0)
