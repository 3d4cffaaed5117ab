"""A data card as a Markdown file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
        yield from _agreement(card)
    yield from ("", "## Licences", "")
    yield from table(("Licence", "Clips"), ((r["licence"], r["clips"]) for r in card["licences"]))
    if card.get("hidden"):
        yield from ("", "The captions are hidden, and so is everything else that tells of them.")
        return
    yield from _findings(card)
    yield from _split(card)
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


def _agreement(card: Mapping[str, Any]) -> Iterator[str]:
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


def _findings(card: Mapping[str, Any]) -> Iterator[str]:
    if not card["findings"]:
        return
    yield from ("", "## What was checked", "")
    names = ("kind", "open", "suggestion_taken", "edited", "dismissed", "no_longer_found")
    headings = ("Finding", "Open", "Suggestion taken", "Edited", "Dismissed", "No longer found")
    yield from table(headings, ((row[name] for name in names) for row in card["findings"]))
    yield from ("", f"Captions that were changed: {card['captions_changed']:,}")


def _split(card: Mapping[str, Any]) -> Iterator[str]:
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
