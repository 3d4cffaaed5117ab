"""Each challenge has its own reference sets, which were one row for all with the same content."""

from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# What organisers noted when they added recordings.
SOUNDS = ("phase.audio", "phase.audio_address", "references.publish")


def give_to_challenges(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The row stays with the challenge that added its recordings, and the others get copies.

    A copy has the recordings only if its challenge added some, or nobody is known to have.
    """
    sets = apps.get_model("leaderboard", "ReferenceSet")
    # Documents come after the sets that are counted over them, which say whose they are.
    order = sets.objects.order_by(models.F("documents").asc(nulls_last=True), "pk")
    for stored in list(order.defer("payload")):
        _give(stored, apps)
    if editor.connection.vendor == "postgresql":
        # What waits to be checked would forbid to change the table in the same transaction.
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _give(stored: Any, apps: Apps) -> None:
    sets = type(stored).objects
    phases = apps.get_model("leaderboard", "Phase").objects.filter(reference_set=stored)
    systems = apps.get_model("leaderboard", "Submission").objects.filter(other_references=stored)
    wholes = sets.filter(documents=stored, challenge__isnull=False)
    uses = {
        *phases.values_list("challenge", flat=True),
        *systems.values_list("phase__challenge", flat=True),
        *wholes.values_list("challenge", flat=True),
    }
    events = apps.get_model("leaderboard", "AuditEvent").objects
    heard = events.filter(action__in=SOUNDS, challenge__in=uses)
    added = set(heard.values_list("challenge", flat=True)) or uses
    for number, challenge in enumerate(sorted(uses, key=lambda one: (one not in added, one))):
        if number == 0:
            sets.filter(pk=stored.pk).update(challenge=challenge)
            continue
        copy = _copy(stored, challenge, heard=challenge in added)
        phases.filter(challenge=challenge).update(reference_set=copy)
        systems.filter(phase__challenge=challenge).update(other_references=copy)
        wholes.filter(challenge=challenge).update(documents=copy)


def _copy(stored: Any, challenge: int, *, heard: bool) -> Any:
    copy = type(stored).objects.get(pk=stored.pk)
    copy.pk, copy.challenge_id = None, challenge
    if not heard:
        copy.audio_base_url = ""
    copy.save()
    audio = list(stored.audio.all()) if heard else []
    for row in audio:
        row.pk, row.reference_set = None, copy
    stored.audio.model.objects.bulk_create(audio)
    return copy


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0031_judgment_sets"),
    ]

    operations = [
        migrations.AlterField(
            model_name="referenceset",
            name="content_hash",
            field=models.CharField(db_index=True, editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="referenceset",
            name="challenge",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="reference_sets",
                to="leaderboard.challenge",
            ),
        ),
        migrations.RunPython(give_to_challenges, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="referenceset",
            constraint=models.UniqueConstraint(
                fields=("challenge", "content_hash"), name="references_once_per_challenge"
            ),
        ),
    ]
