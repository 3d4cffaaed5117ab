"""Of hidden references nothing leaves the server, whatever is asked for and whoever asks.

The references, the captions, their details and the values of single clips have marks that no
answer may have in it, be it page, fragment, file, header or JSON.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django import Settings

from earmark.captions import References
from leaderboard.models import Challenge, MetricResult, Phase, Submission, User
from leaderboard.services.clips.audio import audio_add
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import TeamFactory, finish, reference_set, submit
from tests.leaderboard.analysis.test_profile_page import cb
from tests.leaderboard.clips.test_clips_page import set_details
from tests.leaderboard.conftest import Cast
from tests.leaderboard.visibility.hidden_addresses import (
    ALL,
    CONCERNED,
    DETAIL,
    ELSEWHERE,
    OF_A_PHASE,
    OTHERS,
    PEOPLE,
    REFERENCE,
    REFUSED,
    Row,
)
from tests.sounds import wav, zipped

Response: TypeAlias = Any

CAPTION, NAME = "kestrelish", "nightjar"
VALUES = (0.73519, 0.62843, 0.51937, 0.84671, 0.39283)
REFERENCES = References.build(
    [(f"{NAME}{n}.wav", [f"A {REFERENCE} rings {n} times.", f"A {REFERENCE}."]) for n in range(5)]
)
ROWS = "".join(f"{NAME}{n}.wav,a {CAPTION} rings\n" for n in range(5))
FILE = f"file_name,caption_predicted\n{ROWS}".encode()


@dataclass(frozen=True)
class World:
    """A phase with hidden references, a system and the human row, with marks in all of them."""

    cast: Cast
    submission: Submission
    human: Submission
    rival: Submission

    def client(self, who: str) -> Client:
        """The browser of one of ``PEOPLE``."""
        user: User | None = None if who == "anonymous" else getattr(self.cast, who)
        return self.cast.client(user)

    def path(self, route: str, query: str = "", *, of: Submission | None = None, **own: str) -> str:
        """Write an address with the names of what there is, of the system unless ``of`` another."""
        values = {
            "challenge": self.cast.phase.challenge.slug,
            "phase": self.cast.phase.slug,
            "public_id": (of or self.submission).public_id,
            "number": "2",
            "file_name": f"{NAME}1.wav",
            "name": "cider_d",
            "sha256": "0" * 64,
            "document": "about",
            "picture": "architecture.svg",
            "team": self.cast.team.slug,
            "token": "none",
            "pk": "1",
            "identity": "none@00000000",
            "version": "none",
            "reference_set": str(self.cast.phase.reference_set_id),
        } | own
        found = re.sub(r"<\w+:(\w+)>", lambda part: values[part[1]], route)
        ids = {name: getattr(self, name).public_id for name in ("submission", "human", "rival")}
        return f"/{found}{query.format(**ids)}"

    def subjects(self, route: str) -> tuple[Submission, ...]:
        """The submissions that an address is asked about."""
        return (self.submission, self.human) if "public_id" in route else (self.submission,)


@pytest.fixture
def world(cast: Cast, settings: Settings, tmp_path: Path) -> World:
    settings.RATELIMIT_ENABLE = False
    settings.AUDIO_DIR = tmp_path / "audio"
    cast.rules(reference_set=reference_set(REFERENCES), references_public=False)
    submission = submit(cast.phase, cast.team, data=FILE)
    human = human_row_create(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    rival = submit(cast.phase, TeamFactory.create(), data=FILE)
    for system in (submission, human, rival):
        finish(system, value=0.1)
        clip = cb({f"{DETAIL}s": 1}, [DETAIL])
        set_details(system, "cb", [clip] * 5)
        spoken = [{"text": DETAIL, "label": "WHO", "confidence": 1.0}]
        told = [[{"text": REFERENCE, "label": "WHO"}]]
        words = {"words": spoken, "references": told, "labels": []}
        set_details(system, "aces", [words] * 5)
        # The text of an unexpected error is for organisers, and may quote a reference.
        system.evaluations.filter(family="meteor").update(state="failed", detail=REFERENCE)
    sounds = zipped({f"{NAME}1.wav": wav()}, tmp_path / "sounds.zip")
    audio_add(phase=cast.phase, path=sounds, actor=None, now=timezone.now())
    packed = MetricResult.pack_per_clip(np.array(VALUES, np.float32))
    MetricResult.objects.update(per_clip=packed)
    return World(cast, submission, human, rival)


def send(
    client: Client, method: str, path: str, upload: bytes | None = None, act: str = ""
) -> Response:
    """Send a request, with a file or an act where there is one."""
    data: dict[str, Any] = {"act": act} if act else {}
    data |= {} if upload is None else {"file": SimpleUploadedFile("mine.csv", upload)}
    if method == "POST":
        return client.post(path, data)
    return client.generic(method, path)


def whole(response: Response) -> str:
    """All that an answer sends: headers, cookies and body."""
    body = response.getvalue().decode("utf-8", "replace")
    # Moments are told to the microsecond, which may look like a score.
    body = re.sub(r"(\d\d:\d\d:\d\d)\.\d+", r"\1", body)
    return f"{response.headers}\n{response.cookies}\n{body}"


def marks(*, own: bool = False, names: bool = False) -> list[str]:
    """List what must not be seen; captions may where they are the team's ``own``."""
    values = [f"{value:.3f}"[1:] for value in VALUES]
    found = [REFERENCE, DETAIL, *values]
    return [*found, *([] if own else [CAPTION]), *([NAME] if names else [])]


