"""People."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person with an account; the user name is what others see."""

    mail_notices = models.BooleanField(
        "E-mail me notices",
        default=True,
        help_text="When a system of your team is scored, fails, or is judged by the organisers.",
    )
    mail_trainings = models.BooleanField(
        "Notices of trainings, too",
        default=True,
        help_text="When a training of a labeller that you started is done, has failed, or was "
        "cancelled by someone else.",
    )
