"""Data sets in the making: clips with captions, what was found in these, parts, and splits."""

from django.conf import settings
from django.db import models

from annotation.models.annotation import Annotation
from annotation.models.people import person_or_nobody
from annotation.models.project import LONGEST_NAME, Project
from leaderboard.models import CancellableJob, LeasedJob, Phase, ReferenceSet

LONGEST_PART = 40


class DataSet(models.Model):
    """Captions of clips on their way to being the references of a phase.

    They come from ``source``, the last project of those in which people wrote, edited and rated
    them, or from a file. ``procedure`` tells in Markdown how they were made; the data card has it.
    ``split`` is what was asked of the split and what came of it (parts, seed, report), None before
    there is one. ``kinds`` are the kinds of findings that are looked for, none: the usual ones;
    ``min_words`` and ``max_words`` are what a caption should have.
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
    kinds = models.JSONField(default=list, blank=True)
    min_words = models.PositiveSmallIntegerField(default=8)
    max_words = models.PositiveSmallIntegerField(default=20)
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


class InDataSet(models.Manager["DataSetCaption"]):
    """Captions that were not taken out."""

    def get_queryset(self) -> models.QuerySet["DataSetCaption"]:
        """Leave out those that were."""
        return super().get_queryset().filter(taken_out=False)


class DataSetCaption(models.Model):
    """A caption of a clip. ``original`` is as it came, ``annotation`` the answer that it was.

    One that was ``taken_out`` is no part of the data set, since its project does not keep it any
    more; with all that was decided about it, it can be put back. Every manager but
    ``with_taken_out`` leaves it out, so that no reader can forget it.
    """

    clip = models.ForeignKey(DataSetClip, on_delete=models.CASCADE, related_name="captions")
    number = models.PositiveSmallIntegerField()
    text = models.TextField()
    original = models.TextField()
    annotation = models.ForeignKey(
        Annotation, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    taken_out = models.BooleanField(default=False)

    objects = InDataSet()
    with_taken_out = models.Manager["DataSetCaption"]()

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


class FindingManager(models.Manager["CaptionFinding"]):
    """Findings in captions that were not taken out."""

    def get_queryset(self) -> models.QuerySet["CaptionFinding"]:
        """Leave out those that were."""
        return super().get_queryset().filter(caption__taken_out=False)


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
    decided_by = person_or_nobody(blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = FindingManager()
    with_taken_out = models.Manager["CaptionFinding"]()

    class Meta:
        ordering = ["caption", "start", "id"]
        indexes = [models.Index(fields=["kind", "verdict"], name="finding_kind_verdict")]

    def __str__(self) -> str:
        return f"{self.kind} in caption {self.caption_id}"


class CaptionAct(models.TextChoices):
    """What a person did to a caption."""

    ACCEPTED = "accepted", "took a suggestion"
    EDITED = "edited", "edited the caption"
    DISMISSED = "dismissed", "dismissed the finding"
    TAKEN_BACK = "taken-back", "took a decision back"
    TAKEN_OUT = "taken-out", "took the caption out: its project did not keep it any more"
    PUT_BACK = "put-back", "put the caption back: its project kept it again"


# Acts that decide something about the text, and can be taken back.
DECIDING = (CaptionAct.ACCEPTED, CaptionAct.EDITED, CaptionAct.DISMISSED)


class CaptionDecision(models.Model):
    """One act on a caption; kept whatever comes after it.

    ``kind``, ``start``, ``end`` and ``text`` are of the ``finding`` as it was then; without one
    the caption was edited for no finding's sake. ``before`` and ``after`` are the caption's text.
    One that was ``taken_back`` is followed by the act that did so.
    """

    caption = models.ForeignKey(DataSetCaption, on_delete=models.CASCADE, related_name="decisions")
    finding = models.ForeignKey(
        CaptionFinding, null=True, on_delete=models.CASCADE, related_name="decisions"
    )
    act = models.CharField(max_length=10, choices=CaptionAct)
    kind = models.CharField(max_length=20, blank=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    text = models.TextField(blank=True)
    before = models.TextField()
    after = models.TextField()
    by = person_or_nobody()
    at = models.DateTimeField()
    taken_back = models.BooleanField(default=False)

    class Meta:
        ordering = ["caption", "id"]

    def __str__(self) -> str:
        return f"{self.act} caption {self.caption_id}"

    @property
    def can_be_taken_back(self) -> bool:
        """Whether it decided something, and still stands."""
        return not self.taken_back and self.act in DECIDING


class CheckState(models.TextChoices):
    """How far a check of all captions is."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Checking"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class DataSetCheck(LeasedJob):
    """A check of all captions of a data set: ``done`` of ``total`` captions are looked at.

    ``reason`` is why it failed.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="checks")
    state = models.CharField(max_length=7, choices=CheckState, default=CheckState.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    reason = models.TextField(blank=True)
    started_by = person_or_nobody(blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["data_set", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["data_set"],
                condition=models.Q(state__in=[CheckState.WAITING, CheckState.RUNNING]),
                name="one_check_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"check {self.pk} of {self.data_set_id}"


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
    by = person_or_nobody()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.part or 'all'} of {self.data_set_id}"


class SplitState(models.TextChoices):
    """Where a split stands; the last three are final."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Splitting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class SplitRun(CancellableJob):
    """One split of a data set: what was asked, how far it is, what came of it.

    ``asked`` has the parts as they were written, the seed and what stays together.
    ``stage``, ``done`` and ``total`` are the progress. ``report`` has the share of every word,
    which ``DataSet.split`` leaves out. ``reason`` says why it failed.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="split_runs")
    asked = models.JSONField()
    state = models.CharField(max_length=9, choices=SplitState, default=SplitState.WAITING)
    stage = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    started_by = person_or_nobody()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["data_set"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_split_at_a_time",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"], name="split_state_lease")]

    def __str__(self) -> str:
        return f"split {self.pk} of {self.data_set_id}"

    @property
    def share(self) -> float | None:
        """How far it is, 0 to 1; None where nobody can say."""
        return min(1.0, self.done / self.total) if self.total else None
