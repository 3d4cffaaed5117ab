"""People."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person with an account; the user name is what others see."""
