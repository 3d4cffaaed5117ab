"""The form for choosing the labeller in use."""

from django import forms


class LabellerUseForm(forms.Form):
    """Why a labeller is put to use.

    ``seen`` is the labeller that was in use when the page was loaded; the page fills it in.
    """

    reason = forms.CharField(
        max_length=300,
        help_text="Kept with the history of labellers and in the audit log.",
        error_messages={"required": "Say why this labeller is put into use."},
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=80)
