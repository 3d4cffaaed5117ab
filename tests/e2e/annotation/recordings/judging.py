"""From an open phase to metrics that are compared with judges: systems, pairs, votes."""

import re
from functools import partial

from playwright.sync_api import FilePayload, Page, expect

from annotation.kinds.judge import order_for
from annotation.models import DataSetClip
from leaderboard.models import Evaluation, Kind, Submission
from tests.e2e.annotation.desk import press, saved
from tests.e2e.annotation.recordings.made_sounds import judged
from tests.e2e.annotation.recordings.way import (
    CHALLENGE,
    JUDGES,
    TEAMS,
    WORKED_WITHIN_MS,
    Person,
    Way,
    begin,
    choose,
    in_hand,
    let_in,
    reloaded_until,
)
from tests.e2e.annotation.write.hands import hear, title
from tests.e2e.page_checks import looked_at
from tests.factories import TeamFactory, join

PAIRS = 16
FAST = ("bleu", "rouge_l", "cider_d", "vocab")


def systems_are_handed_in(way: Way) -> None:
    """Scored by metrics that load no model."""
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


def systems_are_ranked(page: Page, way: Way) -> None:
    page.goto(way.phase)
    for system in TEAMS:
        # A tie names the other system in its row, too.
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=system, exact=True))
        reloaded_until(page, row.filter(has_text=re.compile(r"\d\.\d")))
    assert Submission.objects.filter(kind=Kind.SYSTEM).count() == len(TEAMS)


def pairs_are_drawn(page: Page, way: Way) -> None:
    page.goto(f"{way.url}/annotate/new/")
    choose(page, "judge pairs")
    page.get_by_label("Name").fill("Town pairs")
    page.get_by_label("Answers per item").fill(str(len(JUDGES)))
    page.get_by_role("button", name="Make the project").click()
    page.get_by_role("combobox", name="Phase").select_option(index=1)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Pairs", exact=True).fill(str(PAIRS))
    page.get_by_role("button", name="Draw the pairs").click()
    expect(page.get_by_text(f"{PAIRS} pairs drawn.")).to_be_visible()
    let_in(page, JUDGES)


def pairs_are_judged(way: Way) -> None:
    """The first by hand: one press for the better caption, once the sound that plays has ended."""
    for at, name in enumerate(JUDGES):
        person = way.people[name]
        by_hand = at == 0 and judges_by_hand(person)
        rest = person.answers_the_rest("town-pairs", partial(judged, judge=at))
        assert rest == PAIRS - by_hand


def judges_by_hand(person: Person) -> bool:
    page = begin(person, "town-pairs")
    shown = title(page).inner_text()
    item = in_hand(page, "town-pairs")
    choice = judged(item, 0)["choice"]
    order = order_for(item, person.user.pk)
    hear(page)
    looked_at(page, "judge")
    press(page, "jl"[order.index(choice)] if choice in order else "k")
    expect(title(page)).not_to_have_text(shown)
    saved(page)
    return True


def systems_have_strengths(page: Page) -> None:
    """Judges rank systems as they were made, beside them stand the ranks by the metric."""
    choose(page, "Results")
    table = page.get_by_role("region", name="Systems by strength")
    expect(table.get_by_role("rowheader")).to_have_count(len(TEAMS) + 1)
    systems = table.get_by_role("rowheader").filter(has_text=re.compile("|".join(TEAMS)))
    expect(systems).to_contain_text(list(TEAMS))
    ranks = [
        table.get_by_role("row", name=system).get_by_role("cell").nth(5).inner_text()
        for system in TEAMS
    ]
    # Which of the others has more words by chance in common with the references is open.
    assert (ranks[0], set(ranks[1:])) == ("1", {"2", "3"})
    agreement = page.get_by_role("region", name="How well judges agree")
    expect(agreement).to_contain_text("Krippendorff's alpha, nominal")
    expect(agreement.get_by_role("row")).to_have_count(len(JUDGES) + 1)
    looked_at(page, "strengths")


def metrics_are_compared(page: Page) -> None:
    page.get_by_role("button", name="Compare the metrics").click()
    expect(page.get_by_text("The metrics are being compared with the judges.")).to_be_visible()
    table = page.get_by_role("region", name="Agreement of each metric with judges")
    expect(table).to_be_visible(timeout=WORKED_WITHIN_MS)
    looked_at(page, "measured")


def everyone_sees_how_far_metrics_agree(page: Page, way: Way, visitor: Page) -> None:
    judges = f"{way.phase}judges/"
    assert visitor.request.get(judges).status == 404
    page.get_by_role("button", name="Show it to everyone").click()
    expect(page.get_by_text("Everyone sees this page.")).to_be_visible()
    visitor.goto(way.phase)
    choose(visitor, "Judges")
    expect(visitor).to_have_url(judges)
    table = visitor.get_by_role("region", name="Agreement of each metric with judges")
    expect(table.get_by_role("row", name="CIDEr-D")).to_be_visible()
    expect(visitor.get_by_text(f"{len(JUDGES)} people gave {2 * PAIRS} votes")).to_be_visible()
    looked_at(visitor, "judges")
