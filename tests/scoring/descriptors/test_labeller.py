"""The shipped labeller: what it is, what it says, and that company does not matter."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scoring.metrics.aces.metric import Aces
from scoring.models.descriptors import (
    DescriptorLabeller,
    LabelledCaption,
    LabellerMissing,
    find_labeller,
    inventories,
    label,
    uncertainty,
    words_of,
)
from scoring.models.descriptors.files import LabellerDamaged, read_config
from scoring.models.descriptors.labeller import SHIPPED, _load
from scoring.models.descriptors.subwords import subwords_in
from scoring.models.encoder import find_encoder

CAPTIONS = [
    "A man talks while birds sing in the background.",
    "wind",
    "",
    "?!",
    "A large dog barks loudly inside a room as rain falls on a tin roof",
]


@pytest.fixture(scope="module")
def labeller() -> DescriptorLabeller:
    return find_labeller()


def test_shipped_labeller_is_small_and_has_the_inventory(labeller: DescriptorLabeller) -> None:
    assert labeller.labels == inventories()["aces-13"]
    assert labeller.identity.startswith("earmark-desc-1@")
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 5_000_000
    assert (SHIPPED / "MODEL_CARD.md").is_file()


def test_the_shipped_labeller_is_what_it_was_when_it_shipped(labeller: DescriptorLabeller) -> None:
    # Published scores name it: config.json has grown keys since, which it does without.
    assert labeller.identity == "earmark-desc-1@e07255e9"
    config = read_config(SHIPPED)
    assert (config.method, config.backbone, config.hidden) == ("lora", "", 0)
    assert config.encoder == "all-MiniLM-L6-v2@53aa5117"
    assert Aces(fluency="none").parameters["desc"] == labeller.identity


def test_plain_captions_are_labelled_as_people_do(labeller: DescriptorLabeller) -> None:
    found = label(labeller, CAPTIONS, device="cpu")
    assert [(span.text, span.label) for span in found[0].spans] == [
        ("man", "WHO"),
        ("talks", "HOW"),
        ("birds", "WHO"),
        ("sing", "HOW"),
        ("in the background", "WHERE"),
    ]
    assert [len(one.words) for one in found] == [9, 1, 0, 0, 15]


def test_confidence_is_the_probability_of_the_likeliest_label(labeller: DescriptorLabeller) -> None:
    for one in label(labeller, CAPTIONS, device="cpu"):
        assert all(1 / len(labeller.labels) < sure <= 1 for sure in one.confidences)


def test_every_word_of_an_endless_caption_has_a_label(labeller: DescriptorLabeller) -> None:
    long = " ".join(["a dog barks"] * 300 + ["犬" * 600, "\u200b\u0301x", "wind"])
    found = label(labeller, [long], device="cpu")[0]
    assert len(found.labels) == 903
    assert min(found.confidences) > 0


def test_pieces_hold_all_words_in_order() -> None:
    subwords = subwords_in(find_encoder().folder)
    words = ["unbelievably", "", "loud", "犬" * 50, "rain"]
    pieces = subwords.pieces(words, longest=8)
    assert all(len(piece.ids) <= 10 for piece in pieces)
    owners = [owner for piece in pieces for owner in piece.owners if owner >= 0]
    assert owners == sorted(owners)
    assert set(owners) == set(range(5))
    assert subwords.pieces([]) == []


def test_merged_updates_change_no_more_than_rounding(labeller: DescriptorLabeller) -> None:
    import torch
    from safetensors.torch import load_file

    from scoring.models.descriptors.backbone import find_backbone
    from scoring.models.descriptors.network_building import network_on_backbone

    plain = network_on_backbone(find_backbone(), read_config(SHIPPED).shape).eval()
    plain.load_state_dict(load_file(SHIPPED / "model.safetensors"), strict=False)
    ids = torch.tensor([subwords_in(find_encoder().folder).pieces(["a", "dog", "barks"])[0].ids])
    with torch.inference_mode():
        ours = plain(ids)["labels"].numpy()
        ((_, merged),) = _load(labeller, "cpu").logits(ids.tolist())
    assert np.abs(ours - merged.numpy()).max() < 1e-4


def test_absent_or_damaged_labellers_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LabellerMissing, match="python -m scoring train descriptors"):
        find_labeller(str(tmp_path))
    shutil.copytree(SHIPPED, tmp_path / "mine")
    weights = tmp_path / "mine" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    broken = find_labeller(str(tmp_path / "mine"))
    assert broken.identity != find_labeller().identity
    with pytest.raises(LabellerDamaged, match="cannot be read"):
        label(broken, ["a dog"], device="cpu")


def test_finding_a_labeller_loads_no_torch() -> None:
    code = (
        "import sys; from scoring.metrics.aces.metric import Aces; "
        "Aces(fluency='none').parameters; "
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_doubt_is_greatest_where_probabilities_are_least() -> None:
    def said(*sure: float) -> LabelledCaption:
        words = tuple(words_of(" ".join("x" * len(sure))))
        return LabelledCaption(words, ("O",) * len(sure), sure)

    certain, torn = said(0.9, 0.9), said(0.9, 0.3)
    assert uncertainty(torn) == pytest.approx(0.4)
    assert uncertainty(said()) == 0
    assert uncertainty(certain) < uncertainty(torn)
