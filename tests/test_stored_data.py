"""What a site stored before today is migrated, and the site answers as it did then."""

import gzip
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from earmark.registry import METRICS
from earmark.signature import with_revision
from tests.leaderboard.backups.sites import Site
from tests.real_data import ROOT

DATA = ROOT / "tests" / "data"
NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")
# Ends of intervals on pages of then that lay outside the range of CIDEr-D and FENSE.
IN_RANGE = {"-0.016": "0.000", "1.015": "1.000"}
END = re.compile("|".join(map(re.escape, IN_RANGE)))
TIE = re.compile(r"Tied with (?:.+? and (\d+) more)?")
# Parameters that are no defaults today, which names of metrics tell since.
TOLD = re.compile(r" \((?:sigma 1|detector earmark-fl-1)\)")
# The file of a kept ranking, which is its page in another format since.
KEPT = re.compile(r"(/rankings/\d+)\.json$")
# Operations of the API that there are no more (CHANGELOG.md).
GONE = re.compile("/(notices|disputes|gold|labellers|trainings(/1)?)$")
# Drawn anew, or worded anew.
ANEW = ("p_values", "p_value", "rank_probabilities", "definition")
# Invented names of hidden systems are made with it.
SECRET_KEY = "of the stored site"
Stored = dict[str, Any]

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def then() -> Stored:
    """What the site of version 0.1.0 answered (tests/data/make_version_0_1_0.py.txt)."""
    found: Stored = json.loads(unpacked("version_0_1_0.json.gz"))
    return found | {"answers": [one for one in found["answers"] if not GONE.search(one["path"])]}


