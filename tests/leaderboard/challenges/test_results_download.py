"""All results of a challenge in one file: whose it is, what is in it, the same bytes again."""

import csv
import io
import json
import re
import zipfile
from datetime import timedelta
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import timezone
from PIL import Image

from leaderboard.models import Phase, Team, User
from leaderboard.services.ranking.snapshots import phase_freeze, phase_reveal
from tests.factories import NOW, PhaseFactory, TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored


@pytest.fixture
def finished(cast: Cast) -> Cast:
    """Two closed phases: one ranked by CIDEr-D with hidden references, one that computes FENSE."""
    challenge = cast.phase.challenge
    challenge.citation = "Cite us as {Earmark}, 2026."
    challenge.save()
    cast.rules(slug="evaluation", references_public=False)
    rehearsal = PhaseFactory.create(
        challenge=challenge, slug="rehearsal", metrics=["fense"], ranking_metric="fense"
    )
    rival = TeamFactory.create(name="=1+1 Rivals")
    scored(cast.phase, cast.team, "Oak", 0.123456789)
    scored(cast.phase, rival, "Ash", 0.6)
    scored(rehearsal, cast.team, "Fir", 0.7654321)
    Phase.objects.update(closes_at=NOW)
    return cast


def address(cast: Cast, phase: str = "") -> str:
    return "/".join(filter(None, ("/c", cast.phase.challenge.slug, phase, "results.zip")))


def download(cast: Cast, user: User | None = None, phase: str = "") -> bytes:
    response = cast.client(user).get(address(cast, phase))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    assert response["Cache-Control"] == "private, no-store"
    return response.getvalue()


def files(cast: Cast, user: User | None = None, phase: str = "") -> dict[str, bytes]:
    """The files by name, without the folder that all are in."""
    with zipfile.ZipFile(io.BytesIO(download(cast, user, phase))) as archive:
        assert archive.testzip() is None
        folder = f"{cast.phase.challenge.slug}/"
        assert all(name.startswith(folder) for name in archive.namelist())
        return {name.removeprefix(folder): archive.read(name) for name in archive.namelist()}


def test_it_has_every_phase_in_all_formats(finished: Cast) -> None:
    found = files(finished)
    formats = ("leaderboard.csv", "leaderboard.json", "leaderboard.tex", "systems.csv")
    for phase in ("evaluation", "rehearsal"):
        assert {f"{phase}/{name}" for name in formats} < set(found)
    lines = found["evaluation/leaderboard.csv"].decode().splitlines()
    assert lines[0].startswith("# ")
    rows = list(csv.DictReader(lines[1:]))
    assert [row["system"] for row in rows] == ["Ash", "Oak"]
    assert rows[0]["team"] == "'=1+1 Rivals"
    assert {"cider_d", "cider_d_low", "fense", "bleu_4"} <= set(rows[0])
    head = found["rehearsal/leaderboard.csv"].decode().splitlines()[1]
    assert head.endswith("submitted_at,fense,fense_low,fense_high")
    board = json.loads(found["rehearsal/leaderboard.json"])
    assert board["ranking_metric"] == "fense"
    assert [row["system_name"] for row in board["rows"]] == ["Fir"]
    signatures = json.loads(found["rehearsal/signatures.json"])
    assert list(signatures) == ["fense"]
    assert signatures["fense"]["signatures"][0].startswith("fense|")
    # The columns of the page, made smaller where they are wider than that of a paper.
    table = found["evaluation/leaderboard.tex"].decode()
    assert r"\begin{adjustbox}{max totalsize={\textwidth}" in table
    assert r"& CIDEr-D $\uparrow$ & " in table
    assert "BLEU" not in table


