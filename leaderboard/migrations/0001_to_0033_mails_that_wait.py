from django.conf import settings
from django.db import migrations, models
import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import leaderboard.models.challenge
import leaderboard.models.public_id
import leaderboard.models.team
from leaderboard.models.append_only import triggers_create, triggers_drop


class Migration(migrations.Migration):
    """A new database in one step; one of an earlier version goes on by the steps that this replaces."""

    initial = True

    replaces = [
        ("leaderboard", "0001_initial"),
        ("leaderboard", "0002_clip_details_and_columns"),
        ("leaderboard", "0003_human_row"),
        ("leaderboard", "0004_organisers_and_participants"),
        ("leaderboard", "0005_notices_by_mail"),
        ("leaderboard", "0006_append_only"),
        ("leaderboard", "0007_organising"),
        ("leaderboard", "0008_labellers"),
        ("leaderboard", "0009_labeller_use_append_only"),
        ("leaderboard", "0010_labelled_references"),
        ("leaderboard", "0011_notices_of_trainings"),
        ("leaderboard", "0012_signature_revisions"),
        ("leaderboard", "0013_intervals_within_range"),
        ("leaderboard", "0014_worker_processes"),
        ("leaderboard", "0015_turns"),
        ("leaderboard", "0016_attempt_counts"),
        ("leaderboard", "0017_public_changes"),
        ("leaderboard", "0018_shared_quotas"),
        ("leaderboard", "0019_notices_of_projects"),
        ("leaderboard", "0020_cards_of_references"),
        ("leaderboard", "0021_judgments"),
        ("leaderboard", "0022_freezing_when_scored"),
        ("leaderboard", "0023_how_to_cite"),
        ("leaderboard", "0024_challenge_images"),
        ("leaderboard", "0025_metrics_of_phases"),
        ("leaderboard", "0026_taking_part"),
        ("leaderboard", "0027_texts_of_fields"),
        ("leaderboard", "0028_intervals_of_rates"),
        ("leaderboard", "0029_rescoring_ranking"),
        ("leaderboard", "0030_language_model_use"),
        ("leaderboard", "0031_judgment_sets"),
        ("leaderboard", "0032_references_of_a_challenge"),
        ("leaderboard", "0033_mails_that_wait"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="AttemptCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("family", models.CharField(max_length=40)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("done", "Scored"),
                            ("refused", "The scorer refused, with a reason"),
                            ("model_missing", "A model or data file is missing"),
                            ("time_limit", "Over the time limit"),
                            ("scorer_changed", "The scorer changed while it waited"),
                            ("memory", "Over the memory limit"),
                            ("process_ended", "Its process ended"),
                            ("worker_lost", "Its worker stopped responding"),
                            ("unexpected", "Unexpected error"),
                        ],
                        max_length=14,
                    ),
                ),
                ("up_to", models.PositiveIntegerField()),
                ("attempts", models.PositiveBigIntegerField(default=0)),
                ("seconds", models.FloatField(default=0)),
            ],
            options={
                "ordering": ["family", "outcome", "up_to"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("family", "outcome", "up_to"), name="attempts_counted_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PublicChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="StoredFile",
            fields=[
                ("sha256", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("content", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                (
                    "first_name",
                    models.CharField(blank=True, max_length=150, verbose_name="first name"),
                ),
                (
                    "last_name",
                    models.CharField(blank=True, max_length=150, verbose_name="last name"),
                ),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="email address"),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="date joined"
                    ),
                ),
                (
                    "mail_notices",
                    models.BooleanField(
                        default=True,
                        help_text="When a system of your team is scored or fails, or the organisers decide on it.",
                        verbose_name="E-mail me notices",
                    ),
                ),
                (
                    "mail_trainings",
                    models.BooleanField(
                        default=True,
                        help_text="When a training of a labeller that you started is done, fails, or is cancelled by someone else.",
                        verbose_name="Also about trainings",
                    ),
                ),
                (
                    "mail_announcements",
                    models.BooleanField(
                        default=True,
                        help_text="What organisers announce about challenges in which your team takes part.",
                        verbose_name="Also announcements",
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="WaitingMail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("to", models.EmailField(max_length=254)),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("expires_at", models.DateTimeField()),
                ("mail_due_at", models.DateTimeField(null=True)),
                ("mail_attempts", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="WorkerProcess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("queues", models.JSONField(default=list)),
                ("jobs", models.PositiveSmallIntegerField(default=1)),
                ("clock_offset", models.FloatField(default=0)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "worker processes",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
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
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("prefix", models.CharField(editable=False, max_length=12)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Challenge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("title", models.CharField(max_length=120)),
                ("summary", models.CharField(blank=True, max_length=240)),
                ("description", models.TextField(blank=True, help_text="Markdown.")),
                ("citation", models.TextField(blank=True, help_text="How to cite the challenge.")),
                (
                    "terms",
                    models.TextField(
                        blank=True,
                        help_text="Markdown. What a team must accept before it submits. Empty: nothing.",
                    ),
                ),
                ("terms_version", models.PositiveIntegerField(default=1, editable=False)),
                (
                    "approval",
                    models.BooleanField(
                        default=False,
                        help_text="Whether organisers must admit a team before it submits.",
                    ),
                ),
                ("published", models.BooleanField(default=False, help_text="Visible to everyone.")),
                (
                    "time_zone",
                    models.CharField(
                        default="UTC",
                        help_text="Time zone in which organisers enter times; visitors also see UTC.",
                        max_length=64,
                        validators=[leaderboard.models.challenge.validate_time_zone],
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "organisers",
                    models.ManyToManyField(
                        blank=True, related_name="organised_challenges", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["title", "slug"],
            },
        ),
        migrations.CreateModel(
            name="Labeller",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("identity", models.CharField(max_length=80, unique=True)),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("size", models.PositiveBigIntegerField()),
                ("labels", models.JSONField()),
                (
                    "origin",
                    models.CharField(
                        choices=[("trained", "Trained here"), ("uploaded", "Uploaded")],
                        max_length=8,
                    ),
                ),
                ("data_hash", models.CharField(blank=True, max_length=64)),
                ("recipe", models.JSONField(default=dict)),
                ("scores", models.JSONField(default=dict)),
                ("note", models.CharField(blank=True, max_length=500)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("made_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-made_at", "-id"],
                "permissions": [("publish_labeller", "Can choose the labeller that is in use")],
            },
        ),
        migrations.CreateModel(
            name="Announcement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="announcements",
                        to="leaderboard.challenge",
                    ),
                ),
                ("title", models.CharField(max_length=120)),
                ("body", models.TextField(blank=True, max_length=10000)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("published_at", models.DateTimeField()),
                ("edited_at", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("mails", models.PositiveIntegerField(default=0, editable=False)),
            ],
            options={
                "ordering": ["-published_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="AnnouncementOptOut",
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
                        related_name="announcement_opt_outs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.challenge",
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["challenge__title", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "challenge"), name="opted_out_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="leaderboard.challenge",
                    ),
                ),
                ("action", models.CharField(max_length=64)),
                ("target", models.CharField(max_length=200)),
                ("details", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["target", "-at"], name="leaderboard_target_d25ba4_idx"),
                    models.Index(
                        fields=["challenge", "-at"], name="leaderboard_challen_09cc74_idx"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChallengeImage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="leaderboard.challenge",
                    ),
                ),
                ("name", models.SlugField(max_length=60)),
                ("content", models.BinaryField()),
                ("sha256", models.CharField(editable=False, max_length=64)),
                ("width", models.PositiveIntegerField(editable=False)),
                ("height", models.PositiveIntegerField(editable=False)),
                ("is_logo", models.BooleanField(default=False)),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("uploaded_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("challenge", "name"), name="image_named_once_per_challenge"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_logo", True)),
                        fields=("challenge",),
                        name="one_logo_per_challenge",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LabellerUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "labeller",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uses",
                        to="leaderboard.labeller",
                    ),
                ),
                ("identity", models.CharField(max_length=80)),
                ("reason", models.CharField(blank=True, max_length=300)),
                (
                    "put_by",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("put_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-put_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="OrganiserInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organiser_invitations",
                        to="leaderboard.challenge",
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                (
                    "token",
                    models.CharField(
                        default=leaderboard.models.team.invitation_token,
                        editable=False,
                        max_length=64,
                        unique=True,
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("challenge", "email"), name="organiser_invited_once_per_challenge"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReferenceSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reference_sets",
                        to="leaderboard.challenge",
                    ),
                ),
                ("content_hash", models.CharField(db_index=True, editable=False, max_length=64)),
                ("name", models.CharField(max_length=120)),
                ("clip_count", models.PositiveIntegerField(editable=False)),
                ("caption_count", models.PositiveIntegerField(editable=False)),
                ("payload", models.BinaryField()),
                (
                    "documents",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referenceset",
                    ),
                ),
                (
                    "audio_base_url",
                    models.URLField(
                        blank=True,
                        help_text="Address of the recordings, if another server has them.",
                    ),
                ),
                ("card", models.JSONField(blank=True, default=dict, editable=False)),
                ("created_at", models.DateTimeField(editable=False)),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("challenge", "content_hash"), name="references_once_per_challenge"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AudioFile",
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
                    "reference_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio",
                        to="leaderboard.referenceset",
                    ),
                ),
                (
                    "position",
                    models.PositiveIntegerField(
                        help_text="Position of the clip in the set, from 0."
                    ),
                ),
            ],
            options={
                "ordering": ["reference_set", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reference_set", "position"), name="one_audio_per_clip"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LabelledReferences",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reference_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labelled",
                        to="leaderboard.referenceset",
                    ),
                ),
                ("identity", models.CharField(max_length=80)),
                ("content", models.BinaryField()),
                ("made_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-made_at", "-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reference_set", "identity"), name="references_labelled_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Phase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="phases",
                        to="leaderboard.challenge",
                    ),
                ),
                ("slug", models.SlugField()),
                ("name", models.CharField(max_length=80)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                (
                    "reference_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="phases",
                        to="leaderboard.referenceset",
                    ),
                ),
                ("opens_at", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                (
                    "ranking_metric",
                    models.CharField(
                        choices=leaderboard.models.challenge.ranking_metric_choices,
                        default="cider_d",
                        max_length=40,
                    ),
                ),
                (
                    "precision",
                    models.PositiveSmallIntegerField(
                        default=3,
                        help_text="Values equal at this number of decimals are tied.",
                        validators=[django.core.validators.MaxValueValidator(8)],
                    ),
                ),
                (
                    "counting",
                    models.CharField(
                        choices=[
                            ("best", "Best"),
                            ("last", "Last"),
                            ("chosen", "Chosen by the team"),
                        ],
                        default="best",
                        max_length=8,
                    ),
                ),
                (
                    "columns",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Metrics that the leaderboard shows at first, besides the ranking metric. None chosen: the usual ones. Visitors can show others.",
                        validators=[leaderboard.models.challenge.validate_metric_names],
                    ),
                ),
                (
                    "metrics",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Metrics to compute; the other metrics of their families are computed too. None chosen: all metrics of this installation.",
                        validators=[leaderboard.models.challenge.validate_metric_names],
                    ),
                ),
                (
                    "quota_per_day",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Submissions per team and day (UTC). Empty: no limit.",
                        null=True,
                    ),
                ),
                (
                    "quota_total",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Submissions per team in total. Empty: no limit.",
                        null=True,
                    ),
                ),
                (
                    "quota_shared",
                    models.BooleanField(
                        default=True,
                        help_text="Whether submissions of all teams that one person made count together.",
                    ),
                ),
                (
                    "systems_per_team",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="How many systems of a team may be in the phase at once; withdrawing one makes room for another. Empty: no limit.",
                        null=True,
                    ),
                ),
                (
                    "names_hidden_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="Until then, only organisers and the team itself see whose system it is.",
                        null=True,
                    ),
                ),
                (
                    "frozen_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="While set, everyone but the organisers sees the ranking of that moment.",
                        null=True,
                    ),
                ),
                (
                    "freeze_asked_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="While set, the ranking will be frozen once all systems submitted by then are scored.",
                        null=True,
                    ),
                ),
                (
                    "parameters",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="Metric family -> name -> value, where this phase differs from the installation.",
                    ),
                ),
                (
                    "references_public",
                    models.BooleanField(
                        default=False,
                        help_text="If not public, neither references nor scores of single clips are shown.",
                    ),
                ),
                (
                    "scores_public",
                    models.BooleanField(
                        default=True, help_text="Whether everyone sees the leaderboard."
                    ),
                ),
            ],
            options={
                "ordering": ["challenge", "position", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("challenge", "slug"), name="phase_slug_per_challenge"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closes_at__isnull", True),
                            ("opens_at__isnull", True),
                            ("closes_at__gt", models.F("opens_at")),
                            _connector="OR",
                        ),
                        name="phase_closes_after_it_opens",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgmentSet",
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
                    "phase",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgments",
                        to="leaderboard.phase",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("source", models.CharField(blank=True, max_length=80)),
                ("name", models.CharField(max_length=80)),
                ("clips", models.JSONField(blank=True, default=list)),
                ("pairs", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("judges", models.PositiveIntegerField()),
                ("votes", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Measuring"),
                            ("done", "Measured"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("progress", models.JSONField(blank=True, default=dict)),
                ("results", models.JSONField(blank=True, default=dict)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("handed_over_at", models.DateTimeField()),
                ("measured_at", models.DateTimeField(blank=True, null=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-handed_over_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["state", "lease_expires_at"], name="leaderboard_state_417d95_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("phase", "source"), name="judgments_once_per_source"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("owner__isnull", True), ("phase__isnull", False)),
                            models.Q(
                                ("owner__isnull", False),
                                ("phase__isnull", True),
                                ("published_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="judgments_of_a_phase_or_a_person",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LanguageModelUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="language_model",
                        to="leaderboard.phase",
                    ),
                ),
                ("model", models.CharField(max_length=60)),
                ("host", models.CharField(max_length=255)),
                ("active", models.BooleanField(default=True)),
                ("budget", models.PositiveIntegerField()),
                ("requests", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="RankEstimates",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rank_estimates",
                        to="leaderboard.phase",
                    ),
                ),
                ("every_system", models.BooleanField()),
                ("stamp", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
                ("content", models.JSONField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("phase", "every_system"), name="rank_estimates_once_per_table"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RankSnapshot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="snapshots",
                        to="leaderboard.phase",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("freeze", "Frozen"),
                            ("reveal", "Revealed"),
                            ("rescore", "Before a rescoring"),
                        ],
                        max_length=8,
                    ),
                ),
                ("taken_at", models.DateTimeField()),
                (
                    "taken_by",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("ranking_metric", models.CharField(max_length=40)),
                ("precision", models.PositiveSmallIntegerField()),
                ("content", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["-taken_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Rescoring",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rescorings",
                        to="leaderboard.phase",
                    ),
                ),
                ("families", models.JSONField()),
                ("parameters", models.JSONField(default=dict)),
                ("ranking_metric", models.CharField(blank=True, max_length=40)),
                ("precision", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("reason", models.CharField(max_length=300)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("discarded_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("discarded_at", None), ("published_at", None)),
                        fields=("phase",),
                        name="one_open_rescoring_per_phase",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StagedReferences",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="staged_references",
                        to="leaderboard.phase",
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
                ("name", models.CharField(max_length=120)),
                ("file_name", models.CharField(max_length=200)),
                ("content", models.BinaryField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("phase", "user"), name="staged_references_once_per_phase_and_person"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
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
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("member", "Member")],
                        default="member",
                        max_length=8,
                    ),
                ),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["joined_at", "id"],
            },
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=60, unique=True)),
                ("affiliation", models.CharField(blank=True, max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "members",
                    models.ManyToManyField(
                        related_name="teams",
                        through="leaderboard.Membership",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="ChallengeParticipation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="leaderboard.challenge",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Waits for a decision"),
                            ("admitted", "Takes part"),
                            ("refused", "Refused"),
                            ("gone", "Admission withdrawn"),
                        ],
                        max_length=8,
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=500)),
                (
                    "terms",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.storedfile",
                    ),
                ),
                ("terms_version", models.PositiveIntegerField(blank=True, null=True)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "ordering": ["asked_at", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("challenge", "team"), name="participation_once_per_team"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=leaderboard.models.public_id.public_id,
                        editable=False,
                        max_length=16,
                        unique=True,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.phase",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("system", "System"),
                            ("baseline", "Baseline"),
                            ("human", "Human"),
                        ],
                        default="system",
                        max_length=8,
                    ),
                ),
                (
                    "other_references",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referenceset",
                    ),
                ),
                (
                    "submitted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("system_name", models.CharField(max_length=80)),
                ("description", models.TextField(blank=True)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.storedfile",
                    ),
                ),
                ("file_name", models.CharField(max_length=200)),
                ("warnings", models.JSONField(blank=True, default=list)),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        help_text="The system's label as in DCASE's metadata.",
                        max_length=80,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.storedfile",
                    ),
                ),
                ("report_name", models.CharField(blank=True, max_length=200)),
                (
                    "upload_key",
                    models.CharField(blank=True, editable=False, max_length=64, null=True),
                ),
                ("chosen", models.BooleanField(default=False)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("disqualified_at", models.DateTimeField(blank=True, null=True)),
                ("disqualified_for", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["phase", "team", "created_at"],
                        name="leaderboard_phase_i_df4e3b_idx",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("chosen", True)),
                        fields=("phase", "team"),
                        name="one_chosen_submission_per_team_and_phase",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "human")),
                        fields=("phase",),
                        name="one_human_row_per_phase",
                    ),
                    models.UniqueConstraint(
                        fields=("phase", "team", "upload_key"), name="upload_once_per_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=leaderboard.models.team.invitation_token,
                        editable=False,
                        max_length=64,
                        unique=True,
                    ),
                ),
                (
                    "invited",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_invitations",
                        to=settings.AUTH_USER_MODEL,
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("invited__isnull", False)),
                        fields=("team", "invited"),
                        name="invitation_once_per_team_and_person",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
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
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evaluations",
                        to="leaderboard.submission",
                    ),
                ),
                ("family", models.CharField(max_length=40)),
                ("reference_hash", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=300)),
                ("parameters", models.JSONField(blank=True, default=dict)),
                ("published", models.BooleanField(default=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("running", "Scoring"),
                            ("done", "Scored"),
                            ("failed", "Failed"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("retried_at", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("clips_done", models.PositiveIntegerField(default=0)),
                ("clips_total", models.PositiveIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("detail", models.TextField(blank=True)),
                ("details_note", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "ordering": ["submission", "id"],
                "indexes": [
                    models.Index(
                        fields=["state", "lease_expires_at"], name="leaderboard_state_298218_idx"
                    ),
                    models.Index(
                        fields=["state", "enqueued_at"], name="leaderboard_state_bfacae_idx"
                    ),
                    models.Index(fields=["started_at"], name="leaderboard_started_0fd939_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "family", "reference_hash", "signature"),
                        name="evaluation_exactly_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("published", True)),
                        fields=("submission", "family"),
                        name="one_published_evaluation_per_family",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
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
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("scored", "Scored"),
                            ("failed", "Failed"),
                            ("judged", "Decided by the organisers"),
                            ("invited", "Invited"),
                            ("team", "Team"),
                            ("training", "Training"),
                            ("project", "Labelling project"),
                            ("part", "Taking part"),
                            ("news", "Announcement"),
                        ],
                        max_length=8,
                    ),
                ),
                ("text", models.CharField(max_length=300)),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "announcement",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="leaderboard.announcement",
                    ),
                ),
                ("about", models.CharField(blank=True, max_length=150)),
                ("path", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                ("mail_due_at", models.DateTimeField(blank=True, null=True)),
                ("mail_attempts", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["user", "read_at"], name="leaderboard_user_id_99557e_idx"),
                    models.Index(
                        condition=models.Q(("mail_due_at__isnull", False)),
                        fields=["mail_due_at"],
                        name="notices_to_be_mailed",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind__in", ["scored", "failed"])),
                        fields=("user", "submission", "kind"),
                        name="one_notice_of_scoring_per_person",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("announcement__isnull", False)),
                        fields=("announcement", "user"),
                        name="one_notice_of_an_announcement_per_person",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClipDetails",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clip_details",
                        to="leaderboard.evaluation",
                    ),
                ),
                ("first_clip", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
            ],
            options={
                "ordering": ["evaluation", "first_clip"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("evaluation", "first_clip"), name="clip_details_once_per_block"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MetricResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="leaderboard.evaluation",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="leaderboard.submission",
                    ),
                ),
                ("metric", models.CharField(max_length=40)),
                ("value", models.FloatField(null=True)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("coverage", models.PositiveIntegerField()),
                ("clips", models.PositiveIntegerField()),
                ("signature", models.CharField(max_length=300)),
                ("scorer_version", models.CharField(blank=True, max_length=40)),
                ("per_clip", models.BinaryField()),
            ],
            options={
                "ordering": ["evaluation", "id"],
                "indexes": [
                    models.Index(
                        fields=["submission", "metric"], name="leaderboard_submiss_b6d845_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("evaluation", "metric"), name="metric_once_per_evaluation"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="Membership",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="memberships",
                to="leaderboard.team",
            ),
        ),
        migrations.AddConstraint(
            model_name="Membership",
            constraint=models.UniqueConstraint(
                fields=("team", "user"), name="membership_once_per_team"
            ),
        ),
        migrations.RunPython(triggers_create, triggers_drop),
    ]
