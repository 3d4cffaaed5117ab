"""What is settled."""

from django.db import models

from annotation.models.item import Item, PresentManager
from annotation.models.people import person_or_nobody
from annotation.models.scheme import Scheme

# Characters of a note, and of the reason for which something is taken back.
LONGEST_NOTE = 500


class GoldLabels(models.Model):
    """Labels of a caption that are, or were, settled.

    ``labels`` has one name per token, "O" for none. ``provenance`` has for each
    token how it was settled: {"how": "agreed", "chosen" or "single" (one person
    alone labelled it), "by": id of the user who chose or None, "from": ids of the
    annotations that have this label, "votes": what each annotation said then,
    "edge": {"how", "by", "votes": whether a span of each annotation began here then}}.
    What was settled before edges were compared has no "edge".
    ``note`` is what who settled it said of why. ``scheme`` is the version by which it was
    settled, None where that is the first that the project had.
    """

    labels = models.JSONField()
    spans = models.JSONField(default=list)
    provenance = models.JSONField()
    settled_by = person_or_nobody()
    settled_at = models.DateTimeField()
    note = models.CharField(max_length=LONGEST_NOTE, blank=True)
    scheme = models.ForeignKey(Scheme, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class Gold(GoldLabels):
    """What is settled of a caption now."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="gold")

    objects = PresentManager["Gold"]()
    with_removed = models.Manager["Gold"]()

    class Meta:
        ordering = ["item"]

    def __str__(self) -> str:
        return f"gold of item {self.item_id}"


class GoldEnd(models.TextChoices):
    """Why something is no longer settled."""

    TAKEN_BACK = "taken_back", "Taken back"
    REPLACED = "replaced", "Decided again"
    RENEWED = "renewed", "All agreed on other labels"
    RELABELLED = "relabelled", "The labels changed"


class PastGold(GoldLabels):
    """What was settled of a caption once: nothing that was decided is ever lost.

    ``reason`` is what who took it back said of it.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="past_gold")
    end = models.CharField(max_length=10, choices=GoldEnd)
    reason = models.CharField(max_length=LONGEST_NOTE, blank=True)
    ended_by = person_or_nobody()
    ended_at = models.DateTimeField()

    objects = PresentManager["PastGold"]()
    with_removed = models.Manager["PastGold"]()

    class Meta:
        ordering = ["item", "-ended_at", "-id"]

    def __str__(self) -> str:
        return f"past gold of item {self.item_id}"
