"""The tabs of a phase and of a system: each leads to a page that may be opened, one is current."""

import re
from itertools import product

import pytest
from django.urls import reverse

from leaderboard.models import User
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored

TAB = re.compile(
    r'<a(?: href="([^"]+)")?( aria-current="page")?(?: class="tabs__act")?>([^<]+)</a>'
)


def tabs(content: bytes, label: str) -> list[tuple[str, str, str]]:
    bar = re.search(
        rf'<nav class="tabs" aria-label="{label}">(.*?)</nav>', content.decode(), re.DOTALL
    )
    assert bar is not None
    return TAB.findall(bar[1])


def people(cast: Cast) -> dict[str, User | None]:
    return {"visitor": None, "member": cast.member, "organiser": cast.organiser}


def test_every_tab_of_a_phase_leads_to_a_page(cast: Cast) -> None:
    scored(cast.phase, cast.team, "One", 0.4)
    scored(cast.phase, TeamFactory.create(), "Two", 0.5)
    for hidden, private, (who, user) in product((True, False), (True, False), people(cast).items()):
        cast.rules(references_public=not hidden, scores_public=not private)
        client = cast.client(user)
        found = tabs(client.get(cast.at("board")).content, "Pages of this phase")
        labels = [label for _, _, label in found]
        assert labels[0] == "Leaderboard"
        assert ("Analysis" in labels) is (who == "organiser" or not private)
        assert ("Words" in labels) is (who == "organiser" or not (hidden or private))
        assert ("Ranking lab" in labels) is (who == "organiser")
        for address, _, label in found:
            answer = client.get(address, follow=True)
            assert answer.status_code == 200, address
            if who != "visitor" or label != "Submit":
                shown = tabs(answer.content, "Pages of this phase")
                assert [name for _, here, name in shown if here] == [label]
                assert f": {label}</span></h1>" in answer.content.decode()


@pytest.mark.parametrize("hidden", [True, False])
def test_every_tab_of_a_system_leads_to_a_page(cast: Cast, hidden: bool) -> None:
    cast.rules(references_public=not hidden)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    client = cast.client(None)
    page = client.get(reverse("leaderboard:system", args=[mine.public_id]))
    found = tabs(page.content, "Pages of this system")
    labels = [label for _, _, label in found]
    assert labels == (
        ["Scores", "About"] if hidden else ["Scores", "Profile", "Clips", "Words", "About"]
    )
    for address, _, label in found:
        answer = client.get(address)
        assert answer.status_code == 200
        assert [n for _, here, n in tabs(answer.content, "Pages of this system") if here] == [label]


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
