"""The form by which clips are chosen from a pool."""

from typing import Any

from django import forms

from annotation.forms.choices import seed_field
from earmark.captions.faults import in_quotes
from earmark.datasets.choosing import ChoiceRequest, PoolColumns, split_tags
from leaderboard.forms.uploads import LimitedFileField

# What is chosen while a visitor waits takes seconds; the command has no such limits.
MOST_BYTES = 5_000_000
MOST_POOL = 10_000
MOST_CLIPS = 2_000
COMMAND = "The command choose_clips has no such limit."
_COLUMN = 100
_TAGS = 2_000


class ClipChoiceForm(forms.Form):
    """A pool, how many clips of it, and which may be chosen."""

    pool = LimitedFileField(
        label="Pool",
        accept=".csv,.tsv,text/csv",
        limit=lambda: MOST_BYTES,
        advice=COMMAND,
        help_text="A table with one row for each clip: file_name, tags and, if you limit the "
        f"duration, duration in seconds; at most {MOST_POOL:,} clips.",
        error_messages={"required": "Choose the table of clips."},
    )
    count = forms.IntegerField(label="Clips to choose", min_value=1, max_value=MOST_CLIPS)
    seed = seed_field(0, "The same pool, limits and seed give the same clips.")
    separator = forms.CharField(
        label="Separator between tags",
        max_length=5,
        initial=";",
        strip=False,
        help_text="For example ; or ,",
    )
    fewest_clips = forms.IntegerField(
        label="Fewest clips per tag",
        min_value=1,
        max_value=MOST_POOL,
        initial=1,
        help_text="Tags that occur in fewer clips of the pool are ignored.",
    )
    least_percent = forms.FloatField(
        label="Smallest share of clips per tag, in percent",
        min_value=0,
        max_value=100,
        required=False,
        help_text="Tags that a smaller share of the clips has are ignored. Clotho: 1",
    )
    excluded_tags = forms.CharField(
        label="Excluded tags",
        required=False,
        max_length=_TAGS,
        help_text="Clips with one of these tags are left out. Separate tags as in the pool. "
        "Clotho: tags of music, sound effects and speech",
    )
    ignored_tags = forms.CharField(
        label="Ignored tags",
        required=False,
        max_length=_TAGS,
        help_text="These tags do not count. Clotho: tags of time and of recording",
    )
    shortest = forms.FloatField(label="Shortest, in seconds", required=False, min_value=0)
    longest = forms.FloatField(label="Longest, in seconds", required=False, min_value=0)
    group_column = forms.CharField(
        label="Group column",
        required=False,
        max_length=_COLUMN,
        help_text="For example uploader, to limit how many clips come from one person",
    )
    most_per_group = forms.IntegerField(
        label="Most clips per group", required=False, min_value=1, max_value=MOST_CLIPS
    )
    skip_untagged = forms.BooleanField(label="Leave out clips without tags", required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse limits that no clip keeps, and one of groups that nobody names."""
        values = super().clean() or self.cleaned_data
        shortest, longest = values.get("shortest"), values.get("longest")
        if shortest is not None and longest is not None and shortest >= longest:
            self.add_error("longest", f"Enter more than the shortest, {shortest:g} seconds.")
        if values.get("most_per_group") and not values.get("group_column"):
            self.add_error("group_column", "Name the column with the groups.")
        return values

    @property
    def columns(self) -> PoolColumns:
        """The columns of the pool."""
        values = self.cleaned_data
        return PoolColumns(
            group=values["group_column"],
            separator=values["separator"],
            skip_untagged=values["skip_untagged"],
            names=self._names,
        )

    @property
    def _names(self) -> dict[str, str]:
        """What faults call what can be set: the fields by their labels."""
        labels = {name: in_quotes(str(field.label)) for name, field in self.fields.items()}
        return labels | {
            "least_share": labels["least_percent"],
            "durations": f"{labels['shortest']} and {labels['longest']}",
            "duration_column": 'named "duration"',
        }

    @property
    def request(self) -> ChoiceRequest:
        """What the valid form asks for."""
        values: dict[str, Any] = self.cleaned_data
        names = ("count", "seed", "fewest_clips", "shortest", "longest", "most_per_group")
        return ChoiceRequest(
            **{name: values[name] for name in names},
            least_share=(values["least_percent"] or 0) / 100,
            excluded_tags=split_tags(values["excluded_tags"], values["separator"]),
            ignored_tags=split_tags(values["ignored_tags"], values["separator"]),
            names=self._names,
        )
