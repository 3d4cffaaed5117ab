"""The queries of a page do not grow with the number of submissions, nor with that of captions."""

import re

import pytest
from django.core.cache import caches
from django.db import connection
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
    QualificationCaption,
    Revision,
    Sound,
    Verdict,
)
from annotation.services.answers import revision_of
from annotation.services.projects import member_add
from annotation.spans import span_of, tokenized
from tests.factories import TeamFactory, UserFactory, finish, submit
from tests.leaderboard.access.authorisation_table import ROUTES
from tests.leaderboard.access.one_of_everything import PEOPLE, QUERIES, Everything, everything
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database

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
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get(url).getvalue()
    return len(found)


def counted(world: Everything, showing: re.Pattern[str] = SHOWING) -> dict[tuple[str, str], int]:
    """The queries of each page for each who may open it."""
    return {
        (who, route): queries(world.clients[who], world.path(route) + QUERIES.get(route, ""))
        for route, answers in ROUTES.items()
        if showing.search(route)
        for who in WHO
        if answers.get("GET", (0,) * len(PEOPLE))[PEOPLE.index(who)] == 200
    }


def test_they_do_not_grow_with_the_submissions(world: Everything) -> None:
    more_systems(world.cast)
    before = counted(world)
    more_systems(world.cast)
    after = counted(world)
    assert {key: (before[key], after[key]) for key in before if after[key] > before[key]} == {}
    assert len(before) > 100


LABELLING = re.compile("^annotate/|^api/v1/(labelling|data-sets)")
# More than any page shows one by one; what is read in parts is read in parts of 500.
FEW, MANY = 49, 490
TEXT = "a rian falls"


def more_captions(world: Everything, number: int) -> None:
    """Captions with all that can be of them, labelled differently by two, in as many more files."""
    project, people = world.project, world.project.members.order_by("pk")[:2]
    first, now, tokens = project.items.count(), timezone.now(), tokenized(TEXT)
    sound = project.sounds.all()[0]
    of = {"project": project, "copies": 2, "text": TEXT, "tokens": tokens}
    items = Item.objects.bulk_create(
        Item(key=f"{n}", position=n, rank=n, meta={"file_name": f"{n}.wav"}, **of)
        for n in range(first, first + number)
    )
    project.sounds.bulk_create(
        Sound(project=project, file_name=f"{item.position}.wav", sha256=sound.sha256, size=1)
        for item in items[::2]
    )
    for at, person in enumerate(people):
        done = Assignment.objects.bulk_create(
            Assignment(
                item=item, number=at + 1, project=project, rank=0, user=person.user, done=True
            )
            for item in items
        )
        spans = [span_of(at, 1, "WHO", tokens)]
        answers = Annotation.objects.bulk_create(
            Annotation(
                item=row.item,
                user=person.user,
                assignment=row,
                spans=spans,
                edit="x",
                comment="x",
                flagged=True,
                extra={},
                created_at=now,
                updated_at=now,
            )
            for row in done
        )
        Revision.objects.bulk_create(map(revision_of, answers))
        AssignmentRecord.objects.bulk_create(
            AssignmentRecord(item=item, user=person.user, at=now) for item in items
        )
    labels = ["O"] * len(tokens)
    Gold.objects.bulk_create(
        Gold(item=item, labels=labels, provenance=[], settled_at=now) for item in items[::2]
    )
    QualificationCaption.objects.bulk_create(
        QualificationCaption(project=project, text=TEXT, tokens=tokens, labels=labels)
        for _ in items[::10]
    )
    Import.objects.bulk_create(
        Import(project=project, file_name=f"{n}", sha256="0" * 64, at=now, by=people[0].user)
        for n in range(number // 10)
    )
    more_of_data_set(world.data_set, number)


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
    member_add(project=world.project, user=UserFactory.create())
    more_captions(world, FEW)
    before = counted(world, LABELLING)
    more_captions(world, MANY - FEW)
    after = counted(world, LABELLING)
    assert {key: (before[key], after[key]) for key in before if after[key] > before[key]} == {}
    assert len(before) > 50
