"""The whole way from recordings to a challenge, in real browsers and with real workers.

Ten sounds become captions by people, a data set, the references of a phase, judged pairs of the
systems that were handed in, and a page that tells everyone how far metrics agree with judges. The
steps build on each other, so that they are one test; each is a function of its own.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from annotation.kinds.judge import order_for
from annotation.models import DataSetClip, Item
from leaderboard.models import Evaluation
from tests.e2e.annotation.desk import press, saved
from tests.e2e.annotation.recordings.people import (
    COUNT,
    EDITOR,
    JUDGES,
    RATER,
    TEAMS,
    WRITERS,
    MadeSounds,
    Person,
    in_hand,
    judged,
)
from tests.e2e.annotation.write.hands import hear, title
from tests.e2e.conftest import WORKED_WITHIN_MS, LogIn, listened_to
from tests.factories import TeamFactory, UserFactory, join
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.waiting import wait_until

# Captions of a sound, and clips of the part that is published.
KEPT, EVALUATED = len(WRITERS), 4
CHALLENGE = "sounds-of-the-town"
PHASE = f"/c/{CHALLENGE}/evaluation/"
PAIRS = 16
# Metrics that load no model.
FAST = ("bleu", "rouge_l", "cider_d", "vocab")


@dataclass
class Way:
    """The lead's page, those who take part, by name, the sounds, and a folder."""

    lead: Page
    people: dict[str, Person]
    sounds: MadeSounds
    folder: Path


@pytest.fixture
def way(
    page: Page,
    new_context: Callable[[], BrowserContext],
    log_in: LogIn,
    complaints: list[str],
    tmp_path: Path,
) -> Iterator[Way]:
    """A lead who may make challenges, and all others, each before a browser of their own."""
    lead = UserFactory.create(username="lead")
    lead.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    log_in(lead)
    people = {}
    with ExitStack() as pages:

        def listen(own: Page) -> None:
            pages.enter_context(listened_to(own, complaints))

        for name in (*WRITERS, EDITOR, RATER, *JUDGES, *TEAMS.values()):
            user, context = UserFactory.create(username=name), new_context()
            log_in(user, context)
            people[name] = Person(user, context, listen)
        yield Way(page, people, MadeSounds(), tmp_path)


def test_recordings_become_a_challenge_whose_metrics_are_judged(way: Way) -> None:
    lead = way.lead
    a_challenge_is_made(lead)
    with running_worker(way.folder):
        stages_are_made_of_recordings(lead, way)
        captions_are_written(way)
        captions_are_edited(way)
        captions_are_rated_and_kept(lead, way)
        a_data_set_is_made_and_its_finding_decided(lead)
        the_data_set_is_split(lead)
    a_part_is_published_and_the_phase_opens(lead)
    systems_are_handed_in(way)
    with running_worker(way.folder):
        pairs_are_drawn(lead)
        pairs_are_judged(way)
        wait_until(lambda: not Evaluation.objects.exclude(state="done").exists())
        systems_have_strengths(lead)
        everyone_sees_how_far_metrics_agree(lead, way)


def choose(page: Page, link: str) -> None:
    page.get_by_role("link", name=link, exact=True).first.click()


def let_in(page: Page, *names: str) -> None:
    choose(page, "People")
    for name in names:
        page.get_by_label("User name").fill(name)
        page.get_by_role("button", name="Add member").click()
        expect(page.get_by_role("rowheader", name=name)).to_be_visible()


def a_challenge_is_made(page: Page) -> None:
    page.goto("/manage/new/")
    page.get_by_label("Title").fill("Sounds of the town")
    page.get_by_label("Time zone").fill("UTC")
    page.locator("input[name=blueprint][value=empty]").check()
    page.get_by_role("button", name="Create challenge").click()
    page.get_by_role("link", name="Add a phase").first.click()
    page.get_by_label("Name", exact=True).fill("Evaluation")
    page.get_by_label("Opens").fill("2099-01-01T00:00")
    page.get_by_label("Ranking metric", exact=True).select_option("cider_d")
    page.get_by_label("Scores are public").check()
    page.get_by_role("button", name="Add the phase").click()
    expect(page.get_by_role("heading", name="Evaluation").first).to_be_visible()


