"""Which keys people chose for labels and commands."""

from django.conf import settings
from django.db import models

from annotation.models.scheme import Scheme


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
