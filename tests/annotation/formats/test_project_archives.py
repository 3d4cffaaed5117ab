"""A whole project in one zip comes in again as a new project, with all of it or nothing."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.formats.project_archive import LEFT_OUT, MEMBERS, RECORDINGS, SETTINGS, TABLES
from annotation.models import (
    Annotation,
    Assignment,
    EarlierHand,
    Item,
    PairDraw,
    Project,
    Role,
    Scheme,
)
from annotation.selectors.captions.rows import caption_history
from annotation.selectors.formats import ExportSelection, download_of
from annotation.selectors.judging.votes import judged_references, judgment_file, phase_of, votes_of
from annotation.selectors.projects import worker_names
from annotation.selectors.stages.plan import stage_plan
from annotation.selectors.stages.ratings import project_quality
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.people import session_give
from annotation.services.projects import ProjectAct, member_add, member_remove
from annotation.services.stages import stage_update
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.formats.conftest import HOUR, archived, changed, empty_columns, rows_of
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
from tests.factories import PhaseFactory, UserFactory
from tests.leaderboard.challenges.test_commands import run

pytestmark = [pytest.mark.usefixtures("folder", "db")]


def test_every_column_of_every_table_is_carried_or_left_out_with_a_reason() -> None:
    """A new field fails here before an archive silently lacks it."""
    tables = (*TABLES, MEMBERS, SETTINGS, RECORDINGS)
    listed = {table.model for table in tables}
    assert listed | set(LEFT_OUT) == set(apps.get_app_config("annotation").get_models())
    assert not listed & set(LEFT_OUT)
    for table in tables:
        fields = {field.name for field in table.model._meta.concrete_fields}
        assert set(table.columns) | set(table.left_out) == fields, table.model
        assert not set(table.columns) & set(table.left_out)
    assert all([*LEFT_OUT.values(), *(why for t in tables for why in t.left_out.values())])


def test_a_project_comes_in_again_with_every_value(everything: Crew, tmp_path: Path) -> None:
    """The archive of what an archive made is the same, but for the name of the project's labels."""
    first, file = everything.project, tmp_path / "x.zip"
    file.write_bytes(archived(first))
    people = accounts_of(first)
    second, report = made_of(file, everything.manager, people)
    assert {person["name"] for person in report.people} <= set(people)
    before, after = rows_of(archived(first)), rows_of(archived(second))
    for part, rows in before.items():
        found = json.dumps(after[part]).replace(second.slug, first.slug)
        assert found == json.dumps(rows), part
    assert histories(second) == histories(first)
    labels = [
        b"".join(download_of(p, "prodigy", ExportSelection()).pieces) for p in (first, second)
    ]
    assert labels[1].replace(second.slug.encode(), first.slug.encode()) == labels[0]
    sounds = [list(p.sounds.values_list("file_name", "sha256")) for p in (first, second)]
    assert sounds[0] == sounds[1]
    assert len(sounds[0]) == 2


def histories(project: Project) -> list[list[tuple[object, ...]]]:
    """What the pages of its captions say that happened, and when."""
    names, items = worker_names(project), Item.with_removed.filter(project=project)
    return [
        [
            (event.at, event.who, event.what, event.notes)
            for event in caption_history(item, names)[1]
        ]
        for item in items.order_by("position")
    ]


def test_people_without_an_account_come_in_without_a_login(
    everything: Crew, tmp_path: Path
) -> None:
    file = tmp_path / "x.zip"
    member_remove(member=everything.project.members.get(user=everything.bob))
    file.write_bytes(archived(everything.project))
    out, _ = run(
        *("import_project", file, "--manager", everything.manager.username),
        *("--person", f"{everything.ann.username}={everything.outsider.username}"),
    )
    second = Project.objects.exclude(pk=everything.project.pk).get()
    assert out == f"Made the project {second.slug}: 7 captions, 7 answers, 2 settled, 2 sounds.\n"
    members = {row.name: row for row in second.members.select_related("user")}
    assert members[everything.ann.username].user == everything.outsider
    judge = members[everything.judge.username]
    assert (judge.user.is_active, judge.role) == (False, Role.ANNOTATOR)
    assert not judge.user.has_usable_password()
    assert everything.bob.username in members, "whose the answers of who left are"
    # Who brings it in manages it, under a name that nobody of the archive has.
    assert second.owner == everything.manager
    mine = second.members.get(user=everything.manager)
    assert (mine.role, mine.name) == (Role.MANAGER, f"{everything.manager.username} 2")
    # What nobody could go on with is free again.
    nobody = User.objects.filter(is_active=False)
    assert not Assignment.every.filter(project=second, done=False, user__in=nobody).exists()


