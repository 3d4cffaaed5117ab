"""What is written into the audit log and of rankings stays, whoever tries and however."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from leaderboard.models import AuditEvent, LabellerUse, RankSnapshot, SnapshotReason
from leaderboard.services.audit_log import audit_record
from tests.factories import NOW, ChallengeFactory, PhaseFactory, UserFactory

pytestmark = pytest.mark.django_db


def event() -> AuditEvent:
    return audit_record(
        "test", "it", actor=UserFactory.create(), now=NOW, challenge=ChallengeFactory.create()
    )


def snapshot() -> RankSnapshot:
    return RankSnapshot.objects.create(
        phase=PhaseFactory.create(),
        reason=SnapshotReason.FREEZE,
        taken_at=NOW,
        taken_by=UserFactory.create(),
        ranking_metric="cider_d",
        precision=3,
        content={"rows": []},
        sha256="0" * 64,
    )


def use() -> LabellerUse:
    return LabellerUse.objects.create(
        labeller=None, identity="a@01234567", put_by=UserFactory.create(), put_at=NOW
    )


Row = AuditEvent | RankSnapshot | LabellerUse
# A column with text of each, to write over.
COLUMNS = {AuditEvent: "action", RankSnapshot: "sha256", LabellerUse: "identity"}
every = pytest.mark.parametrize("make", [event, snapshot, use])


def same(row: Row) -> bool:
    """Tell whether the row is as it was when it was made."""
    columns = [field.attname for field in row._meta.concrete_fields]
    now = type(row).objects.values(*columns).get(pk=row.pk)
    return now == {name: getattr(row, name) for name in columns}


@every
@pytest.mark.parametrize(
    "attempt",
    [
        lambda row: row.save(),
        lambda row: row.delete(),
        lambda row: type(row).objects.filter(pk=row.pk).update(pk=row.pk + 1),
        lambda row: type(row).objects.filter(pk=row.pk).delete(),
        lambda row: type(row).objects.bulk_update([row], ["sha256"]),
        lambda row: type(row).objects.update_or_create(pk=row.pk),
    ],
    ids=["save", "delete", "update", "delete many", "bulk update", "update or create"],
)
def test_the_models_say_that_it_stays(
    make: Callable[[], Row], attempt: Callable[[Row], Any]
) -> None:
    row = make()
    with pytest.raises(IntegrityError, match="never changed or deleted"):
        attempt(row)
    assert same(row)


STATEMENTS = {
    "update": "UPDATE {table} SET id = id + 1",
    "update in part": "UPDATE {table} SET {column} = 'x' WHERE id = {pk}",
    "delete": "DELETE FROM {table} WHERE id = {pk}",
    "delete all": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table} CASCADE",
    "replace": "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    "upsert": "INSERT INTO {table} SELECT * FROM {table} WHERE id = {pk} "
    "ON CONFLICT (id) DO UPDATE SET {column} = 'x'",
}
ONLY = {"truncate": "postgresql", "replace": "sqlite"}
KNOWN = [name for name in STATEMENTS if ONLY.get(name, connection.vendor) == connection.vendor]


@every
@pytest.mark.parametrize("name", KNOWN)
def test_the_database_refuses_whatever_the_models_are_passed_by(
    make: Callable[[], Row], name: str
) -> None:
    row = make()
    table = row._meta.db_table
    column = COLUMNS[type(row)]
    statement = STATEMENTS[name].format(table=table, column=column, pk=row.pk)
    # What is still to be checked at the end of a transaction would refuse a TRUNCATE, too.
    connection.check_constraints()
    with (
        pytest.raises(IntegrityError, match=f"{table} can only be added to"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert same(row)


def test_a_new_row_never_takes_the_number_of_an_old_one() -> None:
    row = event()
    other = AuditEvent(pk=row.pk, at=NOW, action="other", target="other")
    with pytest.raises(IntegrityError), transaction.atomic():
        other.save()
    assert same(row)


def test_people_and_challenges_can_go_and_what_they_did_stays() -> None:
    row = event()
    for gone in (row.actor, row.challenge):
        assert gone is not None
        type(gone)._base_manager.filter(pk=gone.pk).delete()
    assert same(row)
    read = AuditEvent.objects.select_related("actor", "challenge").get(pk=row.pk)
    assert (read.actor, read.challenge) == (None, None)
    assert read.actor_id == row.actor_id


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["first", "again"])
def test_the_refusals_are_back_after_the_tables_were_emptied(time: str) -> None:
    """Between these two the tables are emptied, as after every test with real transactions."""
    row = event()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM leaderboard_auditevent")
    assert same(row), time
