"""The forms with which organisers turn on judges from elsewhere."""

from typing import Any

from django import forms
from django.conf import settings

from leaderboard.forms.choices import offer
from leaderboard.models import LanguageModelUse

MOST_REQUESTS = 10_000_000


class HearingJudgeForm(forms.Form):
    """Which CLAP model hears the recordings; ``family`` is the judge."""

    family = forms.CharField(widget=forms.HiddenInput)
    model = forms.ChoiceField(label="CLAP model")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "model", [(name, name) for name in settings.CLAP_MODELS])


class AskingJudgeForm(HearingJudgeForm):
    """Which language model is asked, how often at most, and that captions may be sent to it."""

    model = forms.ChoiceField(label="Language model")
    budget = forms.IntegerField(
        label="Budget in requests",
        min_value=1,
        max_value=MOST_REQUESTS,
        help_text="Never more are sent, repeated ones and those of former choices included. When "
        "they are spent, scoring stops with a reason.",
    )
    agreed = forms.BooleanField(
        label="Captions and references of this phase may be sent to the host of this model",
        help_text="The phase's pages tell everyone so. Names of teams and systems are not sent.",
        error_messages={"required": "Nothing is sent unless you confirm this."},
    )

    def __init__(self, *args: Any, use: LanguageModelUse | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._use = use
        servers = settings.LANGUAGE_MODELS.values()
        offer(
            self, "model", [(one.name, f"{one.name}: {one.model} at {one.host}") for one in servers]
        )

    def clean_budget(self) -> int:
        """Refuse a budget that is spent already."""
        budget: int = self.cleaned_data["budget"]
        if self._use is not None and budget < self._use.requests:
            raise forms.ValidationError(
                f"{self._use.requests:,} requests were sent already. Give at least as many."
            )
        return budget
