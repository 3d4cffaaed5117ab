"""Bringing the stored findings of captions in line with what is found now."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.batches import AT_ONCE
from annotation.models import CaptionFinding, DataSetCaption, Verdict
from annotation.text_changes import Place, TextChange
from scoring.datasets import findings as checks

# Those of a caption's text as it is; the others are of an earlier one.
_CURRENT = (Verdict.OPEN, Verdict.DISMISSED)
# Of several in one place the last of these says most of it.
_COMPARED = (Verdict.GONE, *_CURRENT)
_FIELDS = ("start", "end", "text", "before", "suggestions", "verdict")


@dataclass
class _Changes:
    new: list[CaptionFinding] = field(default_factory=list)
    changed: list[CaptionFinding] = field(default_factory=list)

    def save(self) -> int:
        """Store them; return how many are new."""
        CaptionFinding.objects.bulk_create(self.new, batch_size=AT_ONCE)
        CaptionFinding.objects.bulk_update(self.changed, _FIELDS, batch_size=AT_ONCE)
        return len(self.new)


def findings_update(
    captions: Iterable[DataSetCaption],
    found: Mapping[int, Sequence[checks.CheckFinding]],
    kinds: Mapping[int, Collection[str]],
) -> int:
    """Store what was found in captions, by their ids; return how many findings are new.

    A finding is the same where kind, place and text are: one that somebody dismissed stays
    dismissed, and one that was gone is open again. Open ones of the ``kinds`` that were looked for
    and that are not found any more are gone. The captions' clips are locked.
    """
    rows = {row.pk: row for row in captions}
    stored = defaultdict(list)
    for one in CaptionFinding.objects.filter(caption__in=rows).order_by("pk"):
        stored[one.caption_id].append(one)
    changes = _Changes()
    for pk, row in rows.items():
        _compare(row, stored[pk], found.get(pk, ()), kinds[pk], changes)
    return changes.save()


def _compare(
    caption: DataSetCaption,
    stored: Iterable[CaptionFinding],
    found: Iterable[checks.CheckFinding],
    kinds: Collection[str],
    changes: _Changes,
) -> None:
    compared = [one for one in stored if one.verdict in _COMPARED]
    compared.sort(key=lambda one: _COMPARED.index(Verdict(one.verdict)))
    known = {(one.kind, one.start, one.end, one.text): one for one in compared}
    for place in found:
        row = known.pop((place.kind, place.start, place.end, place.text), None)
        suggestions = list(place.suggestions)
        if row is None:
            changes.new.append(_new(caption, place, suggestions))
        elif row.verdict == Verdict.GONE or (row.suggestions, row.before) != (
            suggestions,
            caption.text,
        ):
            row.suggestions, row.before = suggestions, caption.text
            row.verdict = Verdict.OPEN if row.verdict == Verdict.GONE else row.verdict
            changes.changed.append(row)
    for row in known.values():
        if row.verdict == Verdict.OPEN and row.kind in kinds:
            row.verdict = Verdict.GONE
            changes.changed.append(row)


def _new(
    caption: DataSetCaption, place: checks.CheckFinding, suggestions: list[str]
) -> CaptionFinding:
    return CaptionFinding(
        caption=caption,
        kind=place.kind,
        start=place.start,
        end=place.end,
        text=place.text,
        suggestions=suggestions,
        before=caption.text,
    )


def findings_move(caption: DataSetCaption, before: str) -> None:
    """Move the findings of a caption whose text was ``before`` to where they stand now.

    Those of the whole caption stay so. An open one into which the change reaches is gone; one that
    was dismissed stays with the text in which it was. The caption's clip is locked.
    """
    change = TextChange.between(before, caption.text)
    rows = list(CaptionFinding.objects.filter(caption=caption, verdict__in=_CURRENT).order_by("pk"))
    for row in rows:
        place = Place(row.start, row.end)
        whole = place == (0, len(before)) and row.before == before
        moved = Place(0, len(caption.text)) if whole else change.moved(place)
        if moved is not None and row.before == before:
            row.start, row.end = moved
            row.before, row.text = caption.text, caption.text[row.start : row.end]
        elif row.verdict == Verdict.OPEN:
            row.verdict = Verdict.GONE
    CaptionFinding.objects.bulk_update(rows, _FIELDS, batch_size=AT_ONCE)
