"""The forms of data sets in the making."""

from django import forms
from django.core.exceptions import ValidationError


class NewDataSetForm(forms.Form):
    """A data set that is not there yet."""

    name = forms.CharField(label="Name", max_length=80)

    def clean_name(self) -> str:
        """Refuse characters that nobody sees."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name.isprintable():
            raise ValidationError("The name holds an invisible character. Type it anew.")
        return name
