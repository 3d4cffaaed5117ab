"""Taking part, in real browsers: files and packages, two people in a team, what counts."""

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from playwright.sync_api import Locator, Page, expect

from earmark.captions import read_references
from leaderboard.models import Counting, Phase, Submission, TeamRole, User
from tests.e2e.conftest import LogIn, LooksRight, scripts_held_back
from tests.e2e.page_checks import started
from tests.earmark.packages.files import METADATA, PDF, archive
from tests.factories import (
    PASSWORD,
    ChallengeFactory,
    PhaseFactory,
    TeamFactory,
    UserFactory,
    finish,
    join,
    reference_set,
)
from tests.leaderboard.challenges.test_demo_data import DATA, FAULTS, MISSING_CLIP

CAREFUL = DATA / "systems" / "careful.csv"
FAULTY = DATA / "faulty.csv"
SUBMIT = "/c/sounds/open/submit/"
CHECKED = "No errors: 72 clips"

# A drop as the browser reports it; Playwright itself can only fill the file field.
DROP = """
async ([selector, name, bytes]) => {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes)], name, { type: "text/csv" }));
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector(selector).dispatchEvent(
      new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
  }
}
"""


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    cache.clear()
    references = read_references((DATA / "references.csv").read_bytes()).value
    assert references is not None
    return PhaseFactory.create(
        challenge=ChallengeFactory.create(slug="sounds", title="Sounds"),
        slug="open",
        name="Open",
        reference_set=reference_set(references),
        references_public=False,
        counting=Counting.CHOSEN,
        quota_per_day=2,
        systems_per_team=2,
    )


@pytest.fixture
def nora(log_in: LogIn, phase: Phase) -> User:
    """Who owns the team Sound Lab, and is logged in."""
    user: User = UserFactory.create(username="nora")
    join(TeamFactory.create(name="Sound Lab", slug="sound-lab"), user, TeamRole.OWNER)
    log_in(user)
    return user


@pytest.fixture
def form(page: Page, nora: User) -> Page:
    """The form of submitting, whose scripts listen."""
    page.goto(SUBMIT)
    expect(page.get_by_text("Or drop the file here")).to_be_visible()
    started(page)
    return page


def captions(page: Page) -> Locator:
    return page.get_by_label("Captions, or a package")


def drop(page: Page, path: Path) -> None:
    page.evaluate(DROP, [".file-drop", path.name, list(path.read_bytes())])


def send(page: Page) -> None:
    page.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()


def test_a_file_is_dropped_over_twenty_faults_to_the_system_page(
    form: Page, looks_right: LooksRight, tmp_path: Path
) -> None:
    """What is too large is not sent; a refusal loses neither the file nor what was found in it."""
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * 5_000_001)
    asked: list[str] = []
    form.on("request", lambda request: asked.append(request.url))
    captions(form).set_input_files(large)
    expect(form.get_by_text("large.csv is larger than the limit of 5 MB.")).to_be_visible()
    assert not [url for url in asked if url.endswith("/check/")]
    drop(form, FAULTY)
    rows = form.get_by_role("region", name="Errors in the file").locator("tbody tr")
    expect(rows.first).to_be_visible()
    warned = form.get_by_role("region", name="Warnings about the file").locator("tbody tr")
    texts = rows.all_inner_texts() + warned.all_inner_texts()
    lines = {int(found[1]) for text in texts if (found := re.match(r"(?:line )?(\d+)\b", text))}
    assert lines == set(FAULTS)
    assert any("whole file" in text and MISSING_CLIP in text for text in texts)
    looks_right()
    drop(form, CAREFUL)
    expect(form.get_by_text(CHECKED)).to_be_visible()
    expect(rows).to_have_count(0)
    # Nothing is sent without a name, since this file brings none.
    name = form.get_by_label("System name")
    send(form)
    expect(name).to_be_focused()
    name.fill("Care\u202eful")
    form.get_by_label("Description").fill("Kept text")
    send(form)
    expect(form.get_by_text("The name has an invisible character.")).to_be_visible()
    assert captions(form).evaluate("input => input.files[0].name") == "careful.csv"
    expect(form.get_by_text(CHECKED)).to_be_visible()
    expect(form.get_by_label("Description")).to_have_value("Kept text")
    name.fill("Careful")
    form.get_by_label("Encoder").fill("CNN14")
    assert not Submission.objects.exists()
    send(form)
    expect(form).to_have_url(re.compile(r"/s/\w+/$"))
    expect(form.get_by_text("Careful was submitted and is being scored.")).to_be_visible()
    submission = Submission.objects.get()
    assert bytes(submission.file.content) == CAREFUL.read_bytes(), "a dropped file is sent whole"
    assert submission.metadata["system"]["description"]["audio_modelling"] == "CNN14"


def test_a_file_chosen_before_the_scripts_came_is_checked_all_the_same(
    page: Page, nora: User
) -> None:
    with scripts_held_back(page):
        page.goto(SUBMIT, wait_until="commit")
        captions(page).set_input_files(CAREFUL)
    expect(page.get_by_text(CHECKED)).to_be_visible()


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_everything_works_without_javascript(page: Page, phase: Phase) -> None:
    page.goto(f"/accounts/signup/?next={SUBMIT}")
    page.get_by_label("User name").fill("nora")
    page.get_by_label("E-mail address").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.get_by_label("Team name").fill("Sound Lab")
    page.get_by_role("button", name="Make the team and go on").click()
    page.get_by_label("System name").fill("Careful")
    captions(page).set_input_files(FAULTY)
    send(page)
    expect(page.get_by_role("region", name="Errors in the file")).to_be_visible()
    expect(page.get_by_label("System name")).to_have_value("Careful")
    captions(page).set_input_files(CAREFUL)
    send(page)
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))


