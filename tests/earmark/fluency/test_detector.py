"""The detector: its input, its independence of company, and whose weights it takes."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertConfig, BertModel

from earmark.models.encoder import find_encoder
from earmark.models.fluency import CLASSES, DetectorMissing, detect, find_detector, normalise
from earmark.models.fluency.detector import SHIPPED
from earmark.models.fluency.network import (
    DetectorDamaged,
    DetectorShape,
    FluencyNetwork,
    OriginalDetector,
    load_network,
    save_detector,
)
from earmark.models.fluency.vocabulary import SubwordVocabulary

CAPTIONS = [
    "A dog barks twice.",
    "a train passes by as a train passes by",
    "",
    "wind",
    "rain falls on a tin roof and a",
    "A man speaks over a loudspeaker as a crowd of people cheers and claps in the background",
    "word " * 200,
    "犬が吠える",
]


@pytest.mark.parametrize(
    ("caption", "text"),
    [
        ("A dog, far off, barks.", "a dog far off barks"),
        ("walkie-talkie", "walkietalkie"),
        ("under_score", "under_score"),
        ("Ünïcode - dash", "ünïcode  dash"),
    ],
)
def test_input_has_no_punctuation_and_no_capitals(caption: str, text: str) -> None:
    # METRICS: [^\w\s] removed, lower-cased
    assert normalise(caption) == text


def test_probabilities_do_not_depend_on_company() -> None:
    """Bit for bit: what a threshold cuts must not change with what else is scored."""
    together = detect(find_detector(), CAPTIONS, device="cpu")
    assert together.shape == (len(CAPTIONS), len(CLASSES))
    assert together.dtype == np.float32
    assert ((together >= 0) & (together <= 1)).all()
    crowd = [*CAPTIONS * 9, *(f"{text} x" for text in CAPTIONS * 9)]
    for row, caption in enumerate(CAPTIONS):
        alone = detect(find_detector(), [caption], device="cpu")[0]
        among = detect(find_detector(), [caption, *crowd], device="cpu")[0]
        np.testing.assert_array_equal(alone, together[row])
        np.testing.assert_array_equal(among, together[row])


def test_shipped_weights_are_small_and_named_by_their_hash() -> None:
    assert (SHIPPED / "model.safetensors").stat().st_size < 5_000_000
    assert (SHIPPED / "MODEL_CARD.md").is_file()
    name, _, digest = find_detector().identity.partition("@")
    assert name == "earmark-fl-2"
    assert len(digest) == 8
    assert all(torch.isfinite(w).all() for w in load_file(SHIPPED / "model.safetensors").values())


def test_forms_of_a_word_are_repetitions_of_it() -> None:
    network, vocabulary = load_network(SHIPPED, "cpu")
    (ids,) = vocabulary.ids(["a cat meows followed by a cat meowing"], longest=96)
    stems = network.stems[torch.tensor(ids)].tolist()
    assert stems[3] == stems[8] != stems[2]


@pytest.fixture
def earlier_detector(tmp_path: Path) -> Path:
    """Make a detector as it was written before there were stems and neighbours."""
    torch.manual_seed(0)
    pieces = SubwordVocabulary(["[CLS]", "[SEP]", "[UNK]", "a", "dog", "dogs"])
    network = FluencyNetwork(DetectorShape(vocabulary=6, width=8, heads=2, hidden=16))
    save_detector(tmp_path, "mine", network, pieces)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["shape"]["reach"], config["shape"]["first"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = load_file(tmp_path / "model.safetensors")
    del weights["stems"]
    save_file(weights, tmp_path / "model.safetensors")
    return tmp_path


def test_detectors_of_the_version_before_are_read(earlier_detector: Path) -> None:
    network, _ = load_network(earlier_detector, "cpu")
    assert network.stems.tolist() == list(range(6))
    found = detect(find_detector(str(earlier_detector)), ["a dog", "a dogs a dogs"], device="cpu")
    assert ((found > 0) & (found < 1)).all()


def test_missing_detector_is_named(tmp_path: Path) -> None:
    with pytest.raises(DetectorMissing, match="There is no fluency detector at"):
        find_detector(str(tmp_path / "none"))
    with pytest.raises(DetectorMissing, match="python -m earmark train fluency"):
        find_detector(str(tmp_path))


def test_damaged_detector_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"name": "mine", "shape": {"vocabulary": 3}}')
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(DetectorDamaged, match="cannot be read"):
        detect(find_detector(str(tmp_path)), ["a dog"], device="cpu")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Make a checkpoint in the form of the original authors', its weights at random."""
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512
    )
    network = OriginalDetector(BertModel(config), 128)
    # Older versions of transformers wrote this buffer too.
    state = {**network.state_dict(), "encoder.embeddings.position_ids": torch.arange(512)[None]}
    path = tmp_path / "echecker_tiny.ckpt"
    torch.save({"model_type": "bert-tiny", "num_classes": 6, "state_dict": state}, path)
    return path


def test_original_checkpoint_loads_by_path(checkpoint: Path) -> None:
    detector = find_detector(str(checkpoint))
    assert detector.identity.startswith("echecker_tiny@")
    found = detect(detector, CAPTIONS[:2], device="cpu")
    stored = torch.load(checkpoint, weights_only=True)["state_dict"]
    words = AutoTokenizer.from_pretrained(find_encoder().folder)
    config = BertConfig(
        hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512
    )
    network = OriginalDetector(BertModel(config), 128).eval()
    network.load_state_dict(stored, strict=False)
    for row, caption in enumerate(CAPTIONS[:2]):
        # As the original program does it: padded to 64 with a mask.
        batch = words(normalise(caption), padding="max_length", max_length=64, return_tensors="pt")
        with torch.inference_mode():
            states = network.encoder(**batch).last_hidden_state
            expected = torch.sigmoid(network.clf(states[:, 0]))[0].numpy()
        assert found[row] == pytest.approx(expected, abs=1e-5)


def test_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.ckpt"
    torch.save({"state_dict": {"weight": torch.zeros(2)}}, path)
    with pytest.raises(DetectorDamaged):
        detect(find_detector(str(path)), ["a dog"], device="cpu")


def test_checkpoint_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "evil.ckpt"
    torch.save({"state_dict": _Evil(tmp_path / "ran")}, path)
    with pytest.raises(DetectorDamaged):
        detect(find_detector(str(path)), ["a dog"], device="cpu")
    assert not (tmp_path / "ran").exists()


class _Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)
