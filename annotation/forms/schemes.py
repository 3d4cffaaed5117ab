"""The form in which a project's label scheme is written."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.label_rules import MOST_LABELS, TONES, label_faults
from annotation.models import Scheme
from annotation.models.scheme import Label
from annotation.selectors.schemes import SchemeDraft, SchemeProposal
from earmark.captions.faults import in_quotes
from leaderboard.web.form_choices import offer

KEPT, REMOVED, INTO = "kept", "removed", "into:"


class SchemeRow(forms.Form):
    """One label; ``was`` is its name in the version before, empty for a new one."""

    was = forms.CharField(required=False, widget=forms.HiddenInput)
    fate = forms.ChoiceField(label="What to do with it", required=False)
    place = forms.IntegerField(label="Place", min_value=1, max_value=999)
    name = forms.CharField(label="Name in files")
    title = forms.CharField(label="Title")
    key = forms.CharField(label="Key", required=False)
    tone = forms.TypedChoiceField(
        label="Colour", choices=list(enumerate(TONES)), coerce=int, widget=forms.RadioSelect
    )
    guideline = forms.CharField(
        label="Description", required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    examples = forms.CharField(
        label="Examples, one per line",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Captions with the labelled words in brackets: a [man] is talking.",
    )

    def __init__(self, data: Any, *, number: int, initial: Mapping[str, Any], base: Scheme) -> None:
        super().__init__(data, prefix=f"label-{number}", initial=dict(initial))
        fates = [
            *([] if self["fate"].value() else [("", "Choose")]),
            (KEPT, "Keep it"),
            *(
                (f"{INTO}{label.name}", f"Merged into {label.title}")
                for label in base.inventory
                if label.name != self.old
            ),
            (REMOVED, "Removed: its spans become unlabelled"),
        ]
        offer(self, "fate", fates)
        self.use_required_attribute = False
        # A row in which nothing was written is no label, and nothing is wrong with it.
        self.empty_permitted = self.is_bound and self.is_blank

    @property
    def old(self) -> str:
        """The name in the version before."""
        return str(self["was"].value() or "")

    @property
    def is_kept(self) -> bool:
        """Whether the valid form's label is one of the next version."""
        return not self.old or self.cleaned_data["fate"] == KEPT

    @property
    def shown_fate(self) -> str:
        """What becomes of the label as it stands in the form, "" where it stays or is new."""
        fate = str(self["fate"].value() or "")
        if not self.old or fate == KEPT:
            return ""
        if fate == REMOVED:
            return "Removed"
        return f"Into {fate.removeprefix(INTO)}" if fate else "Merge or remove it"

    @property
    def shown_tone(self) -> int:
        """The colour as it stands in the form."""
        value = str(self["tone"].value())
        return int(value) if value.isascii() and value.isdigit() else 0

    @property
    def is_blank(self) -> bool:
        """Whether nothing was written of a new label."""
        texts = ("name", "title", "key", "guideline", "examples")
        return not self.old and not any(str(self[name].value() or "").strip() for name in texts)

    def has_changed(self) -> bool:
        """Whether there is a label at all."""
        return not self.is_blank

    @property
    def label(self) -> Label:
        """The valid form's label."""
        values = self.cleaned_data
        lines = (" ".join(line.split()) for line in values["examples"].splitlines())
        return Label(
            name=values["name"],
            title=" ".join(values["title"].split()),
            key=values["key"],
            tone=values["tone"],
            guideline=" ".join(values["guideline"].split()),
            examples=tuple(line for line in lines if line),
        )


