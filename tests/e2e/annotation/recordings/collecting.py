"""From a challenge without references to captions that were written, edited, rated and kept."""

from collections import defaultdict
from functools import partial

from playwright.sync_api import Page, expect

from annotation.models import AssignmentRecord
from tests.e2e.annotation.desk import press, saved
from tests.e2e.annotation.recordings.made_sounds import COUNT
from tests.e2e.annotation.recordings.way import (
    EDITOR,
    KEPT,
    RATER,
    WRITERS,
    Way,
    begin,
    choose,
    in_hand,
    let_in,
    reloaded_until,
)
from tests.e2e.annotation.write.hands import hear
from tests.e2e.page_checks import looked_at


def a_challenge_is_made(page: Page, way: Way) -> None:
    page.goto(f"{way.url}/manage/new/")
    page.get_by_label("Title").fill("Sounds of the town")
    page.get_by_label("Time zone").fill("UTC")
    page.locator("input[name=blueprint][value=empty]").check()
    page.get_by_role("button", name="Make the challenge").click()
    page.get_by_role("link", name="Add a phase").first.click()
    page.get_by_label("Name", exact=True).fill("Evaluation")
    page.get_by_label("Opens").fill("2099-01-01T00:00")
    page.get_by_label("Ranking metric", exact=True).select_option("cider_d")
    page.get_by_label("Scores are public").check()
    page.get_by_role("button", name="Add the phase").click()
    expect(page.get_by_role("heading", name="Evaluation").first).to_be_visible()


def stages_are_made(page: Page, way: Way) -> None:
    page.goto(f"{way.url}/annotate/")
    choose(page, "New project")
    choose(page, "collect captions")
    page.get_by_label("Name").fill("Town")
    page.get_by_label("People who rate").fill("1")
    page.get_by_role("button", name="Make the projects").click()
    expect(page.get_by_text("The three projects are ready. Import the sounds.")).to_be_visible()


def recordings_come_in(page: Page, way: Way) -> None:
    page.get_by_role("main").locator("input[type=file]").set_input_files(way.sounds.make())
    page.get_by_role("button", name="Add the recordings").click()
    expect(page.get_by_text(f"{COUNT} recordings stored")).to_be_visible()


def people_are_let_in(page: Page, way: Way) -> None:
    """One who writes may rate, too, and is handed nothing there: she knows all sounds."""
    for stage, names in (("write", WRITERS), ("edit", [EDITOR]), ("rate", [RATER, WRITERS[0]])):
        page.goto(f"{way.url}/annotate/town-{stage}/manage/")
        let_in(page, names)


def type_caption(page: Page, text: str, name: str) -> None:
    """By keys alone, as soon as the sound was heard."""
    hear(page)
    press(page, "w", "Control+a")
    page.keyboard.type(text)
    looked_at(page, name)
    press(page, "Control+Enter")
    saved(page)


def captions_are_written(way: Way) -> None:
    """Each writer has one of the captions that are true of a sound; the first is in haste."""
    writers = [way.people[name] for name in WRITERS]
    page = begin(writers[0], "town-write")
    item = in_hand(page, "town-write")
    type_caption(page, way.sounds.written(item, 0)["text"], "write")
    counts = [
        person.answers_the_rest("town-write", partial(way.sounds.written, number=at))
        for at, person in enumerate(writers)
    ]
    assert counts == [COUNT - 1, *[COUNT] * (len(WRITERS) - 1)]


def captions_are_edited(lead: Page, way: Way) -> None:
    captions = COUNT * len(WRITERS)
    lead.goto(f"{way.url}/annotate/town-edit/manage/")
    reloaded_until(lead, lead.get_by_text(f"0 of {captions} captions", exact=True))
    editor = way.people[EDITOR]
    page = begin(editor, "town-edit")
    type_caption(page, way.sounds.edited(in_hand(page, "town-edit"))["text"], "edit")
    assert editor.answers_the_rest("town-edit", way.sounds.edited) == captions - 1


def captions_are_rated(lead: Page, way: Way) -> None:
    lead.goto(f"{way.url}/annotate/town-rate/manage/")
    reloaded_until(lead, lead.get_by_text(f"0 of {COUNT} sounds", exact=True))
    writer = way.people[WRITERS[0]]
    writer.page.goto(f"{way.url}/annotate/town-rate/")
    expect(
        writer.page.get_by_role("group", name="Everything is done or with others")
    ).to_be_visible()
    rater = way.people[RATER]
    page = begin(rater, "town-rate")
    item = in_hand(page, "town-rate")
    hear(page)
    for row in item.project.work_kind.shown(item, rater.user.pk).content["captions"]:
        press(page, *map(str, way.sounds.rating(item, row["text"])))
    looked_at(page, "rate")
    press(page, "a")
    saved(page)
    assert rater.answers_the_rest("town-rate", way.sounds.rated) == COUNT - 1


def nobody_met_a_sound_in_two_stages() -> None:
    met = defaultdict(set)
    rows = AssignmentRecord.objects.values_list("item__meta", "user__username", "item__project")
    for meta, name, project in rows:
        met[meta["file_name"], name].add(project)
    assert len(met) == COUNT * len((*WRITERS, EDITOR, RATER))
    assert {len(stages) for stages in met.values()} == {1}


def captions_are_ranked_and_kept(page: Page, way: Way) -> None:
    page.goto(f"{way.url}/annotate/town-rate/manage/")
    choose(page, "Results")
    first = page.get_by_role("table").locator("tbody").first.get_by_role("row")
    expect(first).to_have_count(KEPT + 1)
    expect(first.first).to_contain_text("4.00")
    expect(first.last).to_contain_text("2.00")
    expect(first.last).not_to_contain_text("Kept")
    expect(page.locator(".badge", has_text="Kept")).to_have_count(COUNT * KEPT)
    looked_at(page, "results")
