"""The data card: how a data set was made and what is in it; and what would be published of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Count, F

from annotation.models import CaptionFinding, DataSet, DataSetCaption, Verdict
from annotation.selectors.data_sets.clips import (
    asked_parts,
    captioned_clips,
    licence_of,
    references_of_clips,
)
from annotation.selectors.data_sets.findings import kind_title
from annotation.selectors.data_sets.stages import (
    captions_asked,
    sounds_of,
    source_projects,
    stage_done,
)
from earmark.datasets.describing import describe_captions, described_json

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
    captioned = [clip for clip in clips if clip.captions]
    references = references_of_clips(captioned)
    licences = Counter(licence_of(clip.meta) or UNKNOWN_LICENCE for clip in clips)
    return {
        "format": FORMAT,
        "name": data_set.name,
        "part": part,
        "clips": len(clips),
        "captions": sum(len(clip.captions) for clip in clips),
        "clips_without_captions": len(clips) - len(captioned),
        "procedure": data_set.procedure,
        "stages": [stage_done(project) for project in source_projects(data_set)],
        "licences": [
            {"licence": licence, "clips": count}
            for licence, count in sorted(licences.items(), key=lambda row: (-row[1], row[0]))
        ],
        "findings": _findings(data_set, part),
        "captions_changed": _changed(data_set, part),
        "split": _split_json(data_set),
        "figures": described_json(describe_captions([clip.captions for clip in captioned]))
        if captioned
        else None,
        "references_sha256": references.content_hash if captioned else "",
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


def _findings(data_set: DataSet, part: str) -> list[dict[str, Any]]:
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set)
    if part:
        rows = rows.filter(caption__clip__part=part)
    by_kind: defaultdict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(_DECISIONS.values(), 0)
    )
    counts = rows.order_by().values_list("kind", "verdict").annotate(n=Count("pk"))
    for kind, verdict, number in counts:
        by_kind[kind][_DECISIONS[Verdict(verdict)]] += number
    return [{"kind": kind, **by_kind[kind]} for kind in sorted(by_kind)]


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


_MARKS = re.compile(r"([\\`*_{}\[\]<>#+!|~&-])")


def card_markdown(card: Mapping[str, Any]) -> str:
    """The card in Markdown; nothing that people wrote but the procedure is markup in it."""
    return "\n".join(_lines(card)) + "\n"


def escaped(text: object) -> str:
    """A text on one line in which nothing is markup."""
    return _MARKS.sub(r"\\\1", " ".join(str(text).split()))


def table(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """Lines of a table."""
    titles = list(headings)
    body = [f"| {' | '.join(escaped(cell) for cell in row)} |" for row in rows]
    return [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}", *body]


def _lines(card: Mapping[str, Any]) -> Iterator[str]:
    part = f", {escaped(card['part'])}" if card["part"] else ""
    yield f"# {escaped(card['name'])}{part}"
    yield ""
    yield from table(("", ""), _facts(card))
    if card["procedure"]:
        yield from ("", "## How it was made", "", card["procedure"].strip())
    if card["stages"]:
        yield from ("", "## Who took part", "")
        yield from table(
            ("Work", "People", "Items", "Answers", "Answers asked for", "Items complete"),
            (
                (
                    row[n]
                    for n in ("work", "people", "items", "answers", "answers_asked", "complete")
                )
                for row in card["stages"]
            ),
        )
        yield from _agreement_lines(card)
    yield from ("", "## Licences", "")
    yield from table(("Licence", "Clips"), ((r["licence"], r["clips"]) for r in card["licences"]))
    if card.get("hidden"):
        yield from ("", "The captions and everything else that reveals them are hidden.")
        return
    yield from _finding_lines(card)
    yield from _split_lines(card)
    if card["references_sha256"]:
        yield from ("", "## Checksum", "", f"References: sha256 `{card['references_sha256']}`")


def _facts(card: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "Clips", f"{card['clips']:,}"
    yield "Captions", f"{card['captions']:,}"
    figures = card.get("figures")
    if figures:
        length = figures["words_per_caption"]
        yield (
            "Words of a caption",
            f"{length['mean']:.2f} (from {length['least']} to {length['most']})",
        )
        yield "Captions of a clip", f"{figures['captions_per_clip']['mean']:.2f}"
        yield "Different words", f"{figures['vocabulary']:,}"
        yield "Words of one clip alone", f"{figures['words_of_one_clip']:,}"
        for label, key in (
            ("Similarity of a clip's captions", "similarity_within_clips"),
            ("Similarity of captions of different clips", "similarity_across_clips"),
        ):
            if figures[key] is not None:
                yield label, f"{figures[key]:.3f}"


def _agreement_lines(card: Mapping[str, Any]) -> Iterator[str]:
    rows = [row for stage in card["stages"] for row in stage["agreement"]]
    if rows:
        yield ""
        yield from table(
            ("Ratings", "Krippendorff's alpha", "Captions with two ratings or more"),
            (
                (
                    row["scale"],
                    "n/a" if row["alpha"] is None else f"{row['alpha']:.3f}",
                    row["captions"],
                )
                for row in rows
            ),
        )


def _finding_lines(card: Mapping[str, Any]) -> Iterator[str]:
    if not card["findings"]:
        return
    yield from ("", "## What was checked", "")
    names = ("kind", "open", "suggestion_taken", "edited", "dismissed", "no_longer_found")
    headings = ("Finding", "Open", "Suggestion taken", "Edited", "Dismissed", "No longer found")
    yield from table(headings, ((row[name] for name in names) for row in card["findings"]))
    yield from ("", f"Captions that were changed: {card['captions_changed']:,}")


def _split_lines(card: Mapping[str, Any]) -> Iterator[str]:
    split = card["split"]
    if not split:
        return
    report = split["report"]
    yield from ("", "## Split", "")
    yield from table(
        ("Part", "Clips", "Clips asked for", "Different words"),
        ((row["name"], row["clips"], row["clips_asked"], row["words"]) for row in report["parts"]),
    )
    yield ""
    # Splits made by an earlier version have none.
    distance = f"; distance {report['distance']:.4f}" if "distance" in report else ""
    yield (
        f"Words of two clips or more: {report['words_in_one_part']:,} in one part alone, "
        f"{report['words_outside_tolerance']:,} outside the tolerance{distance}. "
        f"Seed {split['asked']['seed']}."
    )


def publication_preview(data_set: DataSet, part: str) -> dict[str, Any]:
    """What a part ("": all) would become as a reference set.

    ``asked`` is how many captions each clip was to have, or has at most where nobody asked for a
    number; ``fewer`` clips have fewer. Clips ``without`` captions are not published.
    ``findings`` are those nobody has decided, by kind, ``earlier`` publications of the part.
    """
    clips = captioned_clips(data_set, part)
    captioned = [clip for clip in clips if clip.captions]
    counts = Counter(len(clip.captions) for clip in captioned)
    per_clip = captions_asked(data_set) or max(counts, default=0)
    sounds = sounds_of(data_set)
    earlier = data_set.publications.filter(part=part).select_related(
        "phase__challenge", "by", "reference_set"
    )
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set, verdict=Verdict.OPEN)
    if part:
        rows = rows.filter(caption__clip__part=part)
    findings = rows.order_by().values_list("kind").annotate(n=Count("pk"))
    return {
        "part": part,
        "clips": len(captioned),
        "captions": sum(len(clip.captions) for clip in captioned),
        "without": len(clips) - len(captioned),
        "asked": per_clip,
        "fewer": sum(clips for number, clips in counts.items() if number < per_clip),
        "sounds": sum(clip.file_name in sounds for clip in captioned),
        "findings": [(kind_title(kind), count) for kind, count in sorted(findings)],
        "content_hash": references_of_clips(captioned).content_hash if captioned else "",
        "earlier": earlier.defer("card", "reference_set__payload", "reference_set__card"),
    }
