"""People and their API tokens."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person with an account; the user name is what others see."""

    mail_notices = models.BooleanField(
        "E-mail me notices",
        default=True,
        help_text="When a system of your team is scored or fails, or the organisers decide on it.",
    )
    mail_trainings = models.BooleanField(
        "Also about trainings",
        default=True,
        help_text="When a training of a labeller that you started is done, fails, or is cancelled "
        "by someone else.",
    )
    mail_announcements = models.BooleanField(
        "Also announcements",
        default=True,
        help_text="What organisers announce about challenges in which your team takes part.",
    )


class ApiToken(models.Model):
    """A personal token; only its digest is kept, so that it can be shown just once."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=12, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"
