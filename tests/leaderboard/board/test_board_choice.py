"""Choosing systems and pages of a leaderboard: ranks stay those of all, links keep the choice."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from earmark.registry import FAMILIES
from leaderboard.models import Kind, MetricResult, Phase, Submission
from leaderboard.selectors.board.columns import OTHER, group_of
from leaderboard.selectors.board.query import Traits, traits_of
from tests.factories import TeamFactory, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.board.test_board_page import rows
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

FLAT = {
    "audio_modelling": "BEATs",
    "word_modelling": "BART",
    "total_parameters": "98M",
    "external_datasets": "AudioCaps",
}
NESTED = {
    "system": {
        "description": {"audio_modelling": "PANNs CNN14", "word_modelling": "transformer"},
        "complexity": {"total_parameters": 4_000_000},
        "external_datasets": [],
    }
}


def fetch(cast: Cast, query: str = "", user: Any = None) -> bytes:
    address = cast.at("board")
    return cast.client(user).get(address + query).content


def names(content: bytes) -> list[str]:
    return re.findall(r'board__system">\s*<a [^>]*title="([^"]*)"', content.decode())


@pytest.fixture
def three(cast: Cast) -> None:
    """Make systems A, B, C, best first, of which C says nothing of itself."""
    for name, value, metadata in (("A", 0.9, FLAT), ("B", 0.8, NESTED), ("C", 0.7, {})):
        system = scored(cast.phase, TeamFactory.create(name=f"Team {name}"), name, value)
        Submission.objects.filter(pk=system.pk).update(metadata=metadata)


FOUND = {
    "?encoder=beats": ["A"],
    "?encoder=cnn14+PANNS": ["B"],
    "?decoder=transformer": ["B"],
    "?smallest=50": ["A"],
    "?largest=50": ["B"],
    "?smallest=4&largest=98": ["A", "B"],
    "?external=yes": ["A"],
    "?external=no": ["B"],
    "?q=team+c": ["C"],
    "?q=b&sort=-rank": ["B"],
    "?q=team&sort=-rank": ["C", "B", "A"],
    "?encoder=beats&external=no": [],
}


@pytest.mark.usefixtures("three")
def test_systems_are_found_by_what_they_are(cast: Cast) -> None:
    path = f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard"
    for query, found in FOUND.items():
        assert names(fetch(cast, query)) == found, query
        told = body(caller(None).get(path + query))
        assert [row["system_name"] for row in told["rows"]] == found, query
        assert (told["total"], told["matching"]) == (3, len(found)), query
    nonsense = "?external=maybe&smallest=much&largest=-1&page=x"
    assert names(fetch(cast, nonsense)) == ["A", "B", "C"]


@pytest.mark.usefixtures("three")
def test_ranks_stay_those_of_all_and_it_says_so(cast: Cast) -> None:
    content = fetch(cast, "?external=no")
    assert rows(content)[0].startswith("2 ")
    assert "1 of 3 teams. Ranks are among all 3." in text(content)
    assert "None of the 3 teams" in text(fetch(cast, "?encoder=none"))


def test_pages_follow_each_other_and_links_keep_the_choice(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 2)
    for number in range(5):
        system = scored(cast.phase, TeamFactory.create(), f"S{number}", 0.9 - number / 10)
        MetricResult.objects.filter(submission=system, metric="meteor").update(value=number / 10)
    first = fetch(cast)
    assert names(first) == ["S0", "S1"]
    assert "1 to 2 of 5" in text(first)
    assert names(fetch(cast, "?page=3")) == ["S4"]
    assert names(fetch(cast, "?page=99")) == ["S4"]
    second = fetch(cast, "?systems=all&preset=n-gram&sort=meteor&page=2")
    assert names(second) == ["S2", "S1"]
    kept = "systems=all&amp;preset=n-gram&amp;sort=meteor"
    assert f'rel="next" href="?{kept}&amp;page=3"' in second.decode()
    assert f'rel="prev" href="?{kept}"' in second.decode()


def test_what_was_computed_otherwise_on_another_page_is_told(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 1)
    scored(cast.phase, cast.team, "A", 0.9)
    other = scored(cast.phase, TeamFactory.create(), "B", 0.1)
    assert "Not comparable" not in text(fetch(cast))
    other.evaluations.filter(family="fense").update(signature="fense|thr:9")
    MetricResult.objects.filter(submission=other, metric="fense").update(signature="fense|thr:9")
    assert "Not comparable from row to row: FENSE." in text(fetch(cast))


def test_ones_own_systems_are_found_wherever_they_stand(cast: Cast) -> None:
    scored(cast.phase, TeamFactory.create(), "Theirs", 0.9)
    scored(cast.phase, cast.team, "Ours", 0.1)
    assert 'href="?own=1"' in fetch(cast, user=cast.member).decode()
    content = fetch(cast, "?own=1", cast.member)
    assert names(content) == ["Ours"]
    assert rows(content)[0].startswith("2 ")
    assert 'href="?own=1"' not in fetch(cast).decode()


def test_what_is_withdrawn_disqualified_or_a_baseline_never_ranks(cast: Cast) -> None:
    for field in ("withdrawn_at", "disqualified_at"):
        gone = scored(cast.phase, TeamFactory.create(), field, 0.9)
        Submission.objects.filter(pk=gone.pk).update(**{field: timezone.now()})
    base = scored(cast.phase, TeamFactory.create(), "Base", 0.8)
    Submission.objects.filter(pk=base.pk).update(kind=Kind.BASELINE)
    scored(cast.phase, cast.team, "System", 0.1)
    for query in ("", "?systems=all"):
        content = fetch(cast, query)
        assert [row[:8] for row in rows(content)] == ["1 System"]
        assert "Not ranked. Base Baseline does not compete" in text(content)


def test_the_api_gives_a_part_with_what_is_not_ranked_at_the_end(cast: Cast) -> None:
    for number in range(3):
        scored(cast.phase, TeamFactory.create(), f"S{number}", 0.9 - number / 10)
    base = scored(cast.phase, TeamFactory.create(), "Base", 0.8)
    Submission.objects.filter(pk=base.pk).update(kind=Kind.BASELINE)
    path = f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard"

    def told(query: str = "") -> list[str]:
        return [row["system_name"] for row in body(caller(None).get(path + query))["rows"]]

    assert told() == ["S0", "S1", "S2", "Base"]
    assert told("?limit=2") == ["S0", "S1"]
    assert told("?limit=2&offset=2") == ["S2", "Base"]
    assert told("?sort=-rank&limit=1") == ["S2"]
    (row, *_) = body(caller(None).get(f"{path}?metric=meteor"))["rows"]
    assert set(row["metrics"]) == {"cider_d", "meteor"}
    assert row["rank_interval"] is None
    problem(caller(None).get(f"{path}?metric=none"), 404)
    problem(caller(None).get(f"{path}?sort=none"), 404)
    problem(caller(None).get(f"{path}?limit=0"), 422)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("98M", 98e6),
        ("98,000,000", 98e6),
        ("1.5 B", 1.5e9),
        (12, 12.0),
        ("about many", None),
        (True, None),
        ([], None),
        (None, None),
    ],
)
def test_parameters_are_read_as_people_write_them(said: object, found: float | None) -> None:
    assert traits_of({"total_parameters": said}).parameters == found


@pytest.mark.parametrize("metadata", [{}, {"system": 3}, {"system": {"description": []}}])
def test_metadata_of_any_shape_say_nothing_at_worst(metadata: dict[str, Any]) -> None:
    assert traits_of(metadata) == Traits()


def test_a_late_submission_does_not_move_between_pages_of_one_look(cast: Cast) -> None:
    """Equals stand by time of submission, whatever the database gives first."""
    made = [submit(cast.phase, TeamFactory.create(), name=f"S{n}") for n in range(3)]
    for number, system in enumerate(made):
        system.created_at -= timedelta(hours=number)
        system.save()
    assert names(fetch(cast)) == ["S2", "S1", "S0"]


def test_what_teams_say_of_their_systems_is_columns_and_hidden_with_their_names(cast: Cast) -> None:
    system = scored(cast.phase, cast.team, "Mine", 0.4)
    metadata = {
        "audio_modelling": "<b>BEATs</b>",
        "total_parameters": 98000000,
        "source_code": "https://example.org/code?a=1&b=2",
    }
    Submission.objects.filter(pk=system.pk).update(metadata=metadata)
    names = (cast.phase.challenge.slug, cast.phase.slug)
    address = reverse("leaderboard:board", args=names) + "?preset=systems"
    content = cast.client(None).get(address).content.decode()
    assert "&lt;b&gt;BEATs&lt;/b&gt;" in content
    assert "98,000,000" in content
    assert 'href="https://example.org/code?a=1&amp;b=2"' in content
    assert "Encoder" in content
    plain = reverse("leaderboard:board", args=names)
    assert "BEATs" not in cast.client(None).get(plain).content.decode()
    Phase.objects.filter(pk=cast.phase.pk).update(
        names_hidden_until=timezone.now() + timedelta(days=1)
    )
    assert "BEATs" not in cast.client(None).get(f"{address}&q=").content.decode()


def test_every_family_has_a_group() -> None:
    """A new family that nobody has put anywhere would stand under "Others"."""
    assert OTHER not in map(group_of, FAMILIES)
