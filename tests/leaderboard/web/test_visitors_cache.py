"""Pages for visitors are kept, never stale, and never somebody's own."""

import gzip
import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from django.apps import apps
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.models import (
    Announcement,
    Challenge,
    ChallengeImage,
    Evaluation,
    MetricResult,
    Phase,
    PublicChange,
    Submission,
    Team,
    User,
)
from leaderboard.models.public_change import (
    WATCHED,
    public_changes_prune,
    public_version,
    watches_create,
    watches_drop,
)
from leaderboard.selectors.board.query import BoardQuery, Filters, Sort
from leaderboard.services.organising.judging import submission_disqualify, submission_restore
from leaderboard.services.organising.rescoring import rescoring_publish
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.services.ranking.snapshots import phase_freeze, phase_reveal
from leaderboard.services.submissions.changes import submission_take_back, submission_withdraw
from leaderboard.views.board import PARAMETERS
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.organising.rescoring_cases import LONG, compute, dry_run, scored_truly
from tests.leaderboard.scored_pages import scored
from tests.leaderboard.visibility.test_hidden_phase import taken_back

Response: TypeAlias = Any
FOREVER = 10**9

# No page shows them to visitors: secrets, people's own, organisers' and annotators' work.
SHOWN_TO_NO_VISITOR = {
    "leaderboard_announcementoptout",
    "leaderboard_apitoken",
    "leaderboard_attemptcount",
    "leaderboard_auditevent",
    "leaderboard_challenge_organisers",
    "leaderboard_notice",
    "leaderboard_organiserinvitation",
    "leaderboard_challengeparticipation",
    "leaderboard_publicchange",
    # What a dry run changes when it is published are evaluations and the phase.
    "leaderboard_rescoring",
    "leaderboard_stagedreferences",
    "leaderboard_teaminvitation",
    "leaderboard_user_groups",
    "leaderboard_user_user_permissions",
    "leaderboard_waitingmail",
    "leaderboard_workerprocess",
    *(model._meta.db_table for model in apps.get_app_config("annotation").get_models()),
}


@pytest.fixture(autouse=True)
def nothing_is_new_by_time_alone(settings: Settings) -> None:
    settings.VISITORS_CACHE_SECONDS = FOREVER
    settings.RATELIMIT_ENABLE = False


@pytest.fixture
def system(cast: Cast) -> Submission:
    scored(cast.phase, TeamFactory.create(name="Rivals"), "Oak", 0.6)
    return scored(cast.phase, cast.team, "Elm", 0.4)


def pages(cast: Cast, system: Submission) -> dict[str, str]:
    """An address of each view whose pages are kept."""
    challenge, phase = cast.phase.challenge.slug, cast.phase.slug
    return {
        "home": reverse("leaderboard:home"),
        "challenge": reverse("leaderboard:challenge", args=[challenge]),
        "board": reverse("leaderboard:board", args=[challenge, phase]),
        "history": reverse("leaderboard:history", args=[challenge, phase]),
        "system": reverse("leaderboard:system", args=[system.public_id]),
        "metrics": reverse("leaderboard:metrics"),
        "agreement": reverse("leaderboard:metrics-agreement"),
    }


def from_cache(client: Client, address: str) -> bool:
    """Whether a page costs no more than asking for the version."""
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in asked] == [VERSION]


VERSION = "SELECT COUNT(*), MIN(id), MAX(id) FROM leaderboard_publicchange"


def anew(settings: Settings, client: Client, address: str) -> Response:
    """The same page without the cache."""
    settings.VISITORS_CACHE_SECONDS = 0
    response = client.get(address)
    settings.VISITORS_CACHE_SECONDS = FOREVER
    return response


def test_every_table_is_watched_or_shown_to_no_visitor() -> None:
    """A new model needs a thought about which of the two it is."""
    tables = {
        model._meta.db_table
        for app in ("leaderboard", "annotation")
        for model in apps.get_app_config(app).get_models(include_auto_created=True)
    }
    assert tables == WATCHED.keys() | (SHOWN_TO_NO_VISITOR & tables)
    assert not WATCHED.keys() & SHOWN_TO_NO_VISITOR


@pytest.mark.django_db
def test_the_columns_that_count_are_there() -> None:
    for table, columns in WATCHED.items():
        with connection.cursor() as cursor:
            found = connection.introspection.get_table_description(cursor, table)
        assert set(columns) <= {column.name for column in found}, table


