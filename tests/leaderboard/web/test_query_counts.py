"""The queries of a page do not grow with the number of submissions, nor with that of captions."""

import re
from copy import copy
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.db.models.base import ModelState
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetClip,
    Gold,
    Import,
    Item,
    Revision,
    Sound,
    Verdict,
)
from annotation.services.answers import revision_of
from annotation.services.projects import member_add
from tests.annotation.formats.work_of_kinds import MAKERS
from tests.annotation.labelled import label
from tests.factories import TeamFactory, UserFactory, finish, submit
from tests.leaderboard.access.authorisation_table import ROUTES, TABLE
from tests.leaderboard.access.one_of_everything import PEOPLE, Everything, everything
from tests.leaderboard.conftest import Cast

# Addresses on which something of a phase, a system or a team stands.
SHOWING = re.compile(
    "^$|challenge>|public_id>|^teams/|^account/|^manage/|^api/v1/(phases|teams)"
    "|^annotate/new/$|/manage/captions/$"
)
WHO = ("anonymous", "member", "organiser")
# More than any page shows one by one, apart from lists that have pages.
SYSTEMS = 10


@pytest.fixture
def world(cast: Cast, settings: Settings) -> Everything:
    settings.RATELIMIT_ENABLE = False
    settings.VISITORS_CACHE_SECONDS = 0
    return everything(cast)


def more_systems(cast: Cast) -> None:
    """Systems of other teams, and of the team whose pages are asked for."""
    for number, team in enumerate((*TeamFactory.create_batch(SYSTEMS - 2), cast.team, cast.team)):
        system = submit(cast.phase, team, name=f"System {number}")
        finish(system, value=0.3 + 0.01 * number, seed=number)


def queries(client: Client, url: str) -> int:
    """How many queries a page takes that was not kept, once the process knows the captions."""
    for _ in range(2):
        for name in ("default", "parts", "pages"):
            caches[name].clear()
        with CaptureQueriesContext(connection) as found:
            client.get(url).getvalue()
    return len(found)


def counted(world: Everything, showing: re.Pattern[str] = SHOWING) -> dict[tuple[str, str], int]:
    """The queries of each page for each who may open it."""
    return {
        (who, asked): queries(world.clients[who], asked)
        for (method, route), codes in TABLE.items()
        if method.startswith("GET") and showing.search(route)
        for asked in [world.address(method, route)]
        for who in WHO
        if codes[PEOPLE.index(who)] == 200
    }


def test_they_do_not_grow_with_the_submissions(world: Everything) -> None:
    more_systems(world.cast)
    before = counted(world)
    more_systems(world.cast)
    after = counted(world)
    assert {key: (before[key], after[key]) for key in before if after[key] > before[key]} == {}
    assert len(before) > 100


LABELLING = re.compile("^annotate/|^api/v1/labelling")
# More than any page shows one by one; what is read in parts is read in parts of 500.
FEW, MANY = 49, 490
TEXT = "a rian falls"


def more_like(item: Item, number: int) -> None:
    """Items with all that is of one, each of another sound."""
    project, known = item.project, {row.pk: row for row in item.annotations.all()}
    first = project.items.count() + 100
    items = Item.objects.bulk_create(
        copy_of(item, key=f"{n}", position=n, rank=n, meta={**item.meta, "file_name": f"{n}.wav"})
        for n in range(first, first + number)
    )
    Sound.objects.bulk_create(
        copy_of(sound, project=project, file_name=f"{row.position}.wav")
        for sound in Sound.objects.all()[:1]
        for row in items[::2]
    )
    for table in (Assignment, AssignmentRecord, Gold):
        rows = list(table._default_manager.filter(item=item))
        table._default_manager.bulk_create(
            copy_of(row, item=copied) for row in rows for copied in items
        )
    places = {(row.item_id, row.user_id): row for row in Assignment.objects.exclude(item=item)}
    answers = Annotation.objects.bulk_create(
        copy_of(row, item=copied, assignment=places.get((copied.pk, row.user_id)))
        for row in known.values()
        for copied in items
    )
    Revision.objects.bulk_create(map(revision_of, answers))
    Import.objects.bulk_create(
        Import(project=project, file_name=f"{n}", sha256="0" * 64, at=timezone.now())
        for n in range(number // 10)
    )


def copy_of(row: Any, **changes: Any) -> Any:
    """A row that is not stored yet, like one that is."""
    made = copy(row)
    made.pk, made._state = None, ModelState()
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def more_of_data_set(data_set: DataSet, number: int) -> None:
    """Clips of a data set, each with a caption, a finding that is open and a decided one."""
    first, now = data_set.clips.count(), timezone.now()
    clips = DataSetClip.objects.bulk_create(
        DataSetClip(data_set=data_set, position=n, file_name=f"{n}.wav")
        for n in range(first, first + number)
    )
    captions = DataSetCaption.objects.bulk_create(
        DataSetCaption(clip=clip, number=1, text=TEXT, original=TEXT) for clip in clips
    )
    place = {"kind": "spelling", "start": 2, "end": 6, "text": "rian", "before": TEXT}
    for verdict in (Verdict.OPEN, Verdict.DISMISSED):
        findings = CaptionFinding.objects.bulk_create(
            CaptionFinding(caption=caption, verdict=verdict, **place) for caption in captions
        )
    CaptionDecision.objects.bulk_create(
        CaptionDecision(
            caption=row.caption, finding=row, act="dismissed", by=data_set.owner, at=now
        )
        for row in findings
    )


def test_they_do_not_grow_with_the_captions(world: Everything) -> None:
    item = world.project.items.all()[0]
    for at in range(2):
        member_add(project=world.project, user=(user := UserFactory.create()))
        label(item, user, (at, 1, "WHO"), comment="x")
    counts = []
    for number in (FEW, MANY - FEW):
        more_like(item, number)
        more_of_data_set(world.data_set, number)
        counts.append(counted(world, LABELLING))
    before, after = counts
    assert {key: (before[key], after[key]) for key in before if after[key] > before[key]} == {}
    assert len(before) > 50


@pytest.mark.parametrize("kind", MAKERS)
def test_they_do_not_grow_with_the_items_of_other_kinds_of_work(
    db: None, kind: str, tmp_path: Path, settings: Settings
) -> None:
    settings.RATELIMIT_ENABLE = False
    project, manager = MAKERS[kind](tmp_path)
    client = Client()
    client.force_login(manager)
    item = project.items.filter(annotations__assignment__isnull=False).distinct().last()
    assert item is not None
    pages = [
        f"/{route}".replace("<slug:project>", project.slug)
        for route in ROUTES
        if re.fullmatch("annotate/<slug:project>/[^<]*", route)
    ]
    opened = [url for url in pages if client.get(url).status_code == HTTPStatus.OK]
    more_like(item, FEW)
    before = {url: queries(client, url) for url in opened}
    more_like(item, MANY - FEW)
    after = {url: queries(client, url) for url in opened}
    assert {url: (before[url], after[url]) for url in opened if after[url] > before[url]} == {}
    assert len(opened) > 10
