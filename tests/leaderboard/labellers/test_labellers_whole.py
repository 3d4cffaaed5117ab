"""Labellers that hold a whole network: kept though their backbone is not on the server."""

import shutil
from pathlib import Path

import pytest

from leaderboard.models import Origin
from leaderboard.selectors.labellers.files import labeller_folder
from leaderboard.services.labellers import labeller_register
from scoring.models.descriptors import find_labeller, label
from scoring.models.descriptors.network import Method
from scoring.train.descriptors import default_recipe, read_sets, save_trained, train
from tests.factories import NOW
from tests.scoring.descriptors.records import SMALL
from tests.scoring.descriptors.tiny import TEXTS, tiny_backbone

pytestmark = [
    pytest.mark.django_db,
]


def trained(method: Method, place: Path) -> Path:
    """Train on a backbone that is gone when this returns."""
    place.mkdir()
    (place / "labels.jsonl").write_text(SMALL, encoding="utf-8")
    backbone = tiny_backbone(place / "backbone", "roberta")
    recipe = default_recipe(method, str(backbone), epochs=1, name="whole")
    sets = read_sets([place / "labels.jsonl"])
    save_trained(train(sets, recipe), sets[0], recipe, place / "out")
    shutil.rmtree(backbone)
    return place / "out"


def register(folder: Path) -> str:
    row = labeller_register(
        folder=folder,
        name="Whole",
        origin=Origin.TRAINED,
        data_hash="ab" * 32,
        recipe={},
        scores={},
        note="",
        actor=None,
        now=NOW,
    )
    return str(row.identity)


def test_a_whole_network_brings_its_encoder_along(
    settings: pytest.FixtureRequest, tmp_path: Path
) -> None:
    settings.LABELLERS_DIR = tmp_path / "labellers"  # type: ignore[attr-defined]
    folder = trained("full", tmp_path / "made")
    before = label(find_labeller(str(folder)), TEXTS, device="cpu")
    kept = labeller_folder(register(folder))
    assert label(find_labeller(str(kept)), TEXTS, device="cpu") == before
