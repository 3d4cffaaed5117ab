"""The tabs of a phase and of a system: each leads to a page that may be opened, one is current."""

import re
from itertools import product

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import User
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored

TAB = re.compile(
    r'<a(?: href="([^"]+)")?(?: aria-current="(page|true)")?(?: class="tabs__act")?>([^<]+)</a>'
)


def tabs(content: bytes, label: str) -> list[tuple[str, str, str]]:
    """Address, whether it is current, and label of each tab."""
    bar = re.search(rf'<nav class="\w+" aria-label="{label}">(.*?)</nav>', content.decode(), re.S)
    return TAB.findall(bar[1]) if bar else []


def every_page(client: Client, content: bytes, label: str) -> dict[str, str]:
    """The addresses of all pages by their label; each leads to a page that is marked."""
    found: dict[str, str] = {}
    for address, _, tab in tabs(content, label):
        below = tabs(client.get(address, follow=True).content, f"Pages of {tab}")
        found |= {name: to for to, _, name in below} or {tab: address}
    for name, address in found.items():
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        shown = tabs(answer.content, label)
        (current,) = [one for one in shown if one[1]] or [("", "", "")]
        marked = [one for one in tabs(answer.content, f"Pages of {current[2]}") if one[1]] or [
            current
        ]
        assert name == "Submit" or [one[2] for one in marked] == [name]
        if f": {name}</span></h1>" not in answer.content.decode():
            # A visitor logs in first; one page alone stands for its tab.
            assert name in {"Submit", "About", "Analysis"}
    return found


def people(cast: Cast) -> dict[str, User | None]:
    return {"visitor": None, "member": cast.member, "organiser": cast.organiser}


def test_every_tab_of_a_phase_leads_to_a_page(cast: Cast) -> None:
    scored(cast.phase, cast.team, "One", 0.4)
    scored(cast.phase, TeamFactory.create(), "Two", 0.5)
    for hidden, private, (who, user) in product((True, False), (True, False), people(cast).items()):
        cast.rules(references_public=not hidden, scores_public=not private)
        client = cast.client(user)
        board = client.get(cast.at("board")).content
        assert tabs(board, "Pages of this phase")[0][2] == "Leaderboard"
        names = every_page(client, board, "Pages of this phase")
        assert bool({"Stability", "Analysis"} & set(names)) is (who == "organiser" or not private)
        open_clips = who == "organiser" or not (hidden or private)
        assert ("Descriptors" in names) is open_clips
        assert ("Ranking lab" in names) is (who == "organiser")


@pytest.mark.parametrize("hidden", [True, False])
def test_every_tab_of_a_system_leads_to_a_page(cast: Cast, hidden: bool) -> None:
    cast.rules(references_public=not hidden)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    client = cast.client(None)
    page = client.get(reverse("leaderboard:system", args=[mine.public_id])).content
    found = every_page(client, page, "Pages of this system")
    assert list(found) == (
        ["Scores", "About"] if hidden else ["Scores", "Clips", "Overview", "Descriptors", "About"]
    )


def test_ticked_systems_are_compared_two_side_by_side_more_in_distributions(cast: Cast) -> None:
    systems = [
        scored(cast.phase, TeamFactory.create(), f"System {number}", 0.3 + number / 10)
        for number in range(3)
    ]
    names = (cast.phase.challenge.slug, cast.phase.slug)
    ids = [row.public_id for row in systems]
    client = cast.client(None)
    board = client.get(reverse("leaderboard:board", args=names)).content.decode()
    assert all(f'value="{public_id}" form="compare-ticked"' in board for public_id in ids)
    address = reverse("leaderboard:compare", args=names)
    two = client.get(address, {"s": [ids[2], ids[0]]}).content.decode()
    assert "System 2 of" in two
    assert "and System 0 of" in two
    more = client.get(address, {"s": ids}, follow=True)
    assert more.redirect_chain[0][0].startswith(reverse("leaderboard:distributions", args=names))
    assert more.status_code == 200
    assert client.get(address, {"s": ["nothing", ids[0]]}).status_code == 404


def test_where_clips_are_hidden_nothing_is_ticked(cast: Cast) -> None:
    cast.rules(references_public=False)
    for number in range(2):
        scored(cast.phase, TeamFactory.create(), f"System {number}", 0.3)
    names = (cast.phase.challenge.slug, cast.phase.slug)
    board = cast.client(None).get(reverse("leaderboard:board", args=names)).content.decode()
    assert "compare-ticked" not in board


@pytest.mark.parametrize("name", ["submission-create", "account_login", "account_signup"])
def test_no_link_above_a_form_throws_it_away(cast: Cast, name: str) -> None:
    """What looks like a button of the form would load the page anew, without what was typed."""
    phase, anyone = cast.phase, name.startswith("account")
    path = reverse(name) if anyone else reverse(
        f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug]
    )  # fmt: skip
    page = cast.client(None if anyone else cast.member).get(path).content.decode()
    assert f'action="{path}"' in page or f'hx-post="{path}"' in page
    assert f'href="{path}"' not in page
    assert page.count('aria-current="page"') == 1
