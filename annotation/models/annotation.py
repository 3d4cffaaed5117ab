"""What people labelled."""

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models.gold import LONGEST_NOTE
from annotation.models.imports import Import
from annotation.models.item import PRESENT, Assignment, Item
from annotation.models.people import person_or_nobody
from annotation.models.project import Project
from annotation.models.scheme import Scheme

LONGEST_INVENTORY = 50
# Under this key of the extra of an answer stands which caption of a pair its maker saw first,
# where it came with an archive: its maker has another id here, by which the order is drawn.
SHOWN_FIRST = "shown_first"


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


# What counts, and what is only kept: it came when all places were taken, or to a closed project.
# What a file brought by labels of another inventory is neither before its maker goes through it.
# Nor is what was sent back to its maker, before it is answered again.
ANSWERED = models.Q(inventory="", sent_back__isnull=True)
COUNTING = models.Q(assignment__isnull=False) & ANSWERED
# What a manager refused was answered all the same: its maker is not asked again.
UNCOUNTED = models.Q(assignment__isnull=True, refused__isnull=True) & ANSWERED


class SendBack(models.Model):
    """That a manager sent answers back to those who gave them, or refused one, and why."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    by = person_or_nobody()
    at = models.DateTimeField()
    note = models.CharField(max_length=LONGEST_NOTE)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.note


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    """Annotations, and those of them that count."""

    def counting(self) -> "AnnotationQuerySet":
        """Those that hold an assignment, and whose labels are of the project's inventory."""
        return self.filter(COUNTING)

    def uncounted(self) -> "AnnotationQuerySet":
        """Those that are only kept, and may come to count."""
        return self.filter(UNCOUNTED)


class AnnotationManager(models.Manager["Annotation"]):
    """Annotations of captions that are not removed."""

    def get_queryset(self) -> AnnotationQuerySet:
        """Leave out those of removed captions."""
        return AnnotationQuerySet(self.model, using=self._db).filter(PRESENT)

    def counting(self) -> AnnotationQuerySet:
        """Those of them that count."""
        return self.get_queryset().counting()

    def uncounted(self) -> AnnotationQuerySet:
        """Those of them that are only kept, and may come to count."""
        return self.get_queryset().uncounted()


class WorkManager(AnnotationManager):
    """Those of them that do not answer test captions."""

    def get_queryset(self) -> AnnotationQuerySet:
        """Leave out what is no work."""
        return super().get_queryset().filter(test=False)


class Annotation(models.Model):
    """One person's answer to one item: its labels, or what else the kind of work asks for.

    ``spans`` are Prodigy's: start, end, token_start, token_end (inclusive),
    label. ``value`` is the answer in kinds of work other than label words, as the kind writes
    it. ``version`` grows with every change. ``edit`` is the client's name of
    the latest change, by which a change that is sent twice is known. ``assignment``
    is None where all assignments were taken meanwhile: the work is kept, and does
    not count. ``inventory`` is that of the file from which the labels came where it is
    not the project's; such work is kept, and does not count before its maker goes
    through it here. ``imported_in`` is the file that brought it. ``seconds`` is how long
    the caption was before the person.
    ``late`` tells of the first change of labels or answer that was made late.
    ``extra`` keeps what an imported record had besides, and in ``taken`` which spans were
    taken from a suggestion, each with the labeller that made it. A ``test`` answers a settled
    caption that was mixed in to measure the person (``Assignment``): ``objects`` leaves it
    out, so that it counts nowhere; ``every`` has it, for what the person sees. ``scheme`` is
    the version by which the labels were given, None where that is the first that the project
    had; a later one may have renamed them since. With ``sent_back`` it waits to be gone through
    again by its maker; versions up to ``set_aside`` are from before they last did, and agreement
    takes none of them for what was answered first. One that a manager ``refused`` is kept and
    never counts while it is; its place went to others. ``made_as`` is the session of a file as
    which it came, where its work was given to ``user`` afterwards (``services.people``). Who
    leaves the site hands the work over to someone without a name first (``services.people``).
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="annotations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, related_name="annotations"
    )
    assignment = models.OneToOneField(
        Assignment, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotation"
    )
    spans = models.JSONField(default=list)
    value = models.JSONField(null=True, blank=True)
    answer = models.CharField(max_length=6, choices=Answer, default=Answer.ACCEPT)
    flagged = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    edit = models.CharField(max_length=40)
    inventory = models.CharField(max_length=LONGEST_INVENTORY, blank=True, default="")
    imported_in = models.ForeignKey(
        Import, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotations"
    )
    seconds = models.FloatField(null=True, blank=True)
    late = models.CharField(max_length=8, choices=Lateness, default=Lateness.NO, blank=True)
    extra = models.JSONField(default=dict)
    test = models.BooleanField(default=False)
    scheme = models.ForeignKey(Scheme, null=True, on_delete=models.PROTECT, related_name="+")
    sent_back = models.ForeignKey(
        SendBack, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotations"
    )
    set_aside = models.PositiveIntegerField(default=0)
    refused = models.ForeignKey(
        SendBack,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="refused_annotations",
    )
    made_as = person_or_nobody(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = WorkManager()
    every = AnnotationManager()
    with_removed = AnnotationQuerySet.as_manager()

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
        """Whether it holds an assignment, has the project's labels, and was not sent back."""
        return self.assignment_id is not None and not self.inventory and self.sent_back_id is None

    @property
    def taken(self) -> list[dict[str, Any]]:
        """The spans that were taken from a suggestion, each with its ``labeller``."""
        stored: dict[str, Any] = self.extra
        return list(stored.get("taken", ()))


class Revision(models.Model):
    """How an annotation stood after each change; only ever added to.

    ``taken`` are the spans that were taken from a suggestion, as in the annotation's
    ``extra``; None in rows from before that was kept. ``inventory`` and ``scheme`` are the
    annotation's then: the labels are those of that version, whatever became of them.
    """

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    edit = models.CharField(max_length=40)
    spans = models.JSONField()
    value = models.JSONField(null=True, blank=True)
    taken = models.JSONField(null=True)
    inventory = models.CharField(max_length=LONGEST_INVENTORY, blank=True, default="")
    answer = models.CharField(max_length=6, choices=Answer)
    late = models.CharField(max_length=8, choices=Lateness, default=Lateness.NO, blank=True)
    scheme = models.ForeignKey(Scheme, null=True, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ["annotation", "version"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "version"], name="revision_once"),
            models.UniqueConstraint(fields=["annotation", "edit"], name="edit_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.version} of annotation {self.annotation_id}"
