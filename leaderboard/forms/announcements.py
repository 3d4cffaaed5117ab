"""The form with which organisers tell everyone something."""

from typing import Any

from django import forms

from leaderboard.forms.names import NameField
from leaderboard.models import Announcement
from leaderboard.services.announcements import WRITTEN
from leaderboard.services.versions import version_of


class AnnouncementForm(forms.Form):
    """A title and what is to be said."""

    title = NameField(label="Title", max_length=120)
    body = forms.CharField(
        label="Text",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown: *emphasis*, - list, [link](https://example.org).",
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any = None, *, announcement: Announcement | None = None) -> None:
        initial: dict[str, Any] = {}
        if announcement is not None:
            initial = {name: getattr(announcement, name) for name in WRITTEN}
            initial["version"] = version_of(announcement, WRITTEN)
        super().__init__(data, initial=initial)