def test_its_page_says_rules_and_ranks_and_the_sums_are_of_all_other_files(finished: Cast) -> None:
    found = files(finished)
    page = found["index.html"].decode()
    shown = plain(page)
    for part in (
        "Cite us as {Earmark}, 2026.",
        "Ranked by FENSE (higher is better), ties at 3 decimals",
        "Closed: 2026-03-01 12:00 UTC",
        "Metrics: FENSE ",
        "1 Ash =1+1 Rivals 0.600",
    ):
        assert part in shown
    assert "Not final" not in shown
    linked = set(re.findall(r'(?:href|src)="([^"]*)"', page))
    assert {link for link in linked if not link.startswith("http")} <= set(found)
    lines = [line.split("  ") for line in found.pop("SHA256SUMS").decode().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert sums == {name: sha256(data).hexdigest() for name, data in found.items()}


def test_each_figure_is_data_a_table_and_two_pictures(finished: Cast) -> None:
    third = TeamFactory.create(name="Third & last")
    Phase.objects.update(closes_at=None)
    scored(finished.phase, third, "Elm $x_1$ <b>", 0.3)
    phase_freeze(phase=finished.phase, actor=finished.organiser, now=NOW)
    phase_reveal(phase=finished.phase, actor=finished.organiser, now=NOW)
    found = files(finished)
    names = {name.partition(".")[0] for name in found if name.startswith("evaluation/figures/")}
    assert {name.rpartition("/")[2] for name in names} == {
        *("scores", "ranks-by-metric", "over-systems", "rank-history")
    }
    for name in names:
        plotly = json.loads(found[f"{name}.json"])
        assert plotly["data"]
        assert plotly["layout"]
        assert len(found[f"{name}.csv"].decode().splitlines()) > 1
        if f"{name}.svg" in found:
            ElementTree.fromstring(found[f"{name}.svg"])
            with Image.open(io.BytesIO(found[f"{name}.png"])) as picture:
                assert picture.width > 1000
    assert "1. Ash" in found["evaluation/figures/scores.svg"].decode()
    assert "2. Elm $x_1$ &lt;b&gt;" in found["evaluation/figures/scores.svg"].decode()


def test_clips_are_in_it_where_references_are_public_and_for_nobody_else(finished: Cast) -> None:
    found = files(finished, finished.organiser)
    clips = [name for name in found if "/clips/" in name]
    assert [name.partition("/")[0] for name in clips] == ["rehearsal"]
    head, *rows = csv.reader(found[clips[0]].decode().splitlines())
    assert head == ["file_name", "caption", "fense"]
    assert len(rows) == 5
    assert all(float(value) <= 1 for *_, value in rows)


def test_a_phase_has_its_results_by_itself_as_soon_as_it_shows_scores(finished: Cast) -> None:
    assert {name.partition("/")[0] for name in files(finished, phase="rehearsal")} == {
        *("rehearsal", "index.html", "SHA256SUMS")
    }
    board = f"/c/{finished.phase.challenge.slug}/rehearsal/"
    assert address(finished, "rehearsal") in finished.client(None).get(board).content.decode()
    assert finished.client(None).get(address(finished, "none")).status_code == 404


def test_values_of_hidden_references_have_the_decimals_of_pages(finished: Cast) -> None:
    found = files(finished, finished.organiser)
    hidden = json.loads(found["evaluation/systems.json"])["rows"][1]["metrics"]["cider_d"]
    assert hidden["value"] == 0.123
    shown = json.loads(found["rehearsal/systems.json"])["rows"][0]["metrics"]["fense"]
    assert shown["value"] == pytest.approx(0.7654321)
    assert b"0.123456789" not in b"".join(found.values())


def test_the_same_state_gives_the_same_bytes(finished: Cast) -> None:
    first = download(finished)
    assert download(finished, finished.organiser) == download(finished, finished.member) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        names = archive.namelist()
        assert names[:-1] == sorted(names[:-1])
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    Team.objects.filter(pk=finished.team.pk).update(name="Renamed")
    assert download(finished) != first


def test_kept_rankings_are_in_it_with_their_own_bytes(finished: Cast) -> None:
    phase_freeze(phase=finished.phase, actor=finished.organiser, now=NOW)
    phase_reveal(phase=finished.phase, actor=finished.organiser, now=NOW)
    found = files(finished)
    kept = [data for name, data in found.items() if name.startswith("evaluation/rankings/")]
    digests = set(finished.phase.snapshots.values_list("sha256", flat=True))
    assert {sha256(data).hexdigest() for data in kept} == digests
    assert len(kept) == 2


@pytest.mark.parametrize(
    "rules",
    [
        {"closes_at": timezone.now() + timedelta(days=1)},
        {"closes_at": None},
        {"names_hidden_until": timezone.now() + timedelta(days=1)},
        {"frozen_at": NOW},
    ],
)
def test_before_the_end_it_says_so_and_who_sees_more(finished: Cast, rules: dict[str, Any]) -> None:
    if "frozen_at" in rules:
        phase_freeze(phase=finished.phase, actor=finished.organiser, now=NOW)
    else:
        Phase.objects.filter(pk=finished.phase.pk).update(**rules)
    page = plain(files(finished, phase="evaluation")["index.html"].decode())
    assert "Not final." in page
    assert "Made by an organiser" not in page
    hidden = not {"closes_at"} & set(rules)
    assert ("Rivals" not in page) == ("names_hidden_until" in rules)
    own = plain(files(finished, finished.organiser, "evaluation")["index.html"].decode())
    assert ("Made by an organiser" in own) == hidden
    assert "Rivals" in own


def test_hidden_scores_are_for_organisers(finished: Cast) -> None:
    Phase.objects.filter(pk=finished.phase.pk).update(scores_public=False)
    for user in (None, finished.outsider, finished.member):
        assert finished.client(user).get(address(finished, "evaluation")).status_code == 404
        assert not [name for name in files(finished, user) if name.startswith("evaluation/")]
    page = files(finished, finished.organiser, "evaluation")["index.html"].decode()
    assert "Made by an organiser" in page


def test_an_unpublished_or_empty_challenge_has_none(finished: Cast) -> None:
    finished.phase.challenge.published = False
    finished.phase.challenge.save()
    assert finished.client(None).get(address(finished)).status_code == 404
    other = PhaseFactory.create().challenge
    other.phases.all().delete()
    assert finished.client(None).get(f"/c/{other.slug}/results.zip").status_code == 404