@pytest.fixture(scope="module")
def today(
    then: Stored,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Stored:
    """What today's code answers from the dump of that site, once it is migrated."""
    folder = tmp_path_factory.mktemp("stored")
    path = folder / "old.sqlite3"
    with sqlite3.connect(path) as database:
        database.executescript(unpacked("version_0_1_0.sql.gz"))
    database.close()
    site = Site(folder, f"sqlite:///{path}", SECRET_KEY=SECRET_KEY)
    asked = [
        {"who": one["who"], "path": KEPT.sub(r"\1/?format=json", one["path"])}
        for one in then["answers"]
    ]
    with django_db_blocker.unblock():
        site.manage("migrate", "-v0")
        return answers_of(site, asked)


def answers_of(site: Site, asked: list[dict[str, Any]]) -> Stored:
    told: Stored = json.loads(python("-m", "tests.data.today", site=site, said=json.dumps(asked)))
    return told


def unpacked(name: str) -> str:
    return gzip.decompress((DATA / name).read_bytes()).decode()


def python(*command: str, site: Site, said: str = "") -> str:
    """What a program says about a site."""
    done = subprocess.run(
        [sys.executable, *command],
        input=said,
        env=site.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def revised(value: Any, name: str = "") -> Any:
    """The same with signatures as they are written today, and intervals within their range.

    How long something takes is not said any more where no worker was seen, as none is here.
    What a caption was seen as has edges of spans now: who looked before looks again. What is
    drawn anew for each answer is drawn by halves of the clips since.
    """
    if isinstance(value, dict):
        value = {key: one for key, one in value.items() if key not in ANEW}
        if "votes" in value and "seen" in value:
            value = {key: one for key, one in value.items() if key != "seen"}
        if "eta_seconds" in value:
            value = {**value, "eta_seconds": None}
        if name in METRICS and value.get("low") is not None:
            value = {**value, "low": max(value["low"], METRICS[name].low)}
        if name in METRICS and value.get("high") is not None:
            value = {**value, "high": min(value["high"], METRICS[name].high)}
        return {key: revised(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [revised(one) for one in value]
    if isinstance(value, str):
        return re.sub(r"\S+\|v:[0-9.]+", lambda found: with_revision(found[0]), value)
    return value


def differences(then: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where ``now`` lacks something of ``then`` or has it otherwise; more fields are none."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key in now:
                yield from differences(value, now[key], f"{where}/{key}")
            else:
                yield f"{where}/{key} is gone"
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for at, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{where}/{at}")
    elif then != now:
        yield f"{where}: {then!r} is now {now!r}"


def compared(before: Stored) -> Any:
    """What an answer of then has to be today."""
    # A ranking that was kept is handed out as it was kept, as its digest says.
    return before["body"] if before["path"].endswith(".json") else revised(comparable(before))


def _with_count(tie: re.Match[str]) -> str:
    """How many a system is tied with, as pages of then said it; today's name the first."""
    return f"tied with {1 + int(tie[1] or 0)} "


def comparable(answer: Stored) -> Any:
    """What stored data decide of an answer: of a page only the numbers, not how it words them."""
    body = json.loads(TOLD.sub("", json.dumps(answer["body"])))
    if answer["path"].endswith("/analysis") and "ranks_by_metric" in body:
        # What decides comes first since, and a count of words ranks nothing.
        ranks = {row["metric"]: row["ranks"] for row in body["ranks_by_metric"]}
        return {**body, "ranks_by_metric": {**ranks, "vocab": None}}
    if answer["path"].endswith("/history"):
        return {**body, "moments": _changes_of_ranks(body["moments"])}
    if not (isinstance(body, list) and body and isinstance(body[0], list)):
        return body
    whole = ([END.sub(lambda end: IN_RANGE[end[0]], cell) for cell in row] for row in body)
    cells = ([TIE.sub(_with_count, cell) for cell in row] for row in whole)
    # When a system was submitted stands last since.
    ordered = (sorted(row, key=lambda cell: cell.count("-") == 2) for row in cells)
    rows = ([_alone(NUMBER.findall(cell)) for cell in row] for row in ordered)
    told = [numbers for row in rows if (numbers := [cell for cell in row if cell])]
    # In the head stood the ends of the axis of the intervals, which the picture has since.
    return told[1:] if told and len(told[0]) == 1 else told


def _alone(numbers: list[str]) -> list[str]:
    """A rank with a range of this rank alone, as pages of then said it, is the rank."""
    return numbers[:1] if len(numbers) == 2 and numbers[0] == numbers[1] else numbers


def _changes_of_ranks(moments: list[Stored]) -> list[Stored]:
    """Moments without scores, and without those at which a score changed but no rank."""
    told: list[Stored] = []
    for moment in moments:
        if not told or told[-1]["ranks"] != moment["ranks"]:
            told.append({"at": moment["at"], "ranks": moment["ranks"]})
    return told


def test_the_site_answers_as_it_did(then: Stored, today: Stored) -> None:
    found: list[str] = []
    for before, now in zip(then["answers"], today["answers"], strict=True):
        where = f"{before['who']} {before['path']}: "
        if before["path"].endswith("/rankings/"):
            # The list stands on the page of the rank history; each ranking is asked for below.
            found += differences(HTTPStatus.MOVED_PERMANENTLY, now["status"], where)
            continue
        found += differences(before["status"], now["status"], where)
        if before["status"] == HTTPStatus.OK:
            found += differences(compared(before), comparable(now), where)
    assert not found, "\n".join(found[:40])


def test_the_stored_site_is_worth_asking(then: Stored) -> None:
    """Ranked systems, of which each visitor sees another part, stand in both phases."""
    boards = {
        (one["who"], one["path"].split("/")[5]): one["body"]["rows"]
        for one in then["answers"]
        if one["path"].endswith("/leaderboard")
    }
    assert {who for who, _ in boards} == {None, "member", "organiser"}
    assert all(any(row["rank"] == 1 for row in rows) for rows in boards.values())
    assert len({json.dumps(boards[who, "blind"]) for who in (None, "member", "organiser")}) == 3
    text = json.dumps(list(boards.values()))
    assert "|v:0.1.0" in text
    assert "|r:1" not in text


def test_what_waited_is_scored_and_compared(today: Stored) -> None:
    assert [row[:2] for row in today["waited"]] == [["Waiting", "cider_d"]]
    assert today["waiting"] == []
    path = "/open/leaderboard?systems=all"
    before, rows = (
        {
            row["system_name"]: row
            for one in answers
            if one["path"].endswith(path)
            for row in one["body"]["rows"]
        }
        for answers in (today["answers"], today["afterwards"])
    )
    assert before["Waiting"]["rank"] is None
    waited, same = (rows[name]["metrics"]["cider_d"] for name in ("Waiting", "Long"))
    assert rows["Waiting"]["rank"] == rows["Long"]["rank"]
    assert waited["value"] == same["value"]
    # CIDEr-D has another revision since: numbers of then and of now are told apart.
    assert same["signature"] == today["waited"][0][2]
    assert waited["signature"] == same["signature"].replace("|r:1", "|r:2")


def test_captions_are_handed_out_as_they_were(then: Stored, today: Stored) -> None:
    states = {(user is not None, done) for _, _, user, done, _ in then["places"]}
    assert states == {(False, False), (True, False), (True, True)}
    assert today["assignments"] == then["places"]


def test_what_was_settled_stands_as_it_was_and_has_no_note(today: Stored) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(unpacked("version_0_1_0.sql.gz"))
        for name, rows in today["gold"].items():
            then = database.execute(
                f"SELECT id, labels, spans, provenance FROM annotation_{name} ORDER BY id"
            ).fetchall()
            assert rows == [[key, *map(json.loads, parts), ""] for key, *parts in then]
            assert rows
