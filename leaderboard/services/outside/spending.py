"""What is sent to a phase's language model: only while it is agreed to, and within the budget."""

from dataclasses import dataclass

from django.db.models import F

from leaderboard.models import LanguageModelUse
from scoring.asking import AskingEnded


@dataclass(frozen=True, slots=True)
class Spending:
    """The budget of a phase for the language model of this name behind this host."""

    phase_id: int
    model: str
    host: str

    def request_count(self) -> None:
        """Count a request before it is sent; raises ``AskingEnded`` where it may not be sent.

        One statement asks and counts, so that any number of threads and workers stay within the
        budget, and so that nothing more is sent once an organiser turned the model off.
        """
        agreed = LanguageModelUse.objects.filter(
            phase=self.phase_id, model=self.model, host=self.host, active=True
        )
        if agreed.filter(requests__lt=F("budget")).update(requests=F("requests") + 1) == 1:
            return
        use = agreed.first()
        if use is None:
            raise AskingEnded(
                "The organisers have not agreed that captions are sent to this language model, or "
                "its address has changed since."
            )
        raise AskingEnded(
            f"The budget of {use.budget:,} requests to the language model is spent. Organisers can "
            "raise it; answers that were paid for are kept."
        )

    def tokens_count(self, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens that the server says a request had."""
        LanguageModelUse.objects.filter(phase=self.phase_id).update(
            tokens_in=F("tokens_in") + tokens_in, tokens_out=F("tokens_out") + tokens_out
        )
