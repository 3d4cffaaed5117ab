"""Imports, versions of labels and guidelines, qualification, recordings, invitations, owners."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0010_assignments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="GuidelinesVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True)),
                ("saved_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["project", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Not imported yet"),
                            ("done", "Imported"),
                            ("undone", "Taken back"),
                        ],
                        default="done",
                        max_length=7,
                    ),
                ),
                ("file_name", models.CharField(blank=True, max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("content", models.BinaryField(default=b"")),
                ("inventory", models.CharField(blank=True, max_length=50)),
                ("chosen", models.JSONField(default=dict)),
                ("mapping", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("copies", models.JSONField(default=dict)),
                ("made", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_hash", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("annotator", "Annotator"),
                            ("adjudicator", "Adjudicator"),
                            ("manager", "Manager"),
                        ],
                        default="annotator",
                        max_length=12,
                    ),
                ),
                (
                    "uses",
                    models.PositiveSmallIntegerField(
                        default=1,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                    ),
                ),
                ("used", models.PositiveSmallIntegerField(default=0)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="QualificationAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("labels", models.JSONField()),
                ("spans", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["attempt", "id"],
            },
        ),
        migrations.CreateModel(
            name="QualificationCaption",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("tokens", models.JSONField()),
                ("labels", models.JSONField()),
                ("spans", models.JSONField(default=list)),
                ("note", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ["project", "id"],
            },
        ),
        migrations.CreateModel(
            name="QualificationTry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("same", models.PositiveIntegerField(default=0)),
                ("words", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["project", "user", "number"],
            },
        ),
        migrations.CreateModel(
            name="SendBack",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("note", models.CharField(max_length=500)),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Sound",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
                ("media_type", models.CharField(max_length=40)),
                ("file_name", models.CharField(max_length=500)),
            ],
            options={
                "ordering": ["project", "file_name"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="assignment",
            name="assignment_once",
        ),
        migrations.AddField(
            model_name="annotation",
            name="inventory",
            field=models.CharField(blank=True, default="", max_length=50),
        ),
        migrations.AddField(
            model_name="annotation",
            name="made_as",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="annotation",
            name="scheme",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AddField(
            model_name="annotation",
            name="set_aside",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="annotation",
            name="test",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="assignment",
            name="test",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="gold",
            name="note",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="gold",
            name="scheme",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="removed_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="item",
            name="removed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="member",
            name="given_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="member",
            name="given_to",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="member",
            name="guidelines_read",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="member",
            name="guidelines_read_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="member",
            name="qualified",
            field=models.CharField(
                blank=True,
                choices=[
                    ("passed", "Passed"),
                    ("by_hand", "Let in by a manager"),
                    ("at_work", "At work before"),
                ],
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="member",
            name="qualified_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="pastgold",
            name="note",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="pastgold",
            name="scheme",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="archived_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="project",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="pass_mark",
            field=models.PositiveSmallIntegerField(
                default=80,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="qualification_on",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="project",
            name="qualification_tries",
            field=models.PositiveSmallIntegerField(
                default=3,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(20),
                ],
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="suggestion_threshold",
            field=models.FloatField(
                default=0.7,
                help_text="Confidence from which a suggestion is strong, 0 to 1.",
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="test_every",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="inventory",
            field=models.CharField(blank=True, default="", max_length=50),
        ),
        migrations.AddField(
            model_name="revision",
            name="scheme",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AddField(
            model_name="scheme",
            name="asks_again",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="scheme",
            name="becomes",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="scheme",
            name="made_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="scheme",
            name="previous",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AddField(
            model_name="scheme",
            name="published",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="scheme",
            name="restores",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.scheme",
            ),
        ),
        migrations.AlterField(
            model_name="pastgold",
            name="end",
            field=models.CharField(
                choices=[
                    ("taken_back", "Taken back"),
                    ("replaced", "Decided again"),
                    ("renewed", "All agreed on other labels"),
                    ("relabelled", "The labels changed"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="people",
            field=models.ManyToManyField(
                related_name="labelling_projects",
                through="annotation.Member",
                through_fields=("project", "user"),
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("test", False)),
                fields=("item", "number"),
                name="assignment_once",
            ),
        ),
        migrations.AddField(
            model_name="guidelinesversion",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="guidelines_versions",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="guidelinesversion",
            name="saved_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="import",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="import",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="imports",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="import",
            name="undone_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="annotation",
            name="imported_in",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="annotations",
                to="annotation.import",
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="imported_in",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="items",
                to="annotation.import",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="created_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="session",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotation.member",
            ),
        ),
        migrations.AddField(
            model_name="qualificationcaption",
            name="item",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotation.item",
            ),
        ),
        migrations.AddField(
            model_name="qualificationcaption",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="qualification_captions",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="qualificationanswer",
            name="caption",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="annotation.qualificationcaption",
            ),
        ),
        migrations.AddField(
            model_name="qualificationtry",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="qualificationtry",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="qualificationanswer",
            name="attempt",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="annotation.qualificationtry",
            ),
        ),
        migrations.AddField(
            model_name="sendback",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="sendback",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="annotation",
            name="sent_back",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="annotations",
                to="annotation.sendback",
            ),
        ),
        migrations.AddField(
            model_name="sound",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sounds",
                to="annotation.project",
            ),
        ),
        migrations.AddConstraint(
            model_name="guidelinesversion",
            constraint=models.UniqueConstraint(
                fields=("project", "number"), name="guidelines_version_once"
            ),
        ),
        migrations.AddIndex(
            model_name="import",
            index=models.Index(fields=["state", "at"], name="annotation__state_435a4d_idx"),
        ),
        migrations.AddConstraint(
            model_name="qualificationtry",
            constraint=models.UniqueConstraint(
                fields=("project", "user", "number"), name="qualification_try_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualificationanswer",
            constraint=models.UniqueConstraint(
                fields=("attempt", "caption"), name="qualification_answer_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="sound",
            constraint=models.UniqueConstraint(
                fields=("project", "file_name"), name="sound_once_per_name"
            ),
        ),
    ]
