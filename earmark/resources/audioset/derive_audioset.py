"""Derive the compact file of AudioSet's classes from the ontology.

    python earmark/resources/audioset/derive_audioset.py ontology.json

One line per class, tab-separated, in the ontology's order: id, name, ids of the
parents (in the same order, separated by spaces), restrictions (abstract,
blacklist). Descriptions and examples are left out.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).with_name("classes.tsv")


def lines(ontology: list[dict[str, Any]]) -> Iterator[str]:
    """Write one line per class."""
    parents: dict[str, list[str]] = {sound_class["id"]: [] for sound_class in ontology}
    for sound_class in ontology:
        for child in sound_class["child_ids"]:
            parents[child].append(sound_class["id"])
    for sound_class in ontology:
        above, restrictions = (
            " ".join(parents[sound_class["id"]]),
            " ".join(sound_class["restrictions"]),
        )
        yield f"{sound_class['id']}\t{sound_class['name']}\t{above}\t{restrictions}\n"


def main() -> None:
    """Read the ontology and write the file beside this script."""
    parser = argparse.ArgumentParser(description="Derive the compact list of AudioSet's classes.")
    parser.add_argument("ontology", type=Path)
    ontology = json.loads(parser.parse_args().ontology.read_text(encoding="utf-8"))
    OUTPUT.write_text("".join(lines(ontology)), encoding="utf-8")


if __name__ == "__main__":
    main()
