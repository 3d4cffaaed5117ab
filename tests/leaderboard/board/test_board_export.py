"""The leaderboard for a paper: all rows, the columns chosen, harmless wherever it is opened."""

import csv
import io
import re
from typing import Any

import pytest
from django.urls import reverse

from leaderboard.models import Challenge, Submission
from leaderboard.selectors.board import files
from tests.factories import TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored


def fetch(cast: Cast, **query: Any) -> str:
    names = [cast.phase.challenge.slug, cast.phase.slug]
    response = cast.client(None).get(reverse("leaderboard:board-export", args=names), query)
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response).decode()


def rows(text: str) -> list[dict[str, str]]:
    head, _, table = text.partition("\r\n")
    assert head.startswith("# ")
    return list(csv.DictReader(io.StringIO(table)))


def test_every_row_of_every_page_at_the_decimals_of_the_phase(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "AT_ONCE", 2)
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 2)
    cast.rules(precision=2)
    for number in range(5):
        scored(cast.phase, TeamFactory.create(), f"Alpha{number}", 0.1234 + number / 10)
    found = rows(fetch(cast, format="csv", columns=["meteor"], intervals="1"))
    assert [row["cider_d"] for row in found] == ["0.52", "0.42", "0.32", "0.22", "0.12"]
    assert [row["rank"] for row in found] == ["1", "2", "3", "4", "5"]
    assert {"meteor", "meteor_low", "meteor_high"} < set(found[0])
    assert "fense" not in found[0]
    assert len(rows(fetch(cast, format="csv", q="ALPHA3"))) == 1


FORMULAS = ("=1+1", "+1", "-2", "@SUM(A1)", "\t=1", " =1")
# Where semicolons divide cells, too.
BEHIND_OTHERS = ("Alpha;=1+1", "Alpha; @SUM(A1)", "\uff1d1+1")
# The first line stands unquoted, so that a comma in the title of the challenge begins a cell.
TITLES = ("Sounds,=1+1", "Sounds;@SUM(A1)", "Sounds, -2+3")


def test_no_name_and_no_title_is_a_formula(cast: Cast) -> None:
    system = scored(cast.phase, cast.team, "A", 0.5)

    def told(name: str) -> str:
        Submission.objects.filter(pk=system.pk).update(system_name=name)
        return fetch(cast, format="csv")

    for name in FORMULAS:
        (row,) = rows(told(name))
        assert row["system"] == f"'{name.strip()}"
    for name in BEHIND_OTHERS:
        for cell in re.split("[,;]", told(name).partition("\r\n")[2]):
            assert not cell.strip().startswith(("=", "+", "@", "\uff1d"))
    for title in TITLES:
        Challenge.objects.update(title=title)
        for cell in re.split("[,;]", told("A").partition("\r\n")[0]):
            assert not cell.strip().startswith(("=", "+", "-", "@"))


def test_latex_is_escaped_and_marks_the_best(cast: Cast) -> None:
    scored(cast.phase, cast.team, r"50% \input{x} & $y_1$ {#}", 0.25)
    scored(cast.phase, TeamFactory.create(), "Best", 0.5)
    scored(cast.phase, TeamFactory.create(), "Last", 0.1)
    told = fetch(cast, format="latex", columns="", second="1")
    assert r"50\% \textbackslash{}input\{x\} \& \$y\_1\$ \{\#\}" in told
    assert r"\textbf{0.500}" in told
    assert r"\underline{0.250}" in told
    assert told.count(r"\textbf") == 1
    assert r"\input{x}" not in told.replace(r"\textbackslash{}input", "")
    assert told.startswith("% Signatures: cider_d|")
    assert r"\underline" not in fetch(cast, format="latex", columns="")


def test_who_may_not_see_scores_gets_none(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    names = [cast.phase.challenge.slug, cast.phase.slug]
    address = reverse("leaderboard:board-export", args=names)
    assert cast.client(None).get(address, {"format": "exe"}).status_code == 404
    cast.rules(scores_public=False)
    for user, code in ((None, 404), (cast.member, 404), (cast.organiser, 200)):
        assert cast.client(user).get(address, {"format": "csv"}).status_code == code
