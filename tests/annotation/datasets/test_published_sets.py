"""Figures of Clotho and AudioCaps that the product has are those of their public files."""

import json
from pathlib import Path

from django.core.management import call_command

from scoring.datasets.describing.published import FIGURES, TITLES, published_sets

FILES = (
    "clotho/clotho_development.csv.gz",
    "clotho/clotho_captions_evaluation.csv",
    "audiocaps/train.csv.gz",
    "audiocaps/test.csv",
)


def test_the_sets_have_names_and_the_figures_of_the_measurements() -> None:
    """docs/measurements/data-sets.md, Describing."""
    sets = {row.title: row.figures for row in published_sets()}
    assert list(sets) == list(TITLES.values())
    assert sets["Clotho, development"]["captions"] == 19_195
    assert sets["Clotho, development"]["vocabulary"] == 4_360
    assert sets["AudioCaps, training"]["words_of_one_clip"] == 1_882
    grown = {row["captions"]: row["words"] for row in sets["AudioCaps, test"]["vocabulary_growth"]}
    assert round(grown[1_000]) == 966


def test_the_command_writes_the_same_file_again(shared_data: Path, tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    call_command(
        "describe_captions", *(str(shared_data / file) for file in FILES), json=str(target)
    )
    assert json.loads(target.read_text()) == json.loads(FIGURES.read_text())
