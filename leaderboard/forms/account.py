"""The forms of one's own account."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.core.exceptions import ValidationError

from leaderboard.models import User


class UserNameForm(forms.ModelForm):  # type: ignore[type-arg]
    """The name that others see, and by which one can log in."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "User name"}
        help_texts = {"username": "Others see it. Letters, digits and . + - _"}

    def clean_username(self) -> str:
        """Hold a new name to the rules of signing up."""
        name: str = self.cleaned_data["username"]
        name = get_adapter().clean_username(name, shallow=True)
        others = User.objects.exclude(pk=self.instance.pk)
        # Who logs in may write the name in whatever case.
        if others.filter(username__iexact=name).exists():
            raise ValidationError(f"Someone else is called {name!r}. Choose another name.")
        return name


class NoticesForm(forms.ModelForm):  # type: ignore[type-arg]
    """Which notices go out by e-mail, too."""

    class Meta:
        model = User
        fields = ("mail_notices", "mail_trainings")


class FarewellForm(forms.Form):
    """What proves that a person wants their account deleted.

    The password, or, of who logs in elsewhere alone and has none, the user name
    typed by hand.
    """

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    username = forms.CharField(
        label="Your user name",
        help_text="Typed by hand, since your account has no password.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        del self.fields["username" if user.has_usable_password() else "password"]

    def clean_password(self) -> str:
        """Refuse another password."""
        given: str = self.cleaned_data["password"]
        if not self.user.check_password(given):
            raise ValidationError("This is not your password.")
        return given

    def clean_username(self) -> str:
        """Refuse another name."""
        given: str = self.cleaned_data["username"]
        if given != self.user.username:
            raise ValidationError(f"This is not your user name. Type {self.user.username}.")
        return given
