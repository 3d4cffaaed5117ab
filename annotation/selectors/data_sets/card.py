"""The data card: how a data set was made and what is in it, as page, Markdown and JSON have it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, F

from annotation.kinds.names import RATE
from annotation.models import CaptionFinding, DataSet, DataSetCaption, Verdict
from annotation.selectors.data_sets.clips import (
    CaptionedClip,
    asked_parts,
    captioned_clips,
    licence_of,
    references_of_clips,
)
from annotation.selectors.data_sets.stages import Stage, stages_of
from annotation.selectors.stages.quality import rater_agreement
from scoring.datasets.describing import describe_captions, described_json

FORMAT = 1
UNKNOWN_LICENCE = "unknown"
# What a decision about a finding is called where it is counted.
_DECISIONS = {
    Verdict.OPEN: "open",
    Verdict.ACCEPTED: "suggestion_taken",
    Verdict.EDITED: "edited",
    Verdict.DISMISSED: "dismissed",
    Verdict.GONE: "no_longer_found",
}
# What of a card says nothing of the captions themselves.
_HIDDEN = ("format", "name", "part", "clips", "captions", "procedure", "stages", "licences")


def data_card(data_set: DataSet, part: str = "") -> dict[str, Any]:
    """The card of a part ("": all clips), for JSON; names no person."""
    clips = captioned_clips(data_set, part)
    said = [clip for clip in clips if clip.captions]
    references = references_of_clips(said)
    return {
        "format": FORMAT,
        "name": data_set.name,
        "part": part,
        "clips": len(clips),
        "captions": sum(len(clip.captions) for clip in clips),
        "clips_without_captions": len(clips) - len(said),
        "procedure": data_set.procedure,
        "stages": [_stage_json(stage) for stage in stages_of(data_set)],
        "licences": _licences(clips),
        "findings": _findings(data_set, part),
        "captions_changed": _changed(data_set, part),
        "split": _split_json(data_set),
        "figures": described_json(describe_captions([clip.captions for clip in said]))
        if said
        else None,
        "references_sha256": references.content_hash if said else "",
    }


def hidden_card(card: Mapping[str, Any], captions: Sequence[str] = ()) -> dict[str, Any]:
    """The card without anything of the captions, for references that are hidden.

    The procedure is left out where it quotes one of ``captions``.
    """
    shown = {name: card[name] for name in _HIDDEN if name in card}
    procedure = str(shown.get("procedure", "")).casefold()
    if any(caption.casefold() in procedure for caption in captions if caption.strip()):
        shown["procedure"] = ""
    return {**shown, "hidden": True}


def _stage_json(stage: Stage) -> dict[str, Any]:
    return {
        "work": stage.title,
        "people": stage.people,
        "items": stage.items,
        "answers": stage.answers,
        "answers_asked": stage.asked,
        "coverage": stage.coverage,
        "complete": stage.complete,
        "agreement": _agreement(stage),
    }


def _agreement(stage: Stage) -> list[dict[str, Any]]:
    """How far the raters of a stage agree, on each scale; nothing in other kinds of work."""
    if stage.project.kind != RATE:
        return []
    return [
        {"scale": scale, "alpha": alpha.value, "captions": alpha.n}
        for scale, alpha in rater_agreement(stage.project).items()
    ]


def _licences(clips: Sequence[CaptionedClip]) -> list[dict[str, Any]]:
    counts = Counter(licence_of(clip.meta) or UNKNOWN_LICENCE for clip in clips)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return [{"licence": licence, "clips": count} for licence, count in rows]


def _findings(data_set: DataSet, part: str) -> list[dict[str, Any]]:
    """How many findings of each kind there are by what was decided."""
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set)
    if part:
        rows = rows.filter(caption__clip__part=part)
    found: defaultdict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(_DECISIONS.values(), 0)
    )
    counts = rows.order_by().values_list("kind", "verdict").annotate(n=Count("pk"))
    for kind, verdict, number in counts:
        found[kind][_DECISIONS[Verdict(verdict)]] += number
    return [{"kind": kind, **found[kind]} for kind in sorted(found)]


def _changed(data_set: DataSet, part: str) -> int:
    rows = DataSetCaption.objects.filter(clip__data_set=data_set).exclude(text=F("original"))
    return (rows.filter(clip__part=part) if part else rows).count()


def _split_json(data_set: DataSet) -> dict[str, Any] | None:
    """What was asked of the split and what came of it, parts in their order."""
    split = data_set.split
    if split is None:
        return None
    report: dict[str, Any] = split["report"]
    parts = [{"name": name, **report["parts"][name]} for name in asked_parts(data_set)]
    return {"asked": split["asked"], "report": {**report, "parts": parts}}
