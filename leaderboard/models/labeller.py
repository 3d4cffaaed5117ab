"""Labellers of sound descriptors on this site, and which one is in use."""

from django.conf import settings
from django.db import models

from leaderboard.models.append_only import AppendOnly, AppendOnlyQuerySet


class Origin(models.TextChoices):
    """Where a labeller comes from."""

    TRAINED = "trained", "Trained here"
    UPLOADED = "uploaded", "Uploaded"


class Labeller(models.Model):
    """A labeller's record; its files lie in a folder that is named by ``sha256``.

    ``sha256`` is that of its files together (``services.labellers``), ``identity``
    its name in signatures (name@xxxxxxxx). ``data_hash`` is the sha256 of the
    captions it learned from, ``recipe`` every choice of its training, ``scores``
    what it did on captions that it had not seen; all three as its maker says where it
    was uploaded. ``note`` is for people.
    """

    name = models.CharField(max_length=60)
    identity = models.CharField(max_length=80, unique=True)
    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()
    labels = models.JSONField()
    origin = models.CharField(max_length=8, choices=Origin)
    data_hash = models.CharField(max_length=64, blank=True)
    recipe = models.JSONField(default=dict)
    scores = models.JSONField(default=dict)
    note = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-made_at", "-id"]
        permissions = [("publish_labeller", "Can choose the labeller that is in use")]

    def __str__(self) -> str:
        return self.identity


class LabellerUse(AppendOnly):
    """That a labeller was put to use; the latest row is the one in use.

    ``labeller`` is None for the shipped one. ``identity`` is its name in
    signatures from then on. The database refuses to change a row.
    """

    labeller = models.ForeignKey(Labeller, null=True, on_delete=models.PROTECT, related_name="uses")
    identity = models.CharField(max_length=80)
    reason = models.CharField(max_length=300, blank=True)
    put_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    put_at = models.DateTimeField()

    objects = AppendOnlyQuerySet["LabellerUse"].as_manager()

    class Meta:
        ordering = ["-put_at", "-id"]

    def __str__(self) -> str:
        return f"{self.identity} since {self.put_at:%Y-%m-%d %H:%M} UTC"
