"""Forms of one's own account, of teams, for taking part and for new organisers."""

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import QuerySet

from leaderboard.models import Challenge, Team, User
from leaderboard.selectors.people.participation import terms_digest
from leaderboard.web.public_names import NameField, RowNameField


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
        fields = ("mail_notices", "mail_trainings", "mail_announcements")


class AccountDeletionForm(forms.Form):
    """Confirms the deletion of an account.

    By the password, or by the user name typed by hand where a person has none since they
    log in with an account elsewhere.
    """

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    username = forms.CharField(
        label="Your user name",
        help_text="To confirm, because your account has no password.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        del self.fields["username" if user.has_usable_password() else "password"]

    def clean_password(self) -> str:
        """Refuse another password."""
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError("This is not your password.")
        return password

    def clean_username(self) -> str:
        """Refuse another name."""
        username: str = self.cleaned_data["username"]
        if username != self.user.username:
            raise ValidationError(f"This is not your user name. Type {self.user.username}.")
        return username


class TokenForm(forms.Form):
    """A name by which its owner will know the token again."""

    name = NameField(label="Name", max_length=60, help_text="Where it is used: laptop, cluster")


class OrganiserForm(forms.Form):
    """Somebody by user name, or an e-mail address to which an invitation goes.

    Whether an address has an account is neither looked up nor revealed. ``user`` is
    None where an address was written.
    """

    who = forms.CharField(
        label="User name or e-mail address",
        max_length=254,
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
        ),
        help_text="A user name adds the person at once. An e-mail address gets an invitation with "
        "a link.",
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
            f"There is no user with the name “{written}”. User names are case sensitive. Write "
            "another, or an e-mail address."
        )


class TeamForm(forms.Form):
    """The name of a team on leaderboards, and its affiliation."""

    name = RowNameField(
        label="Team name", max_length=60, help_text="Everyone sees it on the leaderboard."
    )
    affiliation = NameField(
        label="Affiliation",
        max_length=120,
        required=False,
        help_text="University, company or group. May stay empty.",
    )


class InvitationForm(forms.Form):
    """The name of somebody to invite."""

    username = NameField(
        label="User name",
        max_length=150,
        help_text="The name that the person sees at the top right when logged in.",
    )


class TakePartForm(forms.Form):
    """Accepts the terms of a challenge for a team, and asks its organisers where they admit.

    ``terms_read`` is the digest of the text that stands above the form.
    """

    team = forms.ModelChoiceField(Team.objects.none(), label="Team", empty_label=None)
    accept = forms.BooleanField(
        label="We accept these terms",
        error_messages={"required": "Read the terms, and tick that you accept them."},
    )
    note = forms.CharField(
        label="Note to the organisers",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Who you are, and what you plan. Only organisers read it.",
    )
    terms_read = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, challenge: Challenge, teams: QuerySet[Team]) -> None:
        super().__init__(data, initial={"terms_read": terms_digest(challenge)})
        field = self.fields["team"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = teams
            field.initial = teams.first()
        if not challenge.terms:
            self.fields["accept"].required = False
            self.fields["accept"].widget = forms.HiddenInput()
        if not challenge.approval:
            self.fields["note"].widget = forms.HiddenInput()

    def show_again(self, challenge: Challenge, why: str) -> None:
        """Say why it was refused, beside the terms as they are now, which are not accepted yet."""
        sent = {name: value for name, value in self.data.items() if name != "accept"}
        self.data = {**sent, "terms_read": terms_digest(challenge)}
        self.add_error(None, why)
