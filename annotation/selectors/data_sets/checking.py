"""What the checks of captions say of a data set, or of one clip of it that just changed."""

from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

from django.db.models import F

from annotation.models import (
    CaptionAct,
    CaptionDecision,
    CheckState,
    DataSet,
    DataSetCaption,
    DataSetClip,
)
from earmark.datasets.findings import (
    DEFAULT_KINDS,
    KINDS,
    CheckedCaptions,
    CheckFinding,
    CheckOptions,
    PlacedCaption,
    check_caption,
    check_captions,
)
from earmark.runtime import Heartbeat

# Sets whose words are remembered, so that a caption that changes is checked at once.
REMEMBERED = 3
# Compares captions of one clip.
OF_CLIP = "duplicate"
_counting = Lock()


def kinds_of(data_set: DataSet) -> tuple[str, ...]:
    """The kinds of findings that are looked for."""
    chosen = tuple(name for name in KINDS if name in data_set.kinds)
    return chosen or DEFAULT_KINDS


def options_of(data_set: DataSet) -> CheckOptions:
    """How many words a caption should have."""
    return CheckOptions(data_set.min_words, data_set.max_words)


def placed_captions(data_set: DataSet) -> Iterator[tuple[int, PlacedCaption]]:
    """Captions in the order of the clips, each with its id."""
    rows = DataSetCaption.objects.filter(clip__data_set=data_set)
    fields = ("pk", "clip__file_name", "number", "text")
    for pk, name, number, text in rows.order_by("clip__position", "number").values_list(*fields):
        yield pk, PlacedCaption(name, number, text)


def findings_of_set(
    data_set: DataSet, captions: list[PlacedCaption], heartbeat: Heartbeat
) -> Iterator[CheckFinding]:
    """All findings in the captions, those of a caption one after the other."""
    known = CheckedCaptions(captions, options=options_of(data_set))
    return check_captions(known, kinds=kinds_of(data_set), heartbeat=heartbeat)


def kinds_checked_at_once(data_set: DataSet) -> frozenset[str]:
    """The kinds that are looked for in a caption as soon as it changes; none before a check.

    The others compare parses of the whole set, which takes as long as checking it.
    """
    if not data_set.checks.filter(state=CheckState.DONE).exists():
        return frozenset()
    return frozenset(name for name in kinds_of(data_set) if KINDS[name].writing)


def kinds_of_check(data_set: DataSet) -> tuple[str, ...]:
    """The kinds of which findings are as of the last check, whatever changed since."""
    return tuple(name for name in kinds_of(data_set) if not KINDS[name].writing)


def since_check(data_set: DataSet) -> dict[str, int]:
    """How many captions changed, came in and were taken out since all were checked last.

    Empty before the first check, and where none did.
    """
    check = data_set.checks.filter(state=CheckState.DONE).first()
    if check is None:
        return {}
    there = DataSetCaption.objects.filter(clip__data_set=data_set)
    acts = CaptionDecision.objects.filter(
        caption__clip__data_set=data_set, at__gte=check.created_at
    )
    changed = acts.exclude(before=F("after")).filter(caption__taken_out=False)
    out = acts.filter(act=CaptionAct.TAKEN_OUT, caption__taken_out=True)
    out_count = out.values("caption").distinct().count()
    counts = {
        "changed": changed.values("caption").distinct().count(),
        "came": max(0, there.count() + out_count - check.total),
        "out": out_count,
    }
    return counts if any(counts.values()) else {}


def findings_of_clip(
    clip: DataSetClip, captions: list[DataSetCaption], changed: DataSetCaption
) -> dict[int, list[CheckFinding]]:
    """Findings in captions of a clip of which one changed, by the captions' ids.

    In the changed one all ``kinds_checked_at_once`` are looked for, in the others what depends
    on it. Words are counted as they stood when the set was checked last.
    """
    data_set, kinds = clip.data_set, kinds_checked_at_once(clip.data_set)
    placed = {row.pk: PlacedCaption(clip.file_name, row.number, row.text) for row in captions}
    of_clip = CheckedCaptions(placed.values(), options=options_of(data_set))
    together = kinds & {OF_CLIP}
    findings = {pk: check_caption(one, of_clip, kinds=together) for pk, one in placed.items()}
    with _counting:
        last = data_set.checks.filter(state=CheckState.DONE).values_list("pk", flat=True).first()
        known = _words_of(data_set.pk, last or 0, options_of(data_set))
        findings[changed.pk] += check_caption(placed[changed.pk], known, kinds=kinds - together)
    return findings


@lru_cache(maxsize=REMEMBERED)
def _words_of(data_set: int, check: int, options: CheckOptions) -> CheckedCaptions:
    """The set as it is compared with, counted anew after each check of all of it."""
    captions = placed_captions(DataSet(pk=data_set))
    return CheckedCaptions((one for _, one in captions), options=options)