def stages_are_made_of_recordings(page: Page, way: Way) -> None:
    """One who writes may rate, too, and is handed nothing there: she knows all sounds."""
    page.goto("/annotate/")
    choose(page, "New project")
    choose(page, "collect captions")
    page.get_by_label("Name").fill("Town")
    page.get_by_label("People who rate").fill("1")
    page.get_by_role("button", name="Make the projects").click()
    expect(page.get_by_text("The three projects are ready. Import the sounds.")).to_be_visible()
    archive = way.sounds.make(way.folder / "sounds.zip")
    page.get_by_role("main").locator("input[type=file]").set_input_files(archive)
    page.get_by_role("button", name="Add the recordings").click()
    expect(page.get_by_text(f"{COUNT} recordings stored")).to_be_visible()
    for stage, names in (("write", WRITERS), ("edit", [EDITOR]), ("rate", [RATER, WRITERS[0]])):
        page.goto(f"/annotate/town-{stage}/manage/")
        let_in(page, *names)


def type_caption(page: Page, text: str) -> None:
    """By keys alone, as soon as the sound was heard."""
    hear(page)
    press(page, "w", "Control+a")
    page.keyboard.type(text)
    press(page, "Control+Enter")
    saved(page)


def captions_are_written(way: Way) -> None:
    """Each writer has one of the captions that are true of a sound; the first is in haste."""
    writers = [way.people[name] for name in WRITERS]
    page = writers[0].begin("town-write")
    type_caption(page, way.sounds.written(in_hand(page, "town-write"), 0)["text"])
    counts = [
        person.answers_the_rest("town-write", partial(way.sounds.written, number=at))
        for at, person in enumerate(writers)
    ]
    assert counts == [COUNT - 1, *[COUNT] * (len(WRITERS) - 1)]


def wait_for_items(stage: str, count: int) -> None:
    """A worker makes the items of a stage of what the stage before has brought."""
    wait_until(lambda: Item.objects.filter(project__slug=f"town-{stage}").count() == count)


def captions_are_edited(way: Way) -> None:
    captions, editor = COUNT * len(WRITERS), way.people[EDITOR]
    wait_for_items("edit", captions)
    page = editor.begin("town-edit")
    type_caption(page, way.sounds.edited(in_hand(page, "town-edit"))["text"])
    assert editor.answers_the_rest("town-edit", way.sounds.edited) == captions - 1


def captions_are_rated_and_kept(lead: Page, way: Way) -> None:
    wait_for_items("rate", COUNT)
    writer = way.people[WRITERS[0]].page
    writer.goto("/annotate/town-rate/")
    expect(writer.get_by_role("group", name="Everything is done or with others")).to_be_visible()
    rater = way.people[RATER]
    page = rater.begin("town-rate")
    item = in_hand(page, "town-rate")
    hear(page)
    for row in item.project.work_kind.shown(item, rater.user.pk).content["captions"]:
        press(page, *map(str, way.sounds.rating(item, row["text"])))
    press(page, "a")
    saved(page)
    assert rater.answers_the_rest("town-rate", way.sounds.rated) == COUNT - 1
    lead.goto("/annotate/town-rate/manage/")
    choose(lead, "Results")
    first = lead.get_by_role("table").locator("tbody").first.get_by_role("row")
    expect(first).to_have_count(KEPT + 1)
    expect(first.first).to_contain_text("4.00")
    expect(first.last).to_contain_text("2.00")
    expect(first.last).not_to_contain_text("Kept")
    expect(lead.locator(".badge", has_text="Kept")).to_have_count(COUNT * KEPT)


def a_data_set_is_made_and_its_finding_decided(page: Page) -> None:
    choose(page, "make a data set of what is kept")
    chosen = page.get_by_label("Captions of a project").locator("option:checked")
    expect(chosen).to_have_text("Town: rate")
    page.get_by_label("Name").fill("Town sounds")
    page.get_by_role("button", name="Make the data set").click()
    came = f"{COUNT * KEPT} captions and {COUNT} clips added"
    expect(page.get_by_text(came)).to_be_visible()
    choose(page, "Check the captions")
    # Among ten clips nearly every word is rare.
    page.get_by_text("What is looked for").click()
    page.get_by_label("Rare word").uncheck()
    page.get_by_role("button", name="Check the captions").click()
    expect(page.get_by_text(f"{COUNT * KEPT} captions checked")).to_be_visible()
    expect(page.locator(".finding[data-open]:focus")).to_contain_text("emergancy")
    press(page, "1")
    expect(page.get_by_role("link", name="Continue")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("No finding waits for a decision.")).to_be_visible()
    choose(page, "Overview")
    expect(page.get_by_text("1 suggestion taken")).to_be_visible()


def the_data_set_is_split(page: Page) -> None:
    choose(page, "Split")
    page.get_by_label("Parts and their shares").fill("development=.6,evaluation=.4")
    page.get_by_role("button", name="Split", exact=True).click()
    page.get_by_role("link", name="Show the result").click(timeout=WORKED_WITHIN_MS)
    parts = page.get_by_role("region", name="Parts", exact=True)
    expect(parts.get_by_role("row", name="evaluation")).to_contain_text(str(EVALUATED))


