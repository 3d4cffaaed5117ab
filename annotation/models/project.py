"""Projects, the people in them, invitations, guidelines, sounds, and the pairs that are drawn."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.kinds.names import LABEL_WORDS
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import WorkKind
from annotation.models.people import person_or_nobody
from annotation.models.scheme import Label, Scheme
from leaderboard.models import Phase, RecordingRow


class Order(models.TextChoices):
    """In which order captions are handed out."""

    GIVEN = "given", "As given"
    RANDOM = "random", "Random"
    UNCERTAIN = "uncertain", "Most uncertain first"


class Project(models.Model):
    """Work on captions or sounds, of one kind: captions to be labelled by a scheme, as a rule.

    ``kind`` names the kind of work (``annotation.kinds``) and ``kind_options`` says what of it
    can be set. A kind without labels has an empty scheme of its own. ``source`` is the project
    whose answers become the items of this one.

    With ``qualification_on`` new annotators first label the qualification captions, and pass
    with ``pass_mark`` per cent of the words as expected, in ``qualification_tries`` tries.

    Each caption is labelled by one person, and a ``share`` of them (drawn by
    ``seed``) by ``copies`` people, which measures agreement. ``offered`` names
    the labels that are used; empty means all of the scheme. ``settle_own`` lets
    adjudicators decide captions that they labelled themselves. ``suggest`` shows what the
    labeller in use says of captions that one person labels; suggestions of less confidence than
    ``suggestion_threshold`` are weak, and are never taken together with others. One in
    ``test_every`` captions of an annotator is a settled one (None: none), whose answer measures
    the annotator alone. Annotators can see agreement since ``agreement_shown_at``, the first
    closing; the project was opened again at ``reopened_at``, the latest time. ``ranked_by``
    names the labeller that made the order "most uncertain first", at ``ranked_at``.
    ``owner``, one of the managers, alone hands it over, archives and deletes it; it is in no
    list since ``archived_at``.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=20, default=LABEL_WORDS, editable=False)
    kind_options = models.JSONField(default=dict, blank=True)
    source = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="next_stages"
    )
    scheme = models.ForeignKey(Scheme, on_delete=models.PROTECT, related_name="projects")
    guidelines = models.TextField(blank=True, help_text="Markdown.")
    order = models.CharField(max_length=10, choices=Order, default=Order.GIVEN)
    copies = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text="People who label each caption that measures agreement.",
    )
    share = models.FloatField(
        default=1.0,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Share of the captions that measure agreement, 0 to 1.",
    )
    seed = models.PositiveIntegerField(default=0)
    offered = models.JSONField(default=list, blank=True)
    settle_own = models.BooleanField(default=False)
    suggest = models.BooleanField(default=False)
    suggestion_threshold = models.FloatField(
        default=0.7,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Suggestions with at least this confidence are strong, 0 to 1.",
    )
    test_every = models.PositiveSmallIntegerField(null=True, blank=True)
    ranked_by = models.CharField(max_length=80, blank=True, editable=False)
    ranked_at = models.DateTimeField(null=True, blank=True, editable=False)
    closed = models.BooleanField(default=False)
    agreement_shown_at = models.DateTimeField(null=True, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)
    qualification_on = models.BooleanField(default=False)
    pass_mark = models.PositiveSmallIntegerField(
        default=80, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    qualification_tries = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    owner = person_or_nobody(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    people = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        through="Member",
        through_fields=("project", "user"),
        related_name="labelling_projects",
    )

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def work_kind(self) -> WorkKind:
        """What its work is."""
        return kind_named(self.kind)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that may be used, in the order of the scheme."""
        every = self.scheme.inventory
        return tuple(label for label in every if not self.offered or label.name in self.offered)


class Role(models.TextChoices):
    """What a member may do; each role may do what those before it may."""

    ANNOTATOR = "annotator", "Annotator"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    MANAGER = "manager", "Manager"


class Qualified(models.TextChoices):
    """How a member came to be handed captions where annotators must qualify."""

    PASSED = "passed", "Passed"
    BY_HAND = "by_hand", "Allowed by a manager"
    AT_WORK = "at_work", "Already had captions"


class Member(models.Model):
    """One person in one project.

    ``name`` is the name under which the person's work stands in files and on
    pages of agreement. ``agreement_shown_at`` is when the person first saw what
    others say. ``guidelines_read`` is the newest version of the guidelines that the person
    opened (0: none), at ``guidelines_read_at``. ``qualified_at`` is since when captions are handed
    out to them where annotators must qualify (None: not yet), and ``qualified`` why.

    ``given_to`` is the account that has the work of a session of a file, since ``given_at``;
    its answers are those with the session's user in ``made_as``.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="labelling_memberships"
    )
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    name = models.CharField(max_length=80)
    agreement_shown_at = models.DateTimeField(null=True, blank=True)
    guidelines_read = models.PositiveIntegerField(default=0)
    guidelines_read_at = models.DateTimeField(null=True, blank=True)
    qualified = models.CharField(max_length=7, choices=Qualified, blank=True)
    qualified_at = models.DateTimeField(null=True, blank=True)
    given_to = person_or_nobody(blank=True)
    given_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="member_once_per_project"),
            models.UniqueConstraint(fields=["project", "name"], name="member_name_per_project"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.project}"


class GuidelinesVersion(models.Model):
    """One version of a project's guidelines (Markdown), never changed.

    ``number`` counts from 1. ``saved_by`` is None where that is not known: who left the site,
    and what was there before versions were kept.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="guidelines_versions"
    )
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    saved_by = person_or_nobody()
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guidelines_version_once")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of the guidelines of project {self.project_id}"


MOST_USES = 100


class Invitation(models.Model):
    """A link that lets whoever holds it into a project, in ``role``, up to ``uses`` people.

    Only the SHA-256 of its token is stored: the link is shown once, to whoever makes it.
    ``email`` is the address to which it was mailed, "" where it was not. It works until
    ``expires_at``, and as long as ``created_by`` manages the project; who withdraws it deletes it.
    Who joins by it has the work of the ``session`` from then on, where it names one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    uses = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MOST_USES)]
    )
    used = models.PositiveSmallIntegerField(default=0)
    email = models.EmailField(blank=True)
    session = models.ForeignKey(
        Member, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"Invitation to {self.project}"


LONGEST_NAME = 500


class Sound(RecordingRow):
    """The recording of a project's captions that name one ``file_name`` in their meta."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sounds")
    file_name = models.CharField(max_length=LONGEST_NAME)

    class Meta:
        ordering = ["project", "file_name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "file_name"], name="sound_once_per_name")
        ]

    def __str__(self) -> str:
        return self.file_name


class PairDraw(models.Model):
    """That pairs of a phase's captions were drawn for a project: what of, and how.

    ``counts`` has the number of pairs of each kind, ``systems`` the public ids of the systems
    whose captions are in them. A project that was made of an archive, whose phase is not here, has
    {"id", "name"} in their place. All draws of a project are of one phase.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pair_draws")
    phase = models.ForeignKey(
        Phase, null=True, on_delete=models.SET_NULL, related_name="pair_draws"
    )
    counts = models.JSONField()
    systems = models.JSONField()
    seed = models.PositiveIntegerField()
    by = person_or_nobody()
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "id"]

    def __str__(self) -> str:
        return f"{sum(self.counts.values())} pairs of phase {self.phase_id}"
