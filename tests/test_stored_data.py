"""What a site stored before today is migrated, and the site answers as it did then."""

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from scoring.registry import METRICS
from scoring.signature import with_revision

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")
# Ends of intervals on pages of then that lay outside the range of CIDEr-D and FENSE.
IN_RANGE = {"-0.016": "0.000", "1.015": "1.000"}
END = re.compile("|".join(map(re.escape, IN_RANGE)))
# Invented names of hidden systems are made with it.
SECRET_KEY = "of the stored site"
Stored = dict[str, Any]

# A minute on a quiet machine.
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def then() -> Stored:
    """What the site of version 0.1.0 answered (tests/data/make_version_0_1_0.py.txt)."""
    return json.loads(unpacked("version_0_1_0.json.gz"))


@pytest.fixture(scope="module")
def today(then: Stored, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """What today's code answers from the dump of that site, once it is migrated."""
    folder = tmp_path_factory.mktemp("stored")
    path = folder / "old.sqlite3"
    with sqlite3.connect(path) as database:
        database.executescript(unpacked("version_0_1_0.sql.gz"))
    database.close()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "EARMARK_VAR": str(folder),
        "SECRET_KEY": SECRET_KEY,
        # What other tests keep there is of other sites.
        "CACHE_URL": "locmemcache://",
        "CELERY_BROKER_URL": "filesystem://localhost/",
        "DATABASE_URL": f"sqlite:///{path}",
    }
    python("manage.py", "migrate", "-v0", environment=environment)
    asked = [{"who": one["who"], "path": one["path"]} for one in then["answers"]]
    told = python("-m", "tests.data.today", environment=environment, said=json.dumps(asked))
    return json.loads(told)


def unpacked(name: str) -> str:
    return gzip.decompress((DATA / name).read_bytes()).decode()


def python(*command: str, environment: dict[str, str], said: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *command],
        input=said,
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def revised(value: Any, name: str = "") -> Any:
    """The same with signatures as they are written today, and intervals within their range."""
    if isinstance(value, dict):
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


def _in_range(end: re.Match[str]) -> str:
    return IN_RANGE[end[0]]


def comparable(answer: Stored) -> Any:
    """What stored data decide of an answer: of a page only the numbers, not how it words them."""
    body = answer["body"]
    if not (isinstance(body, list) and body and isinstance(body[0], list)):
        return body
    rows = ([NUMBER.findall(END.sub(_in_range, cell)) for cell in row] for row in body)
    return [numbers for row in rows if (numbers := [cell for cell in row if cell])]


def test_the_site_answers_as_it_did(then: Stored, today: Stored) -> None:
    found: list[str] = []
    for before, now in zip(then["answers"], today["answers"], strict=True):
        where = f"{before['who']} {before['path']}: "
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
    assert waited["signature"] == same["signature"] == today["waited"][0][2]


def test_captions_are_handed_out_as_they_were(then: Stored, today: Stored) -> None:
    states = {(user is not None, done) for _, _, user, done, _ in then["places"]}
    assert states == {(False, False), (True, False), (True, True)}
    assert today["assignments"] == then["places"]
