"""Projects and the people in them."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.models.scheme import Label, Scheme


class Order(models.TextChoices):
    """In which order captions are handed out."""

    GIVEN = "given", "As given"
    RANDOM = "random", "Random"
    UNCERTAIN = "uncertain", "Most uncertain first"


class Project(models.Model):
    """Captions to be labelled by a scheme.

    Each caption is labelled by one person, and a ``share`` of them (drawn by
    ``seed``) by ``copies`` people, which measures agreement. ``offered`` names
    the labels that are used; empty means all of the scheme. ``settle_own`` lets
    adjudicators decide captions that they labelled themselves. ``suggest`` shows what the
    labeller in use says of captions that one person labels. Annotators can see
    agreement since ``agreement_shown_at``, the first closing; the project was
    opened again at ``reopened_at``, the latest time. ``ranked_by`` names the labeller
    that made the order "most uncertain first", at ``ranked_at``.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    scheme = models.ForeignKey(Scheme, on_delete=models.PROTECT, related_name="projects")
    guidelines = models.TextField(blank=True, help_text="Markdown.")
    order = models.CharField(max_length=10, choices=Order, default=Order.GIVEN)
    copies = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text="People for each caption that measures agreement.",
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
    ranked_by = models.CharField(max_length=80, blank=True, editable=False)
    ranked_at = models.DateTimeField(null=True, blank=True, editable=False)
    closed = models.BooleanField(default=False)
    agreement_shown_at = models.DateTimeField(null=True, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    people = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Member", related_name="labelling_projects"
    )

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

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


class Member(models.Model):
    """One person in one project.

    ``name`` is the name under which the person's work stands in files and on
    pages of agreement. ``agreement_shown_at`` is when the person first saw what
    others say.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="labelling_memberships"
    )
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    name = models.CharField(max_length=80)
    agreement_shown_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="member_once_per_project"),
            models.UniqueConstraint(fields=["project", "name"], name="member_name_per_project"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.project}"
