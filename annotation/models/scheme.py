"""Inventories of labels."""

from typing import Any

from django.conf import settings
from django.db import models

from annotation.labels import Label


class Scheme(models.Model):
    """A version of an inventory; never changed, so that a label always means the same.

    ``labels`` lists them in order, as ``Label.to_json`` writes them.
    """

    slug = models.SlugField()
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=120)
    summary = models.TextField(blank=True)
    labels = models.JSONField()
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
