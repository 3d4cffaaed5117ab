"""The form with which organisers let others in."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from leaderboard.models import User


class OrganiserForm(forms.Form):
    """Somebody by user name, or an e-mail address to which an invitation goes.

    Whether an address has an account is neither looked up nor told. ``user`` is None
    where an address was written.
    """

    who = forms.CharField(
        label="User name or e-mail address",
        max_length=254,
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
        ),
        help_text="Who has a user name here is let in at once. To an e-mail address goes an "
        "invitation with a link.",
    )
    user: User | None = None

    def clean_who(self) -> Any:
        """Find the person, or check the address."""
        written = self.cleaned_data["who"].strip()
        if "@" in written:
            # Never a user name, not even an old one that has an @: who has chosen the address
            # of somebody else for a name would be let in as them.
            validate_email(written)
            return written
        self.user = User.objects.filter(username=written, is_active=True).first()
        if self.user is not None:
            return written
        raise ValidationError(
            f"Nobody has the user name “{written}”. Capital and small letters count. Write "
            "another, or an e-mail address."
        )
