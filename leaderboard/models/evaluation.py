"""Evaluations: the jobs, their results and the details of clips.

The database is the truth, the queue only carries ids.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import models

from earmark.json_values import json_bytes
from earmark.results import PerClip
from leaderboard.models.leased_job import LeasedJob
from leaderboard.models.submission import Submission


class EvaluationState(models.TextChoices):
    """State of an evaluation; DONE and FAILED are final until someone retries."""

    PENDING = "pending", "Waiting"
    RUNNING = "running", "Scoring"
    DONE = "done", "Scored"
    FAILED = "failed", "Failed"


class Evaluation(LeasedJob):
    """One metric family of one submission under one scorer signature.

    ``reason`` is for the participant; ``detail`` is for the organiser and may hold captions.
    ``details_note`` says why the details of the clips were not kept. ``parameters``
    are the family's where they are not those of the installation.
    """

    WAITING = EvaluationState.PENDING

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    family = models.CharField(max_length=40)
    reference_hash = models.CharField(max_length=64)
    signature = models.CharField(max_length=300)
    parameters = models.JSONField(default=dict, blank=True)
    published = models.BooleanField(default=True)
    state = models.CharField(max_length=8, choices=EvaluationState, default=EvaluationState.PENDING)
    created_at = models.DateTimeField()
    retried_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    clips_done = models.PositiveIntegerField(default=0)
    clips_total = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    detail = models.TextField(blank=True)
    details_note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["submission", "id"]
        indexes = [
            models.Index(fields=["state", "lease_expires_at"]),
            models.Index(fields=["state", "enqueued_at"]),
            models.Index(fields=["started_at"]),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "family", "reference_hash", "signature"],
                name="evaluation_exactly_once",
            ),
            models.UniqueConstraint(
                fields=["submission", "family"],
                condition=models.Q(published=True),
                name="one_published_evaluation_per_family",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.family} of {self.submission_id}: {self.state}"


class MetricResult(models.Model):
    """One metric of one submission: the corpus value and, packed, every clip's.

    ``per_clip`` holds little-endian float32 in the order of the reference set.
    ``value`` is NULL where the metric has no value; NULL never ranks. ``scorer_version``
    is that of the package that computed it, for the record: ``signature`` alone decides
    what may be compared.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    metric = models.CharField(max_length=40)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    coverage = models.PositiveIntegerField()
    clips = models.PositiveIntegerField()
    signature = models.CharField(max_length=300)
    scorer_version = models.CharField(max_length=40, blank=True)
    per_clip = models.BinaryField()

    class Meta:
        ordering = ["evaluation", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "metric"], name="metric_once_per_evaluation"
            )
        ]
        indexes = [models.Index(fields=["submission", "metric"])]

    def __str__(self) -> str:
        return f"{self.metric} = {self.value}"

    def read_per_clip(self) -> PerClip:
        """Unpack the per-clip values, shape (clips,), NaN where there is none."""
        return np.frombuffer(bytes(self.per_clip), dtype="<f4")

    @staticmethod
    def pack_per_clip(values: PerClip) -> bytes:
        """Pack per-clip values as ``read_per_clip`` expects them."""
        return np.ascontiguousarray(values, dtype="<f4").tobytes()


# Clips that stand in one row: few enough that one clip is read at once, many enough
# that what their details share is compressed away.
CLIPS_PER_BLOCK = 50


class ClipDetails(models.Model):
    """The details of one metric family for up to ``CLIPS_PER_BLOCK`` clips of a submission.

    ``content`` is compressed JSON, one line per clip from ``first_clip`` on, in
    the order of the reference set (from 0). It may hold words of references.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="clip_details"
    )
    first_clip = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["evaluation", "first_clip"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "first_clip"], name="clip_details_once_per_block"
            )
        ]

    def __str__(self) -> str:
        return f"clips from {self.first_clip} of evaluation {self.evaluation_id}"

    def read_clip(self, position: int) -> Any:
        """The details of the clip at this position of the reference set."""
        lines = zlib.decompress(bytes(self.content)).split(b"\n")
        return json.loads(lines[position - self.first_clip])

    def read(self) -> list[Any]:
        """The details of all clips of the block, in order."""
        return [json.loads(line) for line in zlib.decompress(bytes(self.content)).split(b"\n")]

    @staticmethod
    def first_of(position: int) -> int:
        """``first_clip`` of the block that a clip is in."""
        return position - position % CLIPS_PER_BLOCK

    @staticmethod
    def pack(details: Sequence[Mapping[str, Any]]) -> bytes:
        """Pack a block as ``read_clip`` expects it."""
        return zlib.compress(b"\n".join(map(json_bytes, details)), 6)
