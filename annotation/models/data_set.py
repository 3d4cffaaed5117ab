"""Data sets in the making: clips with their captions, what was found in these, and their parts."""

from django.conf import settings
from django.db import models

from annotation.models.annotation import Annotation
from annotation.models.project import Project
from annotation.models.sound import LONGEST_NAME
from leaderboard.models import Phase, ReferenceSet

LONGEST_PART = 40


class DataSet(models.Model):
    """Captions of clips on their way to being the references of a phase.

    They come from ``source``, the last project of those in which people wrote, edited and rated
    them, or from a file. ``procedure`` tells in Markdown how they were made; the data card has it.
    ``split`` is what was asked of the split and what came of it (parts, seed, report), None before
    there is one.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="data_sets"
    )
    source = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.SET_NULL, related_name="data_sets"
    )
    procedure = models.TextField(blank=True, help_text="Markdown.")
    split = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class DataSetClip(models.Model):
    """A clip of a data set.

    ``meta`` is what is known of it besides: tags, license, uploader, recording, duration.
    ``part`` names the part that it was split into, "" before there are parts.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="clips")
    position = models.PositiveIntegerField()
    file_name = models.CharField(max_length=LONGEST_NAME)
    meta = models.JSONField(default=dict, blank=True)
    part = models.CharField(max_length=LONGEST_PART, blank=True)

    class Meta:
        ordering = ["data_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["data_set", "position"], name="data_set_clip_position"),
            models.UniqueConstraint(fields=["data_set", "file_name"], name="data_set_clip_name"),
        ]

    def __str__(self) -> str:
        return self.file_name


class DataSetCaption(models.Model):
    """A caption of a clip. ``original`` is as it came, ``annotation`` the answer that it was."""

    clip = models.ForeignKey(DataSetClip, on_delete=models.CASCADE, related_name="captions")
    number = models.PositiveSmallIntegerField()
    text = models.TextField()
    original = models.TextField()
    annotation = models.ForeignKey(
        Annotation, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["clip", "number"]
        constraints = [
            models.UniqueConstraint(fields=["clip", "number"], name="data_set_caption_number")
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Verdict(models.TextChoices):
    """What a person decided about a finding."""

    OPEN = "", "Open"
    ACCEPTED = "accepted", "Suggestion taken"
    EDITED = "edited", "Edited"
    DISMISSED = "dismissed", "Dismissed"
    GONE = "gone", "No longer found"


class CaptionFinding(models.Model):
    """Something in a caption that somebody should look at, and what was decided.

    ``start`` and ``end`` count code points of the caption's text ``before``, in which ``text``
    stands there. ``after`` is the caption's text once it was decided, and what is put back when
    the decision is taken back is ``before``.
    """

    caption = models.ForeignKey(DataSetCaption, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=20)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    suggestions = models.JSONField(default=list, blank=True)
    verdict = models.CharField(max_length=9, choices=Verdict, default=Verdict.OPEN, blank=True)
    before = models.TextField()
    after = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["caption", "start", "id"]
        indexes = [models.Index(fields=["kind", "verdict"], name="finding_kind_verdict")]

    def __str__(self) -> str:
        return f"{self.kind} in caption {self.caption_id}"


class Publication(models.Model):
    """That a part became a reference set, for ``phase`` where it was used at once.

    ``card`` is the data card as it was then.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="publications")
    part = models.CharField(max_length=LONGEST_PART, blank=True)
    reference_set = models.ForeignKey(ReferenceSet, on_delete=models.CASCADE, related_name="+")
    phase = models.ForeignKey(
        Phase, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    card = models.JSONField(default=dict)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.part or 'all'} of {self.data_set_id}"