@pytest.mark.django_db
def test_the_triggers_come_back_after_migrations_and_only_where_they_are_missing() -> None:
    def change() -> bool:
        before = public_version()
        TeamFactory.create()
        return public_version() != before

    assert change()
    watches_drop(plan=[])
    assert change()
    watches_drop(plan=["a migration"])
    assert not change()
    watches_create()
    assert change()
    with CaptureQueriesContext(connection) as asked:
        watches_create()
    assert not [query for query in asked if "CREATE" in query["sql"] or "DROP" in query["sql"]]


def test_pages_are_kept_for_visitors(cast: Cast, system: Submission) -> None:
    visitor = cast.client(None)
    for address in pages(cast, system).values():
        assert not from_cache(visitor, address), address
        assert from_cache(visitor, address), address
        assert from_cache(visitor, f"{address}?fbclid=where-it-was-found"), address


def test_an_answer_from_the_cache_is_that_of_the_page(cast: Cast, system: Submission) -> None:
    """Nothing that is made for each request comes from another."""
    visitor = cast.client(None)
    for address in pages(cast, system).values():
        first, second = (visitor.get(address) for _ in range(2))
        ids = {answer.headers.pop("X-Request-ID") for answer in (first, second)}
        assert len(ids) == 2
        assert first.headers == second.headers
        assert first.content == second.content
        assert first["Cache-Control"] == "public, no-cache"
        assert {"Cookie", "Accept-Encoding"} <= set(first["Vary"].split(", "))
        assert "default-src 'none'" in first["Content-Security-Policy"]


def test_a_visitor_who_has_the_page_is_told_so(cast: Cast, system: Submission) -> None:
    visitor, address = cast.client(None), pages(cast, system)["board"]
    etag = visitor.get(address)["ETag"]
    known = visitor.get(address, headers={"If-None-Match": etag})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", etag)
    assert known["Cache-Control"] == "public, no-cache"
    Team.objects.filter(pk=cast.team.pk).update(name="Renamed")
    other = visitor.get(address, headers={"If-None-Match": etag})
    assert (other.status_code, other["ETag"] == etag) == (200, False)


def test_browsers_get_it_compressed_others_plain_and_head_has_its_headers(
    cast: Cast, system: Submission
) -> None:
    visitor, address = cast.client(None), pages(cast, system)["board"]
    plain = visitor.get(address)
    small = visitor.get(address, headers={"Accept-Encoding": "br, gzip"})
    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == plain.content
    assert "Content-Encoding" not in plain
    head = visitor.head(address)
    assert (head.status_code, head.content) == (200, b"")
    assert (head["ETag"], head["Content-Type"]) == (plain["ETag"], plain["Content-Type"])