def a_part_is_published_and_the_phase_opens(page: Page) -> None:
    choose(page, "Publish")
    choose(page, "Challenge")
    choose(page, "evaluation")
    expect(page.get_by_text(f"{EVALUATED} of {EVALUATED}", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Phase").select_option(index=1)
    page.get_by_role("button", name="Publish").click()
    came = f"{EVALUATED} clips with {EVALUATED * KEPT} captions were published."
    expect(page.get_by_text(came)).to_be_visible()
    page.get_by_role("link", name="Manage Sounds of the town: Evaluation").click()
    page.get_by_label("Opens").fill("2026-01-01T00:00")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The rules were saved.")).to_be_visible()
    choose(page, "References")
    choose(page, "Sound")
    expect(page.get_by_text(f"{EVALUATED} of {EVALUATED}")).to_be_visible()
    choose(page, "Overview")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("everyone sees it.")).to_be_visible()


def systems_are_handed_in(way: Way) -> None:
    rows = DataSetClip.objects.filter(part="evaluation").order_by("file_name")
    clips = list(rows.values_list("file_name", flat=True))
    for system, name in TEAMS.items():
        person = way.people[name]
        join(TeamFactory.create(name=f"Team {name}"), person.user)
        content = way.sounds.predictions(system, clips)
        file = FilePayload(name="captions.csv", mimeType="text/csv", buffer=content)
        sent = {"system_name": system, "file": file}
        person.api("POST", f"/phases/{CHALLENGE}/evaluation/submissions", multipart=sent)
    Evaluation.objects.exclude(family__in=FAST).delete()


def pairs_are_drawn(page: Page) -> None:
    page.goto("/annotate/new/")
    choose(page, "judge pairs")
    page.get_by_label("Name").fill("Town pairs")
    page.get_by_label("Answers per item").fill(str(len(JUDGES)))
    page.get_by_role("button", name="Make the project").click()
    page.get_by_role("combobox", name="Phase").select_option(index=1)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Pairs", exact=True).fill(str(PAIRS))
    page.get_by_role("button", name="Draw the pairs").click()
    expect(page.get_by_text(f"{PAIRS} pairs drawn.")).to_be_visible()
    let_in(page, *JUDGES)


def pairs_are_judged(way: Way) -> None:
    """The first by hand: one press for the better caption, once the sound that plays has ended."""
    person = way.people[JUDGES[0]]
    page = person.begin("town-pairs")
    shown = title(page).inner_text()
    item = in_hand(page, "town-pairs")
    choice = judged(item, 0)["choice"]
    order = order_for(item, person.user.pk)
    hear(page)
    press(page, "jl"[order.index(choice)] if choice in order else "k")
    expect(title(page)).not_to_have_text(shown)
    saved(page)
    for at, name in enumerate(JUDGES):
        rest = way.people[name].answers_the_rest("town-pairs", partial(judged, judge=at))
        assert rest == PAIRS - (at == 0)


def systems_have_strengths(page: Page) -> None:
    """Judges rank systems as they were made, beside them stand the ranks by the metric."""
    choose(page, "Review")
    table = page.get_by_role("region", name="Systems by strength")
    systems = table.get_by_role("rowheader").filter(has_text=re.compile("|".join(TEAMS)))
    expect(systems).to_contain_text(["Careful", "Vague", "Mistaken"])
    expect(table.get_by_role("row", name="Careful").get_by_role("cell").nth(5)).to_have_text("1")
    agreement = page.get_by_role("region", name="How well judges agree")
    expect(agreement).to_contain_text("Krippendorff's alpha, nominal")
    expect(agreement.get_by_role("row")).to_have_count(len(JUDGES) + 1)


def everyone_sees_how_far_metrics_agree(page: Page, way: Way) -> None:
    page.get_by_role("button", name="Compare the metrics").click()
    table = page.get_by_role("region", name="Agreement of each metric with judges")
    expect(table).to_be_visible(timeout=WORKED_WITHIN_MS)
    page.get_by_role("button", name="Show it to everyone").click()
    expect(page.get_by_text("Everyone sees this page.")).to_be_visible()
    page.context.clear_cookies()
    page.goto(PHASE)
    choose(page, "Analysis")
    choose(page, "Human judges")
    expect(page).to_have_url(f"{PHASE}judges/")
    expect(table.get_by_role("row", name="CIDEr-D")).to_be_visible()
    expect(page.get_by_text(f"{len(JUDGES)} people gave {2 * PAIRS} votes")).to_be_visible()
