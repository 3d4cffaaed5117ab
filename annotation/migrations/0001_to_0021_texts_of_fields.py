from django.conf import settings
from django.db import migrations, models
import django.core.validators
import django.db.models.deletion


class Migration(migrations.Migration):
    """A new database in one step; one of an earlier version goes on by the steps that this replaces."""

    initial = True

    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_handouts"),
        ("annotation", "0003_history_and_keys"),
        ("annotation", "0004_item_clip"),
        ("annotation", "0005_training"),
        ("annotation", "0006_ranked_by"),
        ("annotation", "0007_one_training_at_a_time"),
        ("annotation", "0008_cancel_asked_by"),
        ("annotation", "0009_taken_in_revisions"),
        ("annotation", "0010_assignments"),
        ("annotation", "0011_leading_projects"),
        ("annotation", "0012_projects_of_before"),
        ("annotation", "0013_kinds_of_work"),
        ("annotation", "0014_data_sets"),
        ("annotation", "0015_stages"),
        ("annotation", "0016_findings"),
        ("annotation", "0017_publishing"),
        ("annotation", "0018_judging"),
        ("annotation", "0019_checks_note_worker_and_message"),
        ("annotation", "0020_captions_taken_out"),
        ("annotation", "0021_texts_of_fields"),
    ]

    dependencies = [
        ("leaderboard", "0033_mails_that_wait"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Scheme",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField()),
                ("version", models.PositiveIntegerField(default=1)),
                ("title", models.CharField(max_length=120)),
                ("summary", models.TextField(blank=True)),
                ("labels", models.JSONField()),
                ("published", models.BooleanField(default=True)),
                (
                    "previous",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                (
                    "restores",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                ("becomes", models.JSONField(blank=True, default=dict)),
                ("asks_again", models.BooleanField(default=False)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["slug", "-version"],
                "constraints": [
                    models.UniqueConstraint(fields=("slug", "version"), name="scheme_version_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingData",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("captions", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="KeyChoice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labelling_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "scheme",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                ("keys", models.JSONField(default=dict)),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["user", "scheme"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "scheme"), name="keys_once_per_scheme")
                ],
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labelling_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                ("name", models.CharField(max_length=80)),
                ("agreement_shown_at", models.DateTimeField(blank=True, null=True)),
                ("guidelines_read", models.PositiveIntegerField(default=0)),
                ("guidelines_read_at", models.DateTimeField(blank=True, null=True)),
                (
                    "qualified",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("passed", "Passed"),
                            ("by_hand", "Allowed by a manager"),
                            ("at_work", "Already had captions"),
                        ],
                        max_length=7,
                    ),
                ),
                ("qualified_at", models.DateTimeField(blank=True, null=True)),
                (
                    "given_to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("given_at", models.DateTimeField(blank=True, null=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["joined_at", "id"],
            },
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=80)),
                ("kind", models.CharField(default="label-words", editable=False, max_length=20)),
                ("kind_options", models.JSONField(blank=True, default=dict)),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="next_stages",
                        to="annotation.project",
                    ),
                ),
                (
                    "scheme",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="projects",
                        to="annotation.scheme",
                    ),
                ),
                ("guidelines", models.TextField(blank=True, help_text="Markdown.")),
                (
                    "order",
                    models.CharField(
                        choices=[
                            ("given", "As given"),
                            ("random", "Random"),
                            ("uncertain", "Most uncertain first"),
                        ],
                        default="given",
                        max_length=10,
                    ),
                ),
                (
                    "copies",
                    models.PositiveSmallIntegerField(
                        default=2,
                        help_text="People who label each caption that measures agreement.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(20),
                        ],
                    ),
                ),
                (
                    "share",
                    models.FloatField(
                        default=1.0,
                        help_text="Share of the captions that measure agreement, 0 to 1.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=0)),
                ("offered", models.JSONField(blank=True, default=list)),
                ("settle_own", models.BooleanField(default=False)),
                ("suggest", models.BooleanField(default=False)),
                (
                    "suggestion_threshold",
                    models.FloatField(
                        default=0.7,
                        help_text="Suggestions with at least this confidence are strong, 0 to 1.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                ("test_every", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("ranked_by", models.CharField(blank=True, editable=False, max_length=80)),
                ("ranked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("closed", models.BooleanField(default=False)),
                ("agreement_shown_at", models.DateTimeField(blank=True, null=True)),
                ("reopened_at", models.DateTimeField(blank=True, null=True)),
                ("qualification_on", models.BooleanField(default=False)),
                (
                    "pass_mark",
                    models.PositiveSmallIntegerField(
                        default=80,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                    ),
                ),
                (
                    "qualification_tries",
                    models.PositiveSmallIntegerField(
                        default=3,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(20),
                        ],
                    ),
                ),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "people",
                    models.ManyToManyField(
                        related_name="labelling_projects",
                        through="annotation.Member",
                        through_fields=("project", "user"),
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="DataSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=80)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="data_sets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="data_sets",
                        to="annotation.project",
                    ),
                ),
                ("procedure", models.TextField(blank=True, help_text="Markdown.")),
                ("split", models.JSONField(blank=True, null=True)),
                ("kinds", models.JSONField(blank=True, default=list)),
                ("min_words", models.PositiveSmallIntegerField(default=8)),
                ("max_words", models.PositiveSmallIntegerField(default=20)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines_versions",
                        to="annotation.project",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True)),
                (
                    "saved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("saved_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["project", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "number"), name="guidelines_version_once"
                    )
                ],
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="imports",
                        to="annotation.project",
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
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["state", "at"], name="annotation__state_435a4d_idx")
                ],
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="annotation.project",
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
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.member",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="PairDraw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pair_draws",
                        to="annotation.project",
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="pair_draws",
                        to="leaderboard.phase",
                    ),
                ),
                ("counts", models.JSONField()),
                ("systems", models.JSONField()),
                ("seed", models.PositiveIntegerField()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotation.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("same", models.PositiveIntegerField(default=0)),
                ("words", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["project", "user", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user", "number"), name="qualification_try_once"
                    )
                ],
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotation.project",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sounds",
                        to="annotation.project",
                    ),
                ),
                ("file_name", models.CharField(max_length=500)),
            ],
            options={
                "ordering": ["project", "file_name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "file_name"), name="sound_once_per_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("token", models.PositiveIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True)),
                ("enqueued_at", models.DateTimeField(blank=True, null=True)),
                ("cancel_asked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trainings",
                        to="annotation.project",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("chosen", models.JSONField()),
                ("options", models.JSONField()),
                (
                    "data",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="annotation.trainingdata",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Training"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                (
                    "cancel_asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("told", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("advice", models.CharField(blank=True, max_length=500)),
                ("detail", models.TextField(blank=True)),
                (
                    "labeller",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="trainings",
                        to="leaderboard.labeller",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["state", "lease_expires_at"], name="annotation__state_f5f90b_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "number"), name="training_number"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("project",),
                        name="one_training_at_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DataSetCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("token", models.PositiveIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True)),
                ("enqueued_at", models.DateTimeField(blank=True, null=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="annotation.dataset",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Checking"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("reason", models.TextField(blank=True)),
                (
                    "started_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["data_set", "-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("data_set",),
                        name="one_check_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataSetClip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clips",
                        to="annotation.dataset",
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("file_name", models.CharField(max_length=500)),
                ("meta", models.JSONField(blank=True, default=dict)),
                ("part", models.CharField(blank=True, max_length=40)),
            ],
            options={
                "ordering": ["data_set", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("data_set", "position"), name="data_set_clip_position"
                    ),
                    models.UniqueConstraint(
                        fields=("data_set", "file_name"), name="data_set_clip_name"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotation.project",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("position", models.PositiveIntegerField()),
                ("rank", models.FloatField()),
                ("copies", models.PositiveSmallIntegerField()),
                ("text", models.TextField()),
                ("tokens", models.JSONField()),
                ("content", models.JSONField(blank=True, default=dict)),
                ("meta", models.JSONField(default=dict)),
                ("extra", models.JSONField(default=dict)),
                (
                    "reference_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="leaderboard.referenceset",
                    ),
                ),
                ("clip", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "imported_in",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="items",
                        to="annotation.import",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "removed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["project", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "key"), name="item_once_per_project"
                    ),
                    models.UniqueConstraint(fields=("project", "position"), name="item_position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publications",
                        to="annotation.dataset",
                    ),
                ),
                ("part", models.CharField(blank=True, max_length=40)),
                (
                    "reference_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.referenceset",
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="leaderboard.phase",
                    ),
                ),
                ("card", models.JSONField(default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="SplitRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("token", models.PositiveIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True)),
                ("enqueued_at", models.DateTimeField(blank=True, null=True)),
                ("cancel_asked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="split_runs",
                        to="annotation.dataset",
                    ),
                ),
                ("asked", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Splitting"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("stage", models.CharField(blank=True, max_length=40)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["state", "lease_expires_at"], name="split_state_lease")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("data_set",),
                        name="one_split_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="annotation.item",
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="annotation.project",
                    ),
                ),
                ("rank", models.FloatField()),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("expires_at", models.DateTimeField(null=True)),
                ("done", models.BooleanField(default=False)),
                ("test", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["project", "rank", "item", "number"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("done", False)),
                        fields=["project", "rank", "item", "number"],
                        name="assignment_open",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("test", False)),
                        fields=("item", "number"),
                        name="assignment_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("user__isnull", False)),
                        fields=("item", "user"),
                        name="one_assignment_per_item_and_person",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AssignmentRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignment_records",
                        to="annotation.item",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["item", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "user"), name="assignment_record_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="EarlierHand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="earlier_hands",
                        to="annotation.item",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["item", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "user"), name="earlier_hand_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Gold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("labels", models.JSONField()),
                ("spans", models.JSONField(default=list)),
                ("provenance", models.JSONField()),
                (
                    "settled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("settled_at", models.DateTimeField()),
                ("note", models.CharField(blank=True, max_length=500)),
                (
                    "scheme",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                (
                    "item",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="gold",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["item"],
            },
        ),
        migrations.CreateModel(
            name="PastGold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("labels", models.JSONField()),
                ("spans", models.JSONField(default=list)),
                ("provenance", models.JSONField()),
                (
                    "settled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("settled_at", models.DateTimeField()),
                ("note", models.CharField(blank=True, max_length=500)),
                (
                    "scheme",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past_gold",
                        to="annotation.item",
                    ),
                ),
                (
                    "end",
                    models.CharField(
                        choices=[
                            ("taken_back", "Taken back"),
                            ("replaced", "Decided again"),
                            ("renewed", "All agreed on other labels"),
                            ("relabelled", "The labels changed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "ended_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("ended_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["item", "-ended_at", "-id"],
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="qualification_captions",
                        to="annotation.project",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.item",
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
            name="Suggestion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="suggestion",
                        to="annotation.item",
                    ),
                ),
                ("identity", models.CharField(max_length=80)),
                ("spans", models.JSONField()),
                ("made_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="annotations",
                        to="annotation.item",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="annotations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="annotation",
                        to="annotation.assignment",
                    ),
                ),
                ("spans", models.JSONField(default=list)),
                ("value", models.JSONField(blank=True, null=True)),
                (
                    "answer",
                    models.CharField(
                        choices=[
                            ("accept", "Accepted"),
                            ("reject", "Rejected"),
                            ("ignore", "Skipped"),
                        ],
                        default="accept",
                        max_length=6,
                    ),
                ),
                ("flagged", models.BooleanField(default=False)),
                ("comment", models.TextField(blank=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("edit", models.CharField(max_length=40)),
                ("inventory", models.CharField(blank=True, default="", max_length=50)),
                (
                    "imported_in",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="annotations",
                        to="annotation.import",
                    ),
                ),
                ("seconds", models.FloatField(blank=True, null=True)),
                (
                    "late",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Nothing"),
                            ("shown", "Agreement had been shown"),
                            ("settled", "The caption had been settled"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("extra", models.JSONField(default=dict)),
                ("test", models.BooleanField(default=False)),
                (
                    "scheme",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                (
                    "sent_back",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="annotations",
                        to="annotation.sendback",
                    ),
                ),
                ("set_aside", models.PositiveIntegerField(default=0)),
                (
                    "refused",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="refused_annotations",
                        to="annotation.sendback",
                    ),
                ),
                (
                    "made_as",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["item", "id"],
                "indexes": [
                    models.Index(
                        fields=["user", "updated_at"], name="annotation__user_id_74a3fd_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("item", "user"), name="annotation_once_per_person"
                    )
                ],
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
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotation.qualificationtry",
                    ),
                ),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotation.qualificationcaption",
                    ),
                ),
                ("labels", models.JSONField()),
                ("spans", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["attempt", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("attempt", "caption"), name="qualification_answer_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataSetCaption",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "clip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="captions",
                        to="annotation.datasetclip",
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("text", models.TextField()),
                ("original", models.TextField()),
                (
                    "annotation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.annotation",
                    ),
                ),
                ("taken_out", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["clip", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("clip", "number"), name="data_set_caption_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "annotation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="annotation.annotation",
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("edit", models.CharField(max_length=40)),
                ("spans", models.JSONField()),
                ("value", models.JSONField(blank=True, null=True)),
                ("taken", models.JSONField(null=True)),
                ("inventory", models.CharField(blank=True, default="", max_length=50)),
                (
                    "answer",
                    models.CharField(
                        choices=[
                            ("accept", "Accepted"),
                            ("reject", "Rejected"),
                            ("ignore", "Skipped"),
                        ],
                        max_length=6,
                    ),
                ),
                (
                    "late",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Nothing"),
                            ("shown", "Agreement had been shown"),
                            ("settled", "The caption had been settled"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "scheme",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.scheme",
                    ),
                ),
                ("saved_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["annotation", "version"],
                "constraints": [
                    models.UniqueConstraint(fields=("annotation", "version"), name="revision_once"),
                    models.UniqueConstraint(fields=("annotation", "edit"), name="edit_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaptionFinding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="annotation.datasetcaption",
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("suggestions", models.JSONField(blank=True, default=list)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Open"),
                            ("accepted", "Suggestion taken"),
                            ("edited", "Edited"),
                            ("dismissed", "Dismissed"),
                            ("gone", "No longer found"),
                        ],
                        default="",
                        max_length=9,
                    ),
                ),
                ("before", models.TextField()),
                ("after", models.TextField(blank=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["caption", "start", "id"],
                "indexes": [models.Index(fields=["kind", "verdict"], name="finding_kind_verdict")],
            },
        ),
        migrations.CreateModel(
            name="CaptionDecision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "caption",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="annotation.datasetcaption",
                    ),
                ),
                (
                    "finding",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="annotation.captionfinding",
                    ),
                ),
                (
                    "act",
                    models.CharField(
                        choices=[
                            ("accepted", "took a suggestion"),
                            ("edited", "edited the caption"),
                            ("dismissed", "dismissed the finding"),
                            ("taken-back", "took a decision back"),
                            (
                                "taken-out",
                                "took the caption out: its project did not keep it any more",
                            ),
                            ("put-back", "put the caption back: its project kept it again"),
                        ],
                        max_length=10,
                    ),
                ),
                ("kind", models.CharField(blank=True, max_length=20)),
                ("start", models.PositiveIntegerField(default=0)),
                ("end", models.PositiveIntegerField(default=0)),
                ("text", models.TextField(blank=True)),
                ("before", models.TextField()),
                ("after", models.TextField()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("taken_back", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["caption", "id"],
            },
        ),
        migrations.AddField(
            model_name="Member",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="members",
                to="annotation.project",
            ),
        ),
        migrations.AddConstraint(
            model_name="Member",
            constraint=models.UniqueConstraint(
                fields=("project", "user"), name="member_once_per_project"
            ),
        ),
        migrations.AddConstraint(
            model_name="Member",
            constraint=models.UniqueConstraint(
                fields=("project", "name"), name="member_name_per_project"
            ),
        ),
    ]