class SchemeForm(forms.Form):
    """A whole scheme: title, summary and a row for each label."""

    title = forms.CharField(label="Name of the scheme", max_length=120)
    summary = forms.CharField(
        label="Summary", required=False, max_length=1000, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        base: Scheme,
        proposal: SchemeProposal | None = None,
        versions: Sequence[Scheme] = (),
        unused: bool = False,
    ) -> None:
        """Begin with the labels of ``base``, or those proposed in their place.

        Labels of ``base`` that are not proposed are removed where they are ``unused``, and
        else asked for.
        """
        initial = {"title": base.title, "summary": base.summary}
        super().__init__(data, initial=initial)
        self.base, self.versions = base, versions
        count = len(base.names) if data is None else _count(data.get("rows"))
        if data is not None and "add" in data:
            count += 1
        known = {place: _initial(label, place) for place, label in enumerate(base.inventory)}
        self.restores = "" if data is None else str(data.get("restores", ""))
        if proposal is not None:
            initial.update(title=proposal.title or base.title, summary=proposal.summary)
            known = dict(enumerate(_proposed(base, proposal, REMOVED if unused else "")))
            count = len(known)
            self.restores = str(proposal.restores.pk) if proposal.restores else ""
        self.rows = [
            SchemeRow(
                _with_blank(data, number) if data is not None else None,
                number=number,
                initial=known.get(number) or _blank(number, self.base.inventory),
                base=base,
            )
            for number in range(count)
        ]
        if data is not None and "add" in data:
            self.rows[-1].fields["title"].widget.attrs["autofocus"] = True

    def clean(self) -> dict[str, Any]:
        """Check every label and all of them together; what is wrong stands at its field."""
        values = super().clean() or self.cleaned_data
        rows = [row for row in self.rows if not row.is_blank]
        # Each of them is looked at: what is wrong with a second stands there too.
        sound = sum(row.is_valid() for row in rows) == len(rows)
        if sound:
            rows.sort(key=lambda row: row.cleaned_data["place"])
            sound = self._check_fates(rows) and self._check_labels(rows)
        if not sound:
            self.add_error(None, "Some labels have errors. They are shown beside each label.")
        values["labels"] = tuple(row.label for row in rows if row.is_kept) if sound else ()
        values["becomes"] = self._becomes(rows) if sound else {}
        return values

    def _check_fates(self, rows: Sequence[SchemeRow]) -> bool:
        """Whether it is said of every label of before what becomes of it."""
        old = [row.old for row in rows if row.old]
        if sorted(old) != sorted(self.base.names):
            self.add_error(None, "The form does not contain every label. Reload the page.")
            return False
        stay = {row.old for row in rows if row.old and row.is_kept}
        for row in rows:
            fate = row.cleaned_data["fate"]
            if row.old and not fate:
                row.add_error("fate", "Choose what to do with this label: merge it or remove it.")
            elif row.old and fate.startswith(INTO) and fate.removeprefix(INTO) not in stay:
                target = in_quotes(fate.removeprefix(INTO))
                row.add_error(
                    "fate", f"{target} is itself merged or removed. Choose a label that you keep."
                )
        return not any(row.errors for row in rows)

    def _check_labels(self, rows: Sequence[SchemeRow]) -> bool:
        """Whether the labels that there are then are sound, and none has the name of another."""
        kept = [row for row in rows if row.is_kept]
        labels = [row.label for row in kept]
        for row in kept:
            name = row.cleaned_data["name"]
            if name != row.old and name in self.base.names:
                row.add_error(
                    "name",
                    f"{in_quotes(name)} names a different label in version {self.base.version}, "
                    "and a name cannot be reused for another label. Choose another name.",
                )
        for fault in label_faults(labels):
            kept[fault.place].add_error(fault.field, fault.message)
        return not any(row.errors for row in kept)

    def _becomes(self, rows: Sequence[SchemeRow]) -> dict[str, str]:
        """What labels become that do not keep their names, "" for no label."""
        names = {row.old: row.cleaned_data["name"] for row in rows if row.old and row.is_kept}
        becomes = {
            row.old: names.get(row.cleaned_data["fate"].removeprefix(INTO), "")
            for row in rows
            if row.old and not row.is_kept
        }
        return becomes | {old: name for old, name in names.items() if old != name}

    @property
    def draft(self) -> SchemeDraft:
        """The valid form's scheme."""
        values = self.cleaned_data
        summary = " ".join(values["summary"].split())
        names = {label.name for label in values["labels"]}
        restored = (row for row in self.versions if str(row.pk) == self.restores)
        return SchemeDraft(
            values["title"],
            summary,
            values["labels"],
            values["becomes"],
            # What was changed beyond is no going back.
            restores=next((row for row in restored if set(row.names) == names), None),
            asks_again=self.data.get("asks_again") == "yes",
        )


def _count(text: object) -> int:
    """How many rows a form says that it has."""
    digits = str(text)
    count = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else 0
    return min(count, 2 * MOST_LABELS)


def _initial(label: Label, place: int) -> dict[str, Any]:
    values = label.to_json() | {"examples": "\n".join(label.examples)}
    return values | {"was": label.name, "place": place + 1, "fate": KEPT}


def _proposed(base: Scheme, proposal: SchemeProposal, fate: str) -> list[dict[str, Any]]:
    """Rows of proposed labels, then those that there are besides, with this ``fate``."""
    rows: list[dict[str, Any]] = []
    met: set[str] = set()
    for label in proposal.labels:
        old = proposal.was.get(label.name, label.name)
        known = old in base.names and old not in met
        met.add(old)
        rows.append(
            _initial(label, len(rows)) | ({"was": old} if known else {"was": "", "fate": ""})
        )
    for label in base.inventory:
        if label.name not in met:
            rows.append(_initial(label, len(rows)) | {"fate": fate})
    return rows


def _blank(number: int, labels: Sequence[Label]) -> dict[str, Any]:
    """What a new row begins with: the last place, and the first colour that nobody has."""
    used, every = {label.tone for label in labels}, list(range(len(TONES)))
    free = [tone for tone in every if tone not in used] or every
    return {"place": number + 1, "tone": free[number % len(free)]}


def _with_blank(data: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """The data of a form; a row that was only just asked for has none yet."""
    if f"label-{number}-place" in data:
        return data
    return {f"label-{number}-{key}": value for key, value in _blank(number, ()).items()}