def leaked(response: Response, hidden: list[str]) -> list[str]:
    text = whole(response).lower()
    return [mark for mark in hidden if mark.lower() in text]


def views(patterns: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every address of the site as its pattern, with its view."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns, here)
        elif isinstance(pattern, URLPattern):
            yield here, pattern.callback


def routes() -> Iterator[str]:
    """Every address of the site as its pattern."""
    return (route for route, _view in views())


def acts() -> Iterator[tuple[str, str]]:
    """Every act that is posted to the address of a page (``with_acts``)."""
    return ((route, act) for route, view in views() for act in getattr(view, "acts", ()))


def test_every_address_is_in_a_table() -> None:
    """A new one needs a thought about what it tells of a hidden phase, and a row there."""
    concerned = {
        route
        for route in routes()
        if OF_A_PHASE.search(route) or not (route.startswith(ELSEWHERE) or route in OTHERS)
    }
    assert concerned == set(CONCERNED)


def test_the_marks_are_found_where_they_may_be_seen(world: World) -> None:
    """Else no answer would have them in it either."""
    client = world.client("organiser")
    base = "api/v1/submissions/<slug:public_id>/clips"
    found = [
        client.get(world.path("s/<slug:public_id>/clips/", "?metric=cider_d&sort=file")),
        client.get(world.path("s/<slug:public_id>/clips/<int:number>/")),
        client.get(world.path(base, "?metric=cider_d")),
        client.get(world.path(f"{base}/<path:file_name>")),
    ]
    for response in found:
        assert response.status_code == 200
        seen = leaked(response, marks(names=True))
        assert {REFERENCE, CAPTION, NAME, f"{VALUES[1]:.3f}"[1:]} <= set(seen)
    assert DETAIL in leaked(found[1], marks())


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back what requests changed, so that the next person finds all as it was made."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def expected(row: Row, world: World, of: Submission, who: str) -> int:
    codes = row.human if row.human and of == world.human else row.codes
    return codes[PEOPLE.index(who)]


# Six digits: an id of a request is told on a refusal, and may by chance have five.
EXACT = re.compile(r"\d*\.?\d*123456\d*")


def test_answers_are_as_the_table_says_and_tell_no_mark_and_no_exact_number(world: World) -> None:
    """By the last digits of a mean one could tell many clips apart with each submission."""
    MetricResult.objects.update(value=0.5123456789, low=0.4123456789, high=0.6123456789)
    faults = []
    for who in PEOPLE:
        client = world.client(who)
        with taken_back():
            for route, row, of, at in every_query(world):
                path = world.path(route, row.queries[at], of=of)
                response = send(client, row.method, path, row.upload)
                # Organisers get an answer to the first; the others may ask for what is not there.
                wanted = expected(row, world, of, who)
                listed = route in CONCERNED and (who != "organiser" or at == 0)
                if listed and response.status_code != wanted:
                    faults.append(f"{path} answers {response.status_code} and not {wanted}")
                if who != "organiser":
                    own = row.own and who == "member" and of == world.submission
                    seen = [*leaked(response, marks(own=own)), *EXACT.findall(whole(response))[:1]]
                    faults += [f"{path} tells {who} {mark}" for mark in seen]
    assert faults == []
    board = world.path("api/v1/phases/<slug:challenge>/<slug:phase>/leaderboard")
    assert "0.5123456789" in whole(world.client("organiser").get(board))
    assert "0.512" in whole(world.client("outsider").get(board))


ASKED = {
    **CONCERNED,
    **{route: Row(ALL) for route in sorted(OTHERS) if "^" not in route},
}


def every_query(world: World) -> Iterator[tuple[str, Row, Submission, int]]:
    """Each address with its row, a submission that it is asked about, and the place of a query."""
    for route, row in ASKED.items():
        for of in world.subjects(route):
            for at in range(len(row.queries)):
                yield route, row, of, at


def test_of_an_unpublished_challenge_nothing_is_found(world: World) -> None:
    Challenge.objects.update(published=False)
    faults = []
    for who in ("anonymous", "outsider"):
        client = world.client(who)
        # A request that is faulty whatever it asks for, and the log-in, say nothing, either.
        # Nor does an address of before, which leads on whatever there is.
        nothing = {301, 400, 401, 404} | ({302} if who == "anonymous" else set())
        for route, row in CONCERNED.items():
            for of in world.subjects(route):
                path = world.path(route, row.queries[0], of=of)
                found = send(client, row.method, path, row.upload).status_code
                faults += [f"{path} answers {found}"] if found not in nothing else []
    assert faults == []
    organiser = world.client("organiser")
    for route, row in CONCERNED.items():
        # Pictures are for sites that show a link to what everyone may see.
        if (row.codes[3], row.method) == (200, "GET") and "share.png" not in route:
            path = world.path(route, row.queries[0])
            assert organiser.get(path).status_code == 200, path


# Who may see the most without being an organiser, and who is answered from the cache; what each
# address answers when it is asked as it is meant stands in the table above.
METHODS = {
    "member": ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"),
    "anonymous": ("HEAD",),
}


def test_no_method_tells_more(world: World) -> None:
    faults = []
    for who, methods in METHODS.items():
        client = world.client(who)
        for method, (route, row, of, at) in product(methods, every_query(world)):
            if at == 0 and method != row.method:
                response = send(client, method, path := world.path(route, row.queries[-1], of=of))
                own = row.own and who == "member" and of == world.submission
                seen = leaked(response, marks(own=own))
                faults += [f"{method} {path} tells {who} {mark}" for mark in seen]
    assert faults == []


def test_no_act_tells_more(world: World) -> None:
    """What acts do to whom is in the table of authorisation; here is what they tell."""
    faults = []
    for who in PEOPLE[:3]:
        client = world.client(who)
        for route, act in acts():
            if OF_A_PHASE.search(route):
                for of in world.subjects(route):
                    path = world.path(route, of=of)
                    answers = send(client, "POST", path, act=act), client.get(f"{path}?act={act}")
                    seen = [mark for answer in answers for mark in leaked(answer, marks())]
                    faults += [f"{act} of {path} tells {who} {mark}" for mark in seen]
    assert faults == []


STATES: dict[str, dict[str, Any]] = {
    "secret scores": {"scores_public": False},
    "not open yet": {"opens_at": timedelta(days=1)},
    # What people wrote is scored beforehand, and by its clips all references could be read.
    "public from the opening on": {"opens_at": timedelta(days=1), "references_public": True},
}


@pytest.mark.parametrize("state", STATES)
def test_no_state_of_the_phase_tells_more(world: World, state: str) -> None:
    rules, faults = dict(STATES[state]), []
    if closed := "opens_at" in rules:
        rules["opens_at"] += timezone.now()
    Phase.objects.update(**rules)
    public = "references_public" in rules
    for who in ("anonymous", "member"):
        client = world.client(who)
        for route, row, of, at in every_query(world):
            if at == len(row.queries) - 1 or public:
                path = world.path(route, row.queries[at], of=of)
                own = row.own and who == "member" and of == world.submission
                # What clips there are is told when a phase opens, and before to those who knew it.
                seen = leaked(client.get(path), marks(own=own, names=closed and not own))
                faults += [f"{path} tells {who} {mark}" for mark in seen]
    assert faults == []
    if public:
        clips = world.path("s/<slug:public_id>/clips/", of=world.human)
        assert "public once it opens" in whole(world.client("outsider").get(clips))
        assert world.client("organiser").get(clips).status_code == 200
        Phase.objects.update(opens_at=timezone.now())
        assert leaked(world.client("outsider").get(clips), marks())


ALIKE: dict[str, tuple[str, ...]] = {
    "s/<slug:public_id>/clips/<int:number>/": ("2", "5", "6", "999999"),
    "api/v1/submissions/<slug:public_id>/clips/<path:file_name>": (
        f"{NAME}1.wav",
        f"{NAME}9.wav",
        "none.wav",
    ),
}
READING = re.compile(r"clipdetails|per_clip|\"payload\"|\"content\"", re.IGNORECASE)


def asked_alike(world: World) -> Iterator[list[str]]:
    """Addresses that must not be told apart: of clips that are there and that are not."""
    for route, clips in ALIKE.items():
        yield [world.path(route, number=clip, file_name=clip) for clip in clips]
    for route, row in CONCERNED.items():
        if row.codes == REFUSED and len(row.queries) > 1:
            yield [world.path(route, query) for query in row.queries]


def traced(client: Client, path: str) -> tuple[str, list[str]]:
    """An answer without what differs from request to request, and the queries it cost."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(path)
    assert response.status_code == 403, path
    statements = [re.sub(r"'\d{4}-\d\d-\d\d[^']*'", "TIME", row["sql"]) for row in queries]
    body = response.content.decode().replace(path.replace("&", "&amp;"), "PATH")
    return re.sub(r'value="\w{64}"', "TOKEN", body), statements


def test_a_refusal_costs_the_same_whatever_clip_is_asked_for(world: World) -> None:
    """Neither the answer nor the time that it takes can depend on a clip, as none is read."""
    for who, paths in product(PEOPLE[:3], asked_alike(world)):
        client = world.client(who)
        body, statements = traced(client, paths[0])
        assert statements
        assert not READING.search(" ".join(statements))
        for path in paths[1:]:
            assert traced(client, path) == (body, statements), path
