"""A project of any kind of work comes in again: items, answers, votes, results and files."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.formats.project_archive import SETTINGS, TABLES, ProjectArchiveRefused
from annotation.models import Annotation, EarlierHand, Item, PairDraw, Project
from annotation.selectors.judging.judgment_file import judgment_file
from annotation.selectors.judging.votes import judged_references, phase_of, votes_of
from annotation.selectors.stages.plan import stage_plan
from annotation.selectors.stages.quality import project_quality
from annotation.services.formats.project_archives import _stored
from annotation.services.projects import ProjectAct, member_add
from annotation.services.sessions import session_give
from annotation.services.stages import stage_update
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW
from tests.annotation.formats.conftest import HOUR
from tests.annotation.formats.test_project_archives import (
    OF_OTHER_WORK,
    Keys,
    _nothing_to_carry,
    _same_rows,
)
from tests.annotation.formats.work_of_kinds import (
    MAKERS,
    accounts_of,
    files_of,
    made_of,
    nothing_left,
    results_of,
    worked_chain,
    worked_court,
    written,
)
from tests.annotation.kinds.conftest import SOUNDS
from tests.factories import PhaseFactory, UserFactory

pytestmark = [pytest.mark.usefixtures("folder", "db")]
by_kind = pytest.mark.parametrize("kind", MAKERS)


def judgments(project: Project) -> bytes:
    pairs = votes_of(project).pairs
    return judgment_file(pairs, judged_references(project, phase_of(project)))


@by_kind
def test_every_value_results_and_files_are_the_same_on_the_same_site(
    kind: str, tmp_path: Path
) -> None:
    first, manager = MAKERS[kind](tmp_path)
    second, _ = made_of(written(first, tmp_path / "x.zip"), manager, accounts_of(first))
    stored = [(t, [list(_stored(p, t.model)) for p in (first, second)]) for t in TABLES]
    keys: Keys = {
        table.model: {one.pk: other.pk for one, other in zip(*rows, strict=True)}
        for table, rows in stored
    }
    for table, rows in stored:
        # Who made an answer saw a pair as the archive says, which the first project draws anew.
        left = {"extra"} if kind == "judge" and table.model is Annotation else set()
        _same_rows(table, list(zip(*rows, strict=True)), keys, left)
    _same_rows(SETTINGS, [(first, second)], keys)
    assert files_of(second) == files_of(first)
    assert list(results_of(second)) == list(results_of(first))
    assert second.sounds.count() == first.sounds.count() == (0 if kind == "judge" else len(SOUNDS))


@by_kind
def test_results_and_files_are_the_same_on_a_site_that_has_nothing_of_it(
    kind: str, tmp_path: Path
) -> None:
    first, _ = MAKERS[kind](tmp_path)
    file, files, results = (
        written(first, tmp_path / "x.zip"),
        files_of(first),
        list(results_of(first)),
    )
    judged = judgments(first) if kind == "judge" else b""
    # Those that nobody has noted by now, too.
    hands = len(list(_stored(first, EarlierHand)))
    nothing_left()
    # Whoever comes in has another id than there.
    manager, *_ = UserFactory.create_batch(20)
    second, report = made_of(file, manager)
    assert files_of(second) == files
    assert list(results_of(second)) == results
    assert second.source is None
    assert EarlierHand.objects.filter(item__project=second).count() == hands
    assert (hands > 0) == (kind in {"write", "edit", "rate"})
    if kind == "judge":
        assert judgments(second) == judged
        assert (phase_of(second), report.linked) == (None, False)
        assert report.phase
    # An archive of it is a whole one, too.
    third, _ = made_of(written(second, tmp_path / "y.zip"), manager)
    assert files_of(third) == files
    assert list(results_of(third)) == results
    assert kind != "judge" or judgments(third) == judged


def test_every_column_is_carried_by_a_project_of_some_kind(tmp_path: Path) -> None:
    """What is empty in all projects of these tests would compare as the same whatever is lost."""
    empty = set(OF_OTHER_WORK)
    for make in MAKERS.values():
        project, _ = make(tmp_path)
        for table in TABLES:
            rows = list(_stored(project, table.model))
            empty -= {f"{table.part}: {one.name}" for one in _filled(table, rows)}
        empty -= {f"{SETTINGS.part}: {one.name}" for one in _filled(SETTINGS, [project])}
        nothing_left()
    assert not empty


def _filled(table: Any, rows: list[Any]) -> list[Any]:
    nothing = set(_nothing_to_carry(table, rows))
    columns = [table.model._meta.get_field(name) for name in table.columns]
    return [one for one in columns if f"{table.part}: {one.name}" not in nothing]


def test_stages_that_are_restored_beside_each_other_are_linked_again(tmp_path: Path) -> None:
    chain = worked_chain(tmp_path)
    people = accounts_of(chain.write)
    before = [project_quality(stage).people for stage in chain.stages]
    source: Project | None = None
    made: list[Project] = []
    for stage in chain.stages:
        file = written(stage, tmp_path / "x.zip")
        source, _ = made_of(file, chain.manager, people, source)
        made.append(source)
    write, edit, rate = made
    assert [stage.source for stage in made] == [None, write, edit]
    # Nothing is to come, to change or to go: the items name the answers of the new projects.
    assert not any(stage_plan(stage) for stage in made)
    assert stage_update(project=rate, now=NOW + HOUR).outdated == 0
    assert [project_quality(stage).people for stage in made] == before
    answers = set(Annotation.objects.filter(item__project=write).values_list("pk", flat=True))
    assert {item.content["annotation"] for item in edit.items.all()} <= answers
    assert {item.meta["source"] for item in edit.items.all()} == {write.slug}


def test_a_source_that_did_not_feed_the_project_is_refused(tmp_path: Path) -> None:
    chain = worked_chain(tmp_path)
    file = written(chain.edit, tmp_path / "x.zip")
    with pytest.raises(ProjectArchiveRefused, match="is fed by"):
        made_of(file, chain.manager, source=chain.rate)
    other, _ = made_of(written(chain.write, tmp_path / "w.zip"), chain.manager)
    for answer in Annotation.objects.filter(item__project=other):
        answer.revisions.update(value={"text": "something else", "heard": True})
    with pytest.raises(ProjectArchiveRefused, match="This sound has no such caption"):
        made_of(file, chain.manager, source=other)
    rates = written(chain.rate, tmp_path / "r.zip")
    with pytest.raises(ProjectArchiveRefused, match="are not the stages of the archive"):
        made_of(rates, chain.manager, source=chain.write)
    assert Project.objects.count() == 4


def test_nobody_meets_a_sound_again_that_they_had_a_hand_in(tmp_path: Path) -> None:
    """Those who wrote are kept from editing where the project of writing is not there, too."""
    chain = worked_chain(tmp_path)
    writer, fresh = chain.people[0], UserFactory.create()
    file, people = written(chain.edit, tmp_path / "x.zip"), accounts_of(chain.edit)
    without = {name: user for name, user in people.items() if user != writer}
    second, _ = made_of(file, chain.manager, without)
    Project.objects.exclude(pk=second.pk).delete()
    Annotation.objects.filter(item__project=second).update(assignment=None)
    second.assignments.update(user=None, done=False)
    session = second.members.get(name=writer.username)
    taken = tasks_take(project=second, user=session.user, count=9, now=NOW, lease=LEASE)
    assert taken == []
    # Whoever is given the session is kept from them, too; others are not.
    for user in (writer, fresh):
        member_add(project=second, user=user, name=f"{user.username} anew")
    session_give(session=session, to=writer, act=ProjectAct(chain.manager, NOW))
    assert tasks_take(project=second, user=writer, count=9, now=NOW, lease=LEASE) == []
    assert len(tasks_take(project=second, user=fresh, count=9, now=NOW, lease=LEASE)) == 6


def test_pairs_are_linked_with_their_phase_for_who_organises_it(tmp_path: Path) -> None:
    court = worked_court(tmp_path)
    file = written(court.project, tmp_path / "x.zip")
    mine, report = made_of(file, court.manager, accounts_of(court.project))
    assert (phase_of(mine), report.linked) == (court.phase, True)
    assert judgments(mine) == judgments(court.project)
    items = Item.objects.filter(project=mine)
    assert set(items.values_list("reference_set", flat=True)) == {court.phase.reference_set_id}
    assert not items.exclude(extra={}).exists()
    draw = PairDraw.objects.get(project=mine)
    assert draw.systems == [court.good.public_id, court.poor.public_id]
    # Who does not organise it has no way to it, whatever the archive says.
    other, report = made_of(file, court.helper, accounts_of(court.project))
    assert (phase_of(other), report.linked) == (None, False)
    assert not Item.objects.filter(project=other, reference_set__isnull=False).exists()
    assert list(results_of(other)) == list(results_of(court.project))


def test_who_does_not_organise_the_phase_gets_made_up_names_and_no_references(
    tmp_path: Path,
) -> None:
    court = worked_court(tmp_path)
    response = court.client(court.helper).post(f"{court.address}files/archive/")
    file = tmp_path / "x.zip"
    file.write_bytes(b"".join(response))
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert not any("Good <b>" in part or "Team <One>" in part for part in parts.values())
    rows = [json.loads(line) for line in parts["captions.jsonl"].splitlines()]
    assert not any(row["extra"] for row in rows)
    second, _ = made_of(file, court.helper, accounts_of(court.project))
    unnamed = list(results_of(court.project, named=False))
    assert list(results_of(second, named=False)) == unnamed
    page = court.client(court.helper).get(reverse("annotation:judging", args=[second.slug]))
    assert "not linked to a phase on this site" in page.content.decode()
    assert "?format=json" not in page.content.decode()
    # The organiser's has both, and so has the page of a project that is made of it.
    response = court.client(court.manager).post(f"{court.address}files/archive/")
    file.write_bytes(b"".join(response))
    third, _ = made_of(file, court.outsider)
    client = court.client(court.outsider)
    address = reverse("annotation:judging", args=[third.slug])
    assert "Good &lt;b&gt;" in client.get(address).content.decode()
    told = client.get(address, {"format": "json"})
    assert b"".join(told) == judgments(court.project)


def test_an_archive_cannot_name_systems_of_another_phase(tmp_path: Path) -> None:
    """Who writes public ids of a hidden phase into an archive learns no names by them."""
    court = worked_court(tmp_path)
    file = written(court.project, tmp_path / "x.zip")
    mine, _ = made_of(file, court.manager)
    court.good.phase = PhaseFactory.create(reference_set=court.phase.reference_set)
    court.good.save(update_fields=["phase"])
    told = str(list(results_of(mine)))
    assert "Good <b>" not in told
    assert "A system that is gone" in told


@pytest.mark.parametrize("kind", ["edit", "judge"])
def test_the_page_says_what_is_outside_and_links_what_is_chosen(kind: str, tmp_path: Path) -> None:
    first, manager = MAKERS[kind](tmp_path)
    User.objects.filter(pk=manager.pk).update(is_staff=True)
    client = Client()
    client.force_login(manager)
    answers = client.get(reverse("annotation:manage-answers", args=[first.slug]))
    assert "Download the whole project" in answers.content.decode()
    sent = written(first, tmp_path / "x.zip").open("rb")
    with sent:
        address = client.post("/annotate/new/archive/", {"file": sent}).headers["Location"]
    page = client.get(address).content.decode()
    wanted = "Project that feeds it" if kind == "edit" else "and you organise it"
    assert wanted in page
    people = {f"person-{at}": "" for at in range(20)}
    chosen = {"source_project": first.source_id} if kind == "edit" else {}
    refused = client.post(address, {**people, "source_project": "99999"})
    assert refused.status_code == (422 if kind == "edit" else 302)
    if kind == "edit":
        assert client.post(address, {**people, **chosen}).status_code == 302
    made = Project.objects.latest("pk")
    assert (made.kind, made.source) == (kind, first.source)
