"""All results of a challenge in one file: whose it is, what is in it, the same bytes again."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Phase, Team, User
from leaderboard.services.ranking.snapshots import phase_freeze, phase_reveal
from tests.factories import NOW, PhaseFactory, TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored


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


def address(cast: Cast) -> str:
    return f"/c/{cast.phase.challenge.slug}/results.zip"


def download(cast: Cast, user: User | None = None) -> bytes:
    response = cast.client(user).get(address(cast))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    assert response["Cache-Control"] == "private, no-store"
    return response.getvalue()


def files(cast: Cast, user: User | None = None) -> dict[str, bytes]:
    """The files by name, without the folder that all are in."""
    with zipfile.ZipFile(io.BytesIO(download(cast, user))) as archive:
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
    assert r"\begin{tabular}" in found["evaluation/leaderboard.tex"].decode()


def test_the_readme_says_rules_figures_are_data_and_the_sums_are_of_all_other_files(
    finished: Cast,
) -> None:
    found = files(finished)
    told = found["README.txt"].decode()
    for said in (
        "Cite us as {Earmark}, 2026.",
        "Ranked by: FENSE (higher is better), ties at 3 decimals",
        "Closed: 2026-03-01 12:00 UTC",
        "Metrics: FENSE\n",
    ):
        assert said in told
    assert "were not final" not in told
    figures = [name for name in found if name.startswith("evaluation/figures/")]
    assert figures
    for name in figures:
        if name.endswith(".json"):
            plotly = json.loads(found[name])
            assert plotly["data"]
            assert plotly["layout"]
            table = found[name.replace(".json", ".csv")].decode()
            assert len(table.splitlines()) > 1
    lines = [line.split("  ") for line in found.pop("SHA256SUMS").decode().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert sums == {name: sha256(data).hexdigest() for name, data in found.items()}


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
        {"scores_public": False},
        {"names_hidden_until": timezone.now() + timedelta(days=1)},
        {"frozen_at": NOW},
    ],
)
def test_before_the_end_it_is_for_organisers(finished: Cast, rules: dict[str, Any]) -> None:
    page = f"/c/{finished.phase.challenge.slug}/"
    assert address(finished) in finished.client(None).get(page).content.decode()
    if "frozen_at" in rules:
        phase_freeze(phase=finished.phase, actor=finished.organiser, now=NOW)
    else:
        Phase.objects.filter(pk=finished.phase.pk).update(**rules)
    for user in (None, finished.outsider, finished.member):
        client = finished.client(user)
        assert client.get(address(finished)).status_code == 404
        assert address(finished) not in client.get(page).content.decode()
    told = files(finished, finished.organiser)["README.txt"].decode()
    assert "The results were not final" in told
    assert address(finished) in finished.client(finished.organiser).get(page).content.decode()


def test_an_unpublished_or_empty_challenge_has_none(finished: Cast) -> None:
    finished.phase.challenge.published = False
    finished.phase.challenge.save()
    assert finished.client(None).get(address(finished)).status_code == 404
    other = PhaseFactory.create().challenge
    other.phases.all().delete()
    assert finished.client(None).get(f"/c/{other.slug}/results.zip").status_code == 404
