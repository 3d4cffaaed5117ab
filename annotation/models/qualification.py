"""What somebody labels to show that they can, before captions are handed out to them."""

from django.conf import settings
from django.db import models

from annotation.models.gold import LONGEST_NOTE
from annotation.models.item import Item
from annotation.models.project import Project


class QualificationCaption(models.Model):
    """A caption whose labels are known.

    ``item`` is the settled caption of the project that it is, None where a file brought it:
    what is settled of it now is what is expected. ``labels`` (one name per token, "O" for none),
    ``spans`` and ``note`` (why) hold where nothing is: they are as the file, or the settled
    caption when it was chosen, had them.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="qualification_captions"
    )
    item = models.ForeignKey(Item, null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField()
    tokens = models.JSONField()
    labels = models.JSONField()
    spans = models.JSONField(default=list)
    note = models.CharField(max_length=LONGEST_NOTE, blank=True)

    class Meta:
        ordering = ["project", "id"]

    def __str__(self) -> str:
        return self.text[:60]


class QualificationTry(models.Model):
    """One go of a person through a project's qualification captions, numbered from 1.

    It goes on until ``ended_at``; ``same`` of ``words`` words were labelled as expected.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField()
    ended_at = models.DateTimeField(null=True)
    same = models.PositiveIntegerField(default=0)
    words = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["project", "user", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user", "number"], name="qualification_try_once"
            )
        ]

    def __str__(self) -> str:
        return f"try {self.number} of user {self.user_id} in project {self.project_id}"

    @property
    def percent(self) -> int:
        """Words labelled as expected, in whole per cent, rounded down."""
        return self.same * 100 // self.words if self.words else 0


class QualificationAnswer(models.Model):
    """What a person called the words of a qualification caption in one try."""

    attempt = models.ForeignKey(QualificationTry, on_delete=models.CASCADE, related_name="answers")
    caption = models.ForeignKey(
        QualificationCaption, on_delete=models.CASCADE, related_name="answers"
    )
    labels = models.JSONField()
    spans = models.JSONField(default=list)
    at = models.DateTimeField()

    class Meta:
        ordering = ["attempt", "id"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "caption"], name="qualification_answer_once")
        ]

    def __str__(self) -> str:
        return f"answer to {self.caption_id} in try {self.attempt_id}"
