"""The forms with which people are let in, given work and tested."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import MOST_USES, Member, Project, Role
from annotation.services.invitations import InvitationTerms
from leaderboard.models import User
from leaderboard.web.form_choices import offer


class MemberForm(forms.Form):
    """Someone to let in."""

    username = forms.CharField(label="User name", max_length=150)
    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.ANNOTATOR)

    def clean_username(self) -> str:
        """Find the person, who is ``user`` then."""
        name = str(self.cleaned_data["username"])
        self.user = User.objects.filter(username=name, is_active=True).first()
        if self.user is None:
            raise ValidationError("There is no user with this name. User names are case sensitive.")
        return name


class MemberField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """A member by the name in the project."""

    def label_from_instance(self, obj: Any) -> str:
        """The text of the choice."""
        return str(obj.name)


class SessionForm(forms.Form):
    """Whom the work of a session of a file is given to."""

    member = MemberField(label="Member", queryset=Member.objects.none(), empty_label="Choose")

    def __init__(self, data: Any = None, *, project: Project) -> None:
        super().__init__(data)
        offer(self, "member", project.members.filter(user__is_active=True).order_by("name"))


class ProjectInvitationForm(forms.Form):
    """What an invitation offers."""

    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.ANNOTATOR)
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=90, initial=14)
    uses = forms.IntegerField(
        label="People who may use it", min_value=1, max_value=MOST_USES, initial=1
    )
    email = forms.EmailField(label="Mail it to", required=False)

    def __init__(self, data: Any = None, *, session: Member | None = None) -> None:
        # Another form on the page has a role, too.
        super().__init__(data, auto_id="invitation_%s")
        self._session = session
        if session is not None:
            # A session is one person.
            del self.fields["uses"]

    def clean(self) -> dict[str, Any]:
        """Refuse a mail to one address that lets several people in."""
        values = super().clean() or self.cleaned_data
        if values.get("email") and values.get("uses", 1) > 1:
            self.add_error(
                "uses",
                "A mailed invitation is for one person. Enter 1, or leave the address empty and "
                "send the link yourself.",
            )
        return values

    @property
    def terms(self) -> InvitationTerms:
        """The valid form's values."""
        values = self.cleaned_data
        return InvitationTerms(
            Role(values["role"]),
            values.get("uses", 1),
            values["days"],
            values["email"].lower(),
            self._session,
        )


class MixedInForm(forms.Form):
    """How often a settled caption is mixed in."""

    every = forms.IntegerField(
        label="One test in how many captions",
        required=False,
        min_value=2,
        max_value=1000,
        help_text="10 makes every tenth caption a test, on average. Leave empty for no tests.",
    )


class QualificationForm(forms.Form):
    """Whether, and how well, new annotators qualify."""

    on = forms.BooleanField(label="New annotators qualify first", required=False)
    pass_mark = forms.IntegerField(
        label="Pass mark, in %",
        min_value=1,
        max_value=100,
        help_text="Share of words labelled as expected, over all captions of a try.",
    )
    tries = forms.IntegerField(label="Tries", min_value=1, max_value=20)
    everyone = forms.BooleanField(
        label="Current annotators must qualify too",
        required=False,
        help_text="Otherwise annotators who already have captions can continue without qualifying.",
    )


class QualificationFileForm(forms.Form):
    """A file of captions whose labels are known."""

    file = forms.FileField(
        label="File of captions",
        help_text="Prodigy's JSONL with spans; comment is shown as the reason.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json"}),
    )
