"""Labels and their inventories."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.text import slugify

from annotation.models.people import person_or_nobody


@dataclass(frozen=True, slots=True)
class Label:
    """One label of an inventory.

    ``name`` stands in files, ``title`` on pages. ``key`` is the unshifted key
    that applies it, ``tone`` the number of its colour and pattern (0 to 19).
    ``examples`` are captions with the labelled words in brackets.
    """

    name: str
    title: str
    key: str
    tone: int
    guideline: str
    examples: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The name as it can stand in an address: WHAT/WHERE has a slash."""
        return slugify(self.name.replace("/", "-"))

    def to_json(self) -> dict[str, Any]:
        """The label as plain JSON values."""
        return {**asdict(self), "examples": list(self.examples)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Label":
        """Read what ``to_json`` wrote."""
        return cls(
            name=str(row["name"]),
            title=str(row["title"]),
            key=str(row["key"]),
            tone=int(row["tone"]),
            guideline=str(row["guideline"]),
            examples=tuple(map(str, row.get("examples", ()))),
        )


class Scheme(models.Model):
    """A version of an inventory; never changed, so that a label always means the same.

    ``labels`` lists them in order, as ``Label.to_json`` writes them. ``published`` are those
    that every project may use; the others are versions of one project's own. ``previous`` is
    the version in whose place such a one came, and ``becomes`` says of labels of that one
    which do not keep their name what they are now, "" for no label. ``restores`` is the
    earlier version whose labels it brings back. With ``asks_again`` answers given before
    count only once their makers have gone through them.
    """

    slug = models.SlugField()
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=120)
    summary = models.TextField(blank=True)
    labels = models.JSONField()
    published = models.BooleanField(default=True)
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    restores = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    becomes = models.JSONField(default=dict, blank=True)
    asks_again = models.BooleanField(default=False)
    made_by = person_or_nobody(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="scheme_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.title}, version {self.version}"

    @property
    def inventory(self) -> tuple[Label, ...]:
        """The labels in order."""
        stored: list[dict[str, Any]] = self.labels
        return tuple(Label.from_json(row) for row in stored)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names, as they stand in files."""
        return tuple(label.name for label in self.inventory)


class KeyChoice(models.Model):
    """The keys that a person changed for a scheme: {id of a label or command: character}."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="labelling_keys"
    )
    scheme = models.ForeignKey(Scheme, on_delete=models.CASCADE, related_name="+")
    keys = models.JSONField(default=dict)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["user", "scheme"]
        constraints = [
            models.UniqueConstraint(fields=["user", "scheme"], name="keys_once_per_scheme")
        ]

    def __str__(self) -> str:
        return f"keys of user {self.user_id} for scheme {self.scheme_id}"
