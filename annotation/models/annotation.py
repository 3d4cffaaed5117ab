"""What people labelled."""

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.item import Assignment, Item


class Answer(models.TextChoices):
    """What a person decided about a caption."""

    ACCEPT = "accept", "Accepted"
    REJECT = "reject", "Rejected"
    IGNORE = "ignore", "Skipped"


class Lateness(models.TextChoices):
    """What its maker could have known of others' labels when an answer was made or changed."""

    NO = "", "Nothing"
    SHOWN = "shown", "Agreement had been shown"
    SETTLED = "settled", "The caption had been settled"


class Annotation(models.Model):
    """One person's labels of one caption.

    ``spans`` are Prodigy's: start, end, token_start, token_end (inclusive),
    label. ``version`` grows with every change. ``edit`` is the client's name of
    the latest change, by which a change that is sent twice is known. ``assignment``
    is None where all assignments were taken meanwhile: the work is kept, and does
    not count. ``seconds`` is how long the caption was before the person.
    ``late`` tells of the first change of labels or answer that was made late.
    ``extra`` keeps what an imported record had besides, and in ``taken`` which spans were
    taken from a suggestion, each with the labeller that made it. Who leaves the site hands
    the work over to someone without a name first (``services.people``).
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="annotations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, related_name="annotations"
    )
    assignment = models.OneToOneField(
        Assignment, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotation"
    )
    spans = models.JSONField(default=list)
    answer = models.CharField(max_length=6, choices=Answer, default=Answer.ACCEPT)
    flagged = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    edit = models.CharField(max_length=40)
    seconds = models.FloatField(null=True, blank=True)
    late = models.CharField(max_length=8, choices=Lateness, default=Lateness.NO, blank=True)
    extra = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="annotation_once_per_person")
        ]
        indexes = [models.Index(fields=["user", "updated_at"])]

    def __str__(self) -> str:
        return f"{self.user} on {self.item}"

    @property
    def counts(self) -> bool:
        """Whether it holds one of the caption's assignments."""
        return self.assignment_id is not None

    @property
    def taken(self) -> list[dict[str, Any]]:
        """The spans that were taken from a suggestion, each with its ``labeller``."""
        stored: dict[str, Any] = self.extra
        return list(stored.get("taken", ()))


class Revision(models.Model):
    """How an annotation stood after each change; only ever added to.

    ``taken`` are the spans that were taken from a suggestion, as in the annotation's
    ``extra``; None in rows from before that was kept.
    """

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    edit = models.CharField(max_length=40)
    spans = models.JSONField()
    taken = models.JSONField(null=True)
    answer = models.CharField(max_length=6, choices=Answer)
    late = models.CharField(max_length=8, choices=Lateness, default=Lateness.NO, blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ["annotation", "version"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "version"], name="revision_once"),
            models.UniqueConstraint(fields=["annotation", "edit"], name="edit_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.version} of annotation {self.annotation_id}"
