"""Forms for new challenges, their text and its images, and their announcements."""

from typing import Any

from django import forms
from django.core.validators import validate_slug
from django.db.models import QuerySet
from django.utils.text import slugify

from leaderboard.blueprints import Blueprint, blueprints
from leaderboard.forms.local_time import zone_names
from leaderboard.forms.uploads import LimitedFileField
from leaderboard.models import Announcement, Challenge
from leaderboard.models.challenge import validate_time_zone
from leaderboard.services.organising.challenges import RESERVED, TEXT
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.images import MOST_BYTES
from leaderboard.services.people.announcements import WRITTEN
from leaderboard.web.public_names import NameField

MAX_TEXT = 50_000
MAX_ADDRESS = 50


class ZoneField(forms.CharField):
    """A time zone by its name, with a list from which to choose."""

    def __init__(self, **options: Any) -> None:
        attrs = {"list": "zones", "autocomplete": "off", "spellcheck": "false"}
        options.setdefault(
            "help_text",
            "For opening and closing times. Type a city: Europe/Berlin",
        )
        super().__init__(
            label="Time zone", max_length=64, widget=forms.TextInput(attrs=attrs), **options
        )

    def clean(self, value: Any) -> Any:
        """The name as the list writes it; raises ``ValidationError``."""
        text = super().clean(value).replace(" ", "_")
        zones = {name.lower(): name for name in zone_names()}
        zone = zones.get(text.lower(), text)
        validate_time_zone(zone)
        return zone


class AddressField(forms.CharField):
    """The part of an address that names something; left empty, it is made of the name."""

    default_validators = [validate_slug]

    def __init__(self, **options: Any) -> None:
        super().__init__(
            label="Address",
            required=False,
            max_length=MAX_ADDRESS,
            widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
            **options,
        )


def clean_address(
    form: forms.Form, name: str, reserved: frozenset[str], others: QuerySet[Any], taken: str
) -> None:
    """Make the address where none was written of the field ``name``; refuse what is not free."""
    values = form.cleaned_data
    if "slug" not in values or name not in values:
        return
    address = values["slug"] or slugify(values[name])[:MAX_ADDRESS].strip("-")
    values["slug"] = address
    if not address:
        fault = "No address can be made from the name. Write one of letters, digits and hyphens."
    elif address in reserved:
        fault = f"{address} is an address of the site itself. Choose another."
    else:
        fault = taken.format(address) if others.filter(slug=address).exists() else ""
    if fault:
        form.add_error("slug", fault)


class NewChallengeForm(forms.Form):
    """A challenge from a blueprint."""

    title = NameField(label="Title", max_length=120)
    slug = AddressField(
        help_text="Letters, digits and hyphens; cannot be changed later. Empty: from the title."
    )
    time_zone = ZoneField(initial="UTC")
    blueprint = forms.ChoiceField(
        label="Template",
        widget=forms.RadioSelect,
        choices=lambda: [(name, blueprint.title) for name, blueprint in blueprints().items()],
        initial=lambda: next(iter(blueprints())),
    )

    def clean(self) -> dict[str, Any]:
        """Make the address of the title where none was written."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        taken = "The address {} is taken. Choose another."
        clean_address(self, "title", RESERVED, Challenge.objects.all(), taken)
        return values

    @property
    def chosen(self) -> Blueprint:
        """The valid form's blueprint."""
        return blueprints()[self.cleaned_data["blueprint"]]


class TextForm(forms.Form):
    """Title, text, citation, terms and time zone of a challenge."""

    title = NameField(label="Title", max_length=120)
    summary = NameField(
        label="Summary",
        max_length=240,
        required=False,
        help_text="One sentence, under the title and in the list of challenges.",
    )
    description = forms.CharField(
        label="Text",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 18}),
        help_text="Markdown: # heading, *emphasis*, - list, [link](https://example.org). "
        "![What it shows](name) for an image that you uploaded. HTML is not shown.",
    )
    citation = forms.CharField(
        label="How to cite",
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 6, "class": "mono", "spellcheck": "false"}),
        help_text="BibTeX or plain text, shown on the challenge's page.",
    )
    terms = forms.CharField(
        label="Terms",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown. With terms, a team can submit only after one of its members "
        "has accepted them. Everyone can read them.",
    )
    accept_anew = forms.BooleanField(
        label="Every team has to accept these terms again",
        required=False,
        initial=False,
        help_text="For important changes. Otherwise teams that accepted an earlier text need not "
        "accept this one. Earlier submissions stay valid.",
    )
    approval = forms.BooleanField(
        label="Organisers admit teams",
        required=False,
        help_text="A team can submit only after it has asked to take part and you have admitted "
        "it. When you switch this off, waiting teams are admitted.",
    )
    time_zone = ZoneField(
        help_text="Times on these pages are in this zone. If you change it, dates stay the same "
        "and are shown in the new zone."
    )
    version = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, challenge: Challenge) -> None:
        initial = {name: getattr(challenge, name) for name in TEXT}
        super().__init__(data, initial={**initial, "version": version_of(challenge, TEXT)})


class AnnouncementForm(forms.Form):
    """The title and text of an announcement."""

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


class ImageForm(forms.Form):
    """One image."""

    file = LimitedFileField(
        label="Image",
        accept="image/png,image/jpeg,image/webp,image/gif",
        limit=lambda: MOST_BYTES,
        advice="Save it with fewer pixels.",
        error_messages={"required": "Choose an image."},
    )