CHANGES: dict[str, tuple[str, Callable[[Cast, Submission], object]]] = {
    "a system comes": ("board", lambda cast, _: submit(cast.phase, TeamFactory.create())),
    "a result comes": (
        "board",
        lambda cast, _: finish(Submission.objects.get(system_name="Waiting")),
    ),
    "a result changes": (
        "board",
        lambda cast, system: MetricResult.objects.filter(submission=system).update(value=0.9),
    ),
    "a result goes": (
        "system",
        lambda cast, system: MetricResult.objects.filter(
            submission=system, metric="cider_d"
        ).delete(),
    ),
    "an evaluation fails": (
        "system",
        lambda cast, system: Evaluation.objects.filter(submission=system, family="meteor").update(
            state="failed", reason="It broke."
        ),
    ),
    "a team is renamed": (
        "board",
        lambda cast, _: Team.objects.filter(pk=cast.team.pk).update(name="Renamed"),
    ),
    "a system is renamed": (
        "system",
        lambda cast, system: Submission.objects.filter(pk=system.pk).update(system_name="Ash"),
    ),
    "a system is withdrawn": (
        "board",
        lambda cast, system: submission_withdraw(
            submission=system, actor=cast.owner, now=timezone.now()
        ),
    ),
    "a system is disqualified": (
        "home",
        lambda cast, _: submission_disqualify(
            submission=Submission.objects.get(system_name="Oak"),
            reason="It copied.",
            actor=cast.organiser,
            now=timezone.now(),
        ),
    ),
    "the ranking is frozen": (
        "board",
        lambda cast, _: phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now()),
    ),
    "names are hidden": (
        "history",
        lambda cast, _: Phase.objects.update(
            names_hidden_until=timezone.now() + timedelta(days=400)
        ),
    ),
    "scores are hidden": ("home", lambda cast, _: Phase.objects.update(scores_public=False)),
    "references are hidden": (
        "challenge",
        lambda cast, _: Phase.objects.update(references_public=False),
    ),
    "the phase closes": (
        "challenge",
        lambda cast, _: Phase.objects.update(closes_at=timezone.now() - timedelta(seconds=1)),
    ),
    "another metric ranks": ("board", lambda cast, _: Phase.objects.update(ranking_metric="fense")),
    "ranges of ranks are made": (
        "board",
        lambda cast, _: rank_estimates_refresh(phase_id=cast.phase.pk, now=timezone.now()),
    ),
    "there is news": (
        "challenge",
        lambda cast, _: Announcement.objects.create(
            challenge=cast.phase.challenge, title="News", published_at=timezone.now()
        ),
    ),
    "there is a logo": (
        "challenge",
        lambda cast, _: ChallengeImage.objects.create(
            challenge=cast.phase.challenge,
            name="logo",
            is_logo=True,
            sha256="0" * 64,
            content=b"x",
            width=1,
            height=1,
            uploaded_at=timezone.now(),
        ),
    ),
    "the text changes": ("home", lambda cast, _: Challenge.objects.update(title="Another")),
    "a challenge comes": (
        "home",
        lambda cast, _: Challenge.objects.create(slug="x", title="X", published=True),
    ),
    "a challenge is not public any more": (
        "home",
        lambda cast, _: Challenge.objects.update(published=False),
    ),
}


def test_what_changes_is_seen_at_once(cast: Cast, system: Submission, settings: Settings) -> None:
    submit(cast.phase, TeamFactory.create(), name="Waiting")
    visitor = cast.client(None)
    for name, (page, change) in CHANGES.items():
        # Versions are given again once a change was taken back.
        caches["pages"].clear()
        with taken_back():
            address = pages(cast, system)[page]
            before = visitor.get(address)
            assert from_cache(visitor, address)
            change(cast, system)
            after = visitor.get(address)
            assert after.content != before.content, name
            assert after.content == anew(settings, visitor, address).content, name
        system.refresh_from_db()
        cast.phase.refresh_from_db()


def test_what_is_taken_back_and_revealed_is_seen_at_once(cast: Cast, system: Submission) -> None:
    visitor, address = cast.client(None), pages(cast, system)["board"]
    actor: dict[str, Any] = {"actor": cast.organiser, "now": timezone.now()}
    phase_freeze(phase=cast.phase, **actor)
    cast.phase.refresh_from_db()
    scored(cast.phase, TeamFactory.create(), "Yew", 0.9)
    assert b"Yew" not in visitor.get(address).content
    phase_reveal(phase=cast.phase, **actor)
    assert b"Yew" in visitor.get(address).content
    submission_withdraw(submission=system, actor=cast.owner, now=timezone.now())
    assert b"Elm" not in visitor.get(address).content
    system.refresh_from_db()
    submission_take_back(submission=system, actor=cast.owner, now=timezone.now())
    assert b"Elm" in visitor.get(address).content
    submission_disqualify(submission=system, reason="It copied.", **actor)
    assert b"Elm" not in visitor.get(address).content
    system.refresh_from_db()
    submission_restore(submission=system, **actor)
    assert b"Elm" in visitor.get(address).content


def test_a_rescoring_is_seen_when_it_is_published_and_not_before(cast: Cast) -> None:
    system = scored_truly(cast.phase, cast.team, "Elm", LONG)
    visitor, address = cast.client(None), pages(cast, system)["system"]
    before = visitor.get(address).content
    rescoring = dry_run(cast.phase)
    compute(rescoring)
    assert visitor.get(address).content == before
    rescoring_publish(
        rescoring=rescoring, actor=cast.organiser, now=timezone.now(), accept_failures=False
    )
    assert visitor.get(address).content != before


