"""Images in the texts of a challenge, its logo among them."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Challenge


class ChallengeImage(models.Model):
    """An image that organisers uploaded, as it was encoded anew here (WebP).

    ``name`` is what the Markdown of the challenge calls it; ``sha256`` is of ``content`` and part
    of its address, so that browsers may keep it. At most one of a challenge is its logo.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="images")
    name = models.SlugField(max_length=60)
    content = models.BinaryField(editable=False)
    sha256 = models.CharField(max_length=64, editable=False)
    width = models.PositiveIntegerField(editable=False)
    height = models.PositiveIntegerField(editable=False)
    is_logo = models.BooleanField(default=False)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "name"], name="image_named_once_per_challenge"
            ),
            models.UniqueConstraint(
                fields=["challenge"],
                condition=models.Q(is_logo=True),
                name="one_logo_per_challenge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenge.slug} image {self.name}"