def test_two_people_share_a_team_and_decide_what_counts(
    page: Page, second: Page, nora: User, log_in: LogIn, looks_right: LooksRight
) -> None:
    log_in(UserFactory.create(username="amir"), second.context)
    page.goto("/teams/sound-lab/")
    page.get_by_label("User name").fill("amir")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("amir was invited, and finds it under Teams.")).to_be_visible()
    second.goto("/notices/")
    expect(second.get_by_role("link", name="Notices 1 not read")).to_be_visible()
    second.get_by_role("link", name="nora invites you to join the team Sound Lab.").click()
    second.get_by_role("button", name="Join Sound Lab", exact=True).click()
    expect(second.get_by_text("You are now a member of Sound Lab.")).to_be_visible()
    for person, name in ((page, "First"), (second, "Second")):
        person.goto(SUBMIT)
        person.get_by_label("System name").fill(name)
        captions(person).set_input_files(CAREFUL)
        send(person)
        expect(person).to_have_url(re.compile(r"/s/\w+/$"))
    # The page of a system loads itself again once scored and may overtake the next address.
    page.goto("about:blank")
    for submission in Submission.objects.all():
        finish(submission)
    page.goto("/notices/")
    page.get_by_role("link", name=re.compile("Second was scored: CIDEr-D")).click()
    page.get_by_role("link", name="Withdraw", exact=True).click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Second was withdrawn. You can take it back")).to_be_visible()
    looks_right()
    second.goto(f"/s/{Submission.objects.get(system_name='Second').public_id}/")
    second.get_by_role("link", name="Take it back").click()
    second.get_by_role("button", name="Take back").click()
    expect(second.get_by_text("Second is on the leaderboard again.")).to_be_visible()
    second.get_by_role("link", name="Sound Lab").first.click()
    second.get_by_role("link", name="First", exact=True).click()
    second.get_by_role("link", name="Choose it to count").click()
    second.get_by_role("button", name="Choose").click()
    expect(second.get_by_text("First now counts for your team.")).to_be_visible()
    page.goto("/teams/sound-lab/")
    expect(page.get_by_role("row", name=re.compile("First.*counts"))).to_be_visible()
    history = page.get_by_role("region", name="History")
    for sentence in ("amir chose First to count.", "nora withdrew Second.", "amir joined."):
        expect(history.get_by_text(sentence)).to_be_visible()


def team_package(folder: Path) -> Path:
    """Make a package of two systems and a report."""
    files: dict[str, bytes | str] = {"task6/report.pdf": PDF}
    for number, encoder in ((1, "CNN14"), (2, "BEATs")):
        label = f"Kim_SNU_task6_{number}"
        files[f"task6/{label}/{label}_output.csv"] = CAREFUL.read_bytes()
        files[f"task6/{label}/{label}.meta.yaml"] = (
            METADATA.replace("Kim_SNU_task6_1", label)
            .replace("Careful listener", f"Listener {number}")
            .replace("CNN14", encoder)
            .replace("98000000", "98M")
        )
    path = folder / "task6.zip"
    path.write_bytes(archive(files))
    return path


def test_a_system_of_a_package_is_chosen_its_metadata_fill_the_form_and_are_corrected(
    form: Page, looks_right: LooksRight, tmp_path: Path
) -> None:
    form.get_by_label("Decoder").fill("My own words")
    captions(form).set_input_files(team_package(tmp_path))
    expect(form.get_by_text("Which of the 2 systems")).to_be_visible()
    looks_right()
    form.get_by_label("Kim_SNU_task6_2").check()
    expect(form.get_by_text(CHECKED)).to_be_visible()
    expect(form.get_by_label("Kim_SNU_task6_2")).to_be_checked()
    for field, value in (
        ("System name", "Listener 2"),
        ("Encoder", "BEATs"),
        ("Parameters", "98000000"),
        ("Decoder", "My own words"),
    ):
        expect(form.get_by_label(field)).to_have_value(value)
    looks_right()
    form.get_by_label("Kim_SNU_task6_1").check()
    expect(form.get_by_label("System name")).to_have_value("Listener 1")
    send(form)
    expect(form.get_by_role("heading", level=1)).to_contain_text("Listener 1")
    stored = Submission.objects.get()
    assert stored.label == "Kim_SNU_task6_1"
    assert stored.metadata["system"]["description"]["word_modelling"] == "My own words"
    assert stored.report is not None
    form.get_by_role("link", name="About", exact=True).click()
    expect(form.get_by_role("link", name="Technical report")).to_be_visible()
    form.get_by_role("link", name="Edit the description").click()
    words = form.locator("#id_metadata")
    for text, told in (
        ("submission:\n  label: [broken\n", "cannot be read"),
        (METADATA, "The description was changed."),
    ):
        words.fill(text)
        form.get_by_role("button", name="Save the description").click()
        expect(form.get_by_text(told).first).to_be_visible()
    said = Submission.objects.get().metadata["system"]["description"]
    assert said["word_modelling"] == "transformer"