def test_what_is_hidden_does_not_come_from_when_it_was_public(
    cast: Cast, system: Submission
) -> None:
    visitor = cast.client(None)
    concerned = {name: pages(cast, system)[name] for name in ("board", "history", "system")}
    for address in concerned.values():
        assert visitor.get(address).status_code == 200
    Phase.objects.update(scores_public=False)
    codes = {name: visitor.get(address).status_code for name, address in concerned.items()}
    assert codes == {"board": 200, "history": 404, "system": 404}
    assert b"Elm" not in visitor.get(concerned["board"]).content
    Challenge.objects.update(published=False)
    for address in (*concerned.values(), pages(cast, system)["challenge"]):
        assert visitor.get(address).status_code == 404
    assert cast.client(cast.organiser).get(concerned["board"]).status_code == 200
    assert visitor.get(concerned["board"]).status_code == 404
    Challenge.objects.update(published=True)
    assert visitor.get(concerned["board"]).status_code == 200


def test_a_page_is_nobody_elses(cast: Cast, system: Submission, settings: Settings) -> None:
    """Visitors, the team, organisers and outsiders in turn: each gets what they would without."""
    Phase.objects.update(names_hidden_until=timezone.now() + timedelta(days=400))
    people: tuple[User | None, ...] = (None, cast.member, None, cast.organiser, cast.outsider, None)
    clients = [cast.client(user) for user in people]
    for name, address in pages(cast, system).items():
        for user, client in zip(people, clients, strict=True):
            got, alone = client.get(address), anew(settings, client, address)
            assert plain(got) == plain(alone), (name, user)
            if user is not None:
                assert user.username in got.content.decode()
                assert (got["Cache-Control"], "ETag" in got) == ("private", False)
            else:
                assert cast.team.name not in got.content.decode(), name


def plain(response: Response) -> str:
    """A page without what is another one in each answer to one who is logged in."""
    text = response.content.decode()
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


def test_jobs_and_log_ins_alone_make_no_page_anew(cast: Cast, system: Submission) -> None:
    visitor, address = cast.client(None), pages(cast, system)["board"]
    visitor.get(address)
    Evaluation.objects.update(
        clips_done=1, lease_expires_at=timezone.now(), enqueued_at=timezone.now(), worker="x"
    )
    cast.client(cast.member)
    assert from_cache(visitor, address)


def test_a_page_is_made_anew_when_its_time_is_over(
    cast: Cast, system: Submission, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phases open and close on the minute, when nothing else changes."""
    settings.VISITORS_CACHE_SECONDS = 10
    noon = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=1)
    Phase.objects.update(closes_at=noon)
    visitor, address = cast.client(None), pages(cast, system)["challenge"]
    seen = {}
    for before in (9, 1, 0):
        monkeypatch.setattr(timezone, "now", lambda before=before: noon - timedelta(seconds=before))
        seen[before] = b">Open<" in visitor.get(address).content
    assert seen == {9: True, 1: True, 0: False}


def test_the_leaderboard_is_told_all_that_an_address_can_say() -> None:
    everything = BoardQuery(
        every_system=True,
        columns=("fense",),
        preset="",
        sort=Sort("meteor", reverse=True),
        own=True,
        filters=Filters("a", "b", "c", 1.0, 2.0, "yes"),
        page=2,
        as_visitor=True,
    )
    written = {
        name
        for asked in (everything, BoardQuery(preset="all"))
        for name, _ in [*asked.pairs(), ("page", "2")]
    }
    assert written == set(PARAMETERS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_transactions_that_end_in_another_order_than_they_began_are_all_seen() -> None:
    begun, end = threading.Event(), threading.Event()

    def early() -> None:
        try:
            with transaction.atomic():
                TeamFactory.create(name="Early")
                begun.set()
                end.wait()
        finally:
            connection.close()

    thread = threading.Thread(target=early)
    thread.start()
    begun.wait()
    versions = [public_version()]
    TeamFactory.create(name="Late")
    versions.append(public_version())
    end.set()
    thread.join()
    versions.append(public_version())
    assert len(set(versions)) == 3


@pytest.mark.django_db
def test_old_changes_are_pruned_and_no_version_comes_again() -> None:
    PublicChange.objects.all().delete()
    now = timezone.now()
    old, last = (
        PublicChange.objects.create(at=now - timedelta(minutes=minutes)) for minutes in (20, 15)
    )
    public_changes_prune(now)
    assert list(PublicChange.objects.all()) == [last]
    assert old.pk < last.pk
