"""The form with which organisers upload images."""

from django import forms

from leaderboard.forms.uploads import LimitedFileField
from leaderboard.services.organising.image_encoding import MOST_BYTES


class ImageForm(forms.Form):
    """One image."""

    file = LimitedFileField(
        label="Image",
        accept="image/png,image/jpeg,image/webp,image/gif",
        limit=lambda: MOST_BYTES,
        advice="Save it with fewer pixels.",
        error_messages={"required": "Choose an image."},
    )
