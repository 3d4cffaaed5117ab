"""Two people in one team, in real browsers: invited, submitting, withdrawing, choosing."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Counting, Phase, Submission, TeamRole, User
from leaderboard.services.people.invitations import invitation_send
from leaderboard.services.people.teams import team_create
from tests.e2e.leaderboard.test_taking_part import make_team, sign_up
from tests.e2e.page_checks import fits_width
from tests.factories import (
    CANDIDATES,
    ChallengeFactory,
    PhaseFactory,
    UserFactory,
    finish,
    join,
    submit,
)

Axe = Callable[[], list[str]]


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    cache.clear()
    return PhaseFactory.create(
        challenge=ChallengeFactory.create(slug="sounds", title="Sounds"),
        slug="open",
        name="Open",
        counting=Counting.CHOSEN,
        quota_per_day=2,
        systems_per_team=2,
    )


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """The second person's browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def hand_in(page: Page, server: LiveServer, name: str, file: Path) -> None:
    page.goto(f"{server.url}/c/sounds/open/submit/")
    page.get_by_label("System name").fill(name)
    page.get_by_label("Captions, or a package").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))


def test_a_refusal_loses_neither_the_file_nor_what_was_found_in_it(
    page: Page,
    live_server: LiveServer,
    phase: Phase,
    tmp_path: Path,
    complaints: list[str],
) -> None:
    file = tmp_path / "captions.csv"
    file.write_bytes(CANDIDATES)
    sign_up(page, live_server, way="/c/sounds/open/submit/", name="nora")
    make_team(page)
    page.goto(f"{live_server.url}/c/sounds/open/submit/")
    chosen = page.get_by_label("Captions, or a package")
    chosen.set_input_files(file)
    expect(page.get_by_text("No errors: 5 clips")).to_be_visible()
    name, submit_button = (
        page.get_by_label("System name"),
        page.get_by_role("button", name="Submit", exact=True),
    )
    # Nothing is sent without a name, since this file brings none.
    expect(name).to_have_attribute("required", "")
    submit_button.click()
    expect(name).to_be_focused()
    name.fill("Care\u202eful")
    page.get_by_label("Description").fill("Kept text")
    submit_button.click()
    expect(page.get_by_text("The name has an invisible character.")).to_be_visible()
    assert chosen.evaluate("input => input.files[0].name") == "captions.csv"
    expect(page.get_by_text("No errors: 5 clips")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Kept text")
    name.fill("Careful")
    submit_button.click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))
    expect(page.get_by_text("Careful was submitted and is being scored.")).to_be_visible()
    complaints.clear()  # the browser reports the 422 itself


def test_two_people_share_a_team_and_decide_what_counts(
    page: Page, other: Page, live_server: LiveServer, phase: Phase, axe: Axe, tmp_path: Path
) -> None:
    file = tmp_path / "captions.csv"
    file.write_bytes(CANDIDATES)
    sign_up(page, live_server, way="/c/sounds/open/submit/", name="nora")
    make_team(page)
    sign_up(other, live_server, way="/teams/", name="amir")

    page.goto(f"{live_server.url}/teams/sound-lab/")
    page.get_by_label("User name").fill("amir")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("amir was invited, and finds it under Teams.")).to_be_visible()
    assert axe() == []

    other.goto(f"{live_server.url}/notices/")
    expect(other.get_by_role("link", name="Notices 1 not read")).to_be_visible()
    other.get_by_role("link", name="nora invites you to join the team Sound Lab.").click()
    other.get_by_role("button", name="Join Sound Lab", exact=True).click()
    expect(other.get_by_text("You are now a member of Sound Lab.")).to_be_visible()

    hand_in(page, live_server, "First", file)
    hand_in(other, live_server, "Second", file)
    other.goto(f"{live_server.url}/c/sounds/open/submit/")
    expect(other.get_by_text("0 of 2 submissions left today; the count resets")).to_be_visible()
    # The page of a system loads itself again once scored and may overtake the next address.
    page.goto("about:blank")
    for submission in Submission.objects.all():
        finish(submission)

    page.goto(f"{live_server.url}/notices/")
    expect(page.get_by_role("link", name=re.compile("Second was scored: CIDEr-D"))).to_be_visible()
    assert axe() == []
    page.get_by_role("link", name=re.compile("Second was scored")).click()
    page.get_by_role("link", name="Withdraw", exact=True).click()
    expect(page.get_by_role("heading", name="Withdraw Second?")).to_be_visible()
    assert axe() == []
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Second was withdrawn. You can take it back")).to_be_visible()
    assert axe() == []

    second = Submission.objects.get(system_name="Second")
    other.goto(f"{live_server.url}/s/{second.public_id}/")
    other.get_by_role("link", name="Take it back").click()
    other.get_by_role("button", name="Take back").click()
    expect(other.get_by_text("Second stands again.")).to_be_visible()
    other.get_by_role("link", name="Sound Lab").first.click()
    other.get_by_role("link", name="First", exact=True).click()
    other.get_by_role("link", name="Let it count").click()
    other.get_by_role("button", name="Choose").click()
    expect(other.get_by_text("First now counts for your team.")).to_be_visible()

    page.goto(f"{live_server.url}/teams/sound-lab/")
    expect(page.get_by_role("row", name=re.compile("First.*counts"))).to_be_visible()
    history = page.get_by_role("region", name="History")
    for sentence in ("amir chose First to count.", "nora withdrew Second.", "amir joined."):
        expect(history.get_by_text(sentence)).to_be_visible()
    assert axe() == []


@pytest.fixture
def nora(phase: Phase) -> User:
    """The owner of a team with something on each of its pages."""
    nora, amir = UserFactory.create(username="nora"), UserFactory.create(username="amir")
    now = timezone.now()
    team = team_create(name="Sound Lab", affiliation="TU Wien", owner=nora, now=now)
    join(team, amir, TeamRole.MEMBER)
    Phase.objects.filter(pk=phase.pk).update(quota_per_day=9, systems_per_team=None)
    for number, value in enumerate((0.3, 0.5, 0.45, 0.6)):
        finish(submit(phase, team, user=amir, name=f"System {number}"), value=value, seed=number)
    invitation_send(team=team, username=UserFactory.create().username, actor=nora, now=now)
    theirs = team_create(name="Other Lab", affiliation="KTH", owner=amir, now=now)
    invitation_send(team=theirs, username="nora", actor=amir, now=now)
    return nora


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_of_teams_are_accessible_and_fit_a_phone(
    page: Page,
    live_server: LiveServer,
    nora: User,
    log_in: Callable[[User], None],
    axe: Axe,
    scheme: Literal["light", "dark"],
) -> None:
    log_in(nora)
    page.emulate_media(color_scheme=scheme)
    system = Submission.objects.latest("pk").public_id
    members = nora.memberships.get().team.memberships
    amir = members.get(user__username="amir").pk
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for way in (
            "teams/",
            "teams/sound-lab/",
            "teams/sound-lab/edit/",
            "teams/sound-lab/leave/",
            f"teams/sound-lab/members/{amir}/remove/",
            "notices/",
            f"s/{system}/withdraw/",
        ):
            page.goto(f"{live_server.url}/{way}")
            assert axe() == []
            fits_width(page)
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/teams/sound-lab/")
    expect(page.get_by_text("TU Wien")).to_be_visible()
    expect(page.get_by_text("amir")).to_have_count(0)
    assert axe() == []
