"""What organisers agreed to have sent to a language model, and how much was sent."""

from django.db import models

from leaderboard.models.challenge import Phase


class LanguageModelUse(models.Model):
    """A phase's consent that its captions and references are sent to ``host``.

    ``model`` is the name under which the installation has the language model. ``requests`` were
    sent so far, also before it was turned off and on again, and never more than ``budget``; with
    the tokens that the server said they had.
    """

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="language_model")
    model = models.CharField(max_length=60)
    host = models.CharField(max_length=255)
    active = models.BooleanField(default=True)
    budget = models.PositiveIntegerField()
    requests = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.model} for phase {self.phase_id}"