def test_a_scheme_that_the_site_lacks_comes_along_as_the_projects_own(
    whole: Crew, tmp_path: Path
) -> None:
    """What one person brings in never changes what other projects choose from."""

    def other(data: bytes) -> bytes:
        row = json.loads(data)
        row["labels"][0]["guideline"] = "Another one."
        return json.dumps(row).encode()

    file, before = tmp_path / "x.zip", Scheme.objects.filter(published=True).count()
    file.write_bytes(changed(archived(whole.project), schemes=other))
    run("import_project", file, "--manager", whole.manager.username)
    made = Project.objects.exclude(pk=whole.project.pk).get()
    assert (made.scheme.slug, made.scheme.published) == (made.slug, False)
    assert made.scheme.inventory[0].guideline == "Another one."
    assert Scheme.objects.filter(published=True).count() == before


def test_the_same_project_gives_the_same_bytes_in_pieces(everything: Crew) -> None:
    pieces = list(project_archive_download(everything.project).pieces)
    assert b"".join(pieces) == archived(everything.project)
    assert max(map(len, pieces)) < 100_000


def judgments(project: Project) -> bytes:
    pairs = votes_of(project).pairs
    return judgment_file(pairs, judged_references(project, phase_of(project)))


def test_work_of_every_kind_comes_in_again_here_and_on_a_site_that_has_nothing_of_it(
    everything: Crew, tmp_path: Path
) -> None:
    archives = [archived(everything.project)]
    for kind, make in MAKERS.items():
        nothing_left()
        first, manager = make(tmp_path)
        file, files, results = written(first, tmp_path / "x.zip"), files_of(first), told_by(first)
        archives.append(file.read_bytes())
        judged = judgments(first) if kind == "judge" else b""
        here, _ = made_of(file, manager, accounts_of(first))
        assert rows_of(written(here, tmp_path / "y.zip").read_bytes()) == rows_of(archives[-1])
        assert (files_of(here), told_by(here)) == (files, results)
        assert here.sounds.count() == first.sounds.count() == (0 if kind == "judge" else 3)
        nothing_left()
        # Whoever comes in has another id than there.
        manager, *_ = UserFactory.create_batch(20)
        there, report = made_of(file, manager)
        assert (files_of(there), told_by(there), there.source) == (files, results, None)
        # Those that nobody had noted by then, too.
        hands = EarlierHand.objects.filter(item__project=there)
        assert hands.count() == len(rows_of(archives[-1])["earlier_hands.jsonl"])
        assert hands.exists() == (kind in {"write", "edit", "rate"})
        if kind == "judge":
            assert judgments(there) == judged
            assert (phase_of(there), report.linked, bool(report.phase)) == (None, False, True)
        # An archive of it is a whole one, too.
        third, _ = made_of(written(there, tmp_path / "y.zip"), manager)
        assert (files_of(third), told_by(third)) == (files, results)
        assert kind != "judge" or judgments(third) == judged
    assert empty_columns(*archives) == set()


def told_by(project: Project) -> list[Any]:
    return list(results_of(project))


def test_stages_that_are_restored_beside_each_other_are_linked_again(tmp_path: Path) -> None:
    chain = worked_chain(tmp_path)
    people = accounts_of(chain.write)
    before = [project_quality(stage)[0] for stage in chain.stages]
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
    assert [project_quality(stage)[0] for stage in made] == before
    answers = set(Annotation.objects.filter(item__project=write).values_list("pk", flat=True))
    assert {item.content["annotation"] for item in edit.items.all()} <= answers
    assert {item.meta["source"] for item in edit.items.all()} == {write.slug}


def test_a_source_that_did_not_feed_the_project_is_refused(tmp_path: Path) -> None:
    chain = worked_chain(tmp_path)
    file = written(chain.edit, tmp_path / "x.zip")
    with pytest.raises(Refused, match="is fed by"):
        made_of(file, chain.manager, source=chain.rate)
    other, _ = made_of(written(chain.write, tmp_path / "w.zip"), chain.manager)
    for answer in Annotation.objects.filter(item__project=other):
        answer.revisions.update(value={"text": "something else", "heard": True})
    with pytest.raises(Refused, match="This sound has no such caption"):
        made_of(file, chain.manager, source=other)
    rates = written(chain.rate, tmp_path / "r.zip")
    with pytest.raises(Refused, match="are not the stages of the archive"):
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


def test_the_project_that_feeds_it_is_chosen_on_the_page(tmp_path: Path) -> None:
    chain = worked_chain(tmp_path)
    User.objects.filter(pk=chain.manager.pk).update(is_staff=True)
    client = chain.client(chain.manager)
    with written(chain.edit, tmp_path / "x.zip").open("rb") as sent:
        address = client.post("/annotate/new/archive/", {"file": sent}).headers["Location"]
    assert "Project that feeds it" in client.get(address).content.decode()
    people = {f"person-{at}": "" for at in range(20)}
    for source, status in ((99999, 422), (chain.write.pk, 302)):
        response = client.post(address, {**people, "source_project": source})
        assert response.status_code == status
    assert Project.objects.latest("pk").source == chain.write
