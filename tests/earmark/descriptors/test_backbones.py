"""Other backbones and methods: they train, are stored and are read again as they were."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from earmark.cli.parser import main
from earmark.models.descriptors import find_labeller, label
from earmark.models.descriptors.backbone import BackboneMissing, find_backbone
from earmark.models.descriptors.files import LabellerDamaged, load_network, read_config
from earmark.models.descriptors.network import METHODS, LabellerShape, Method, network_on_backbone
from earmark.train.descriptors import (
    LabellerRecipe,
    default_recipe,
    predict,
    read_sets,
    save_trained,
    train,
)
from tests.earmark.descriptors.records import OTHER_WORDS, SMALL
from tests.earmark.descriptors.tiny import TEXTS, Kind, tiny_backbone, words

SHORT = {"epochs": 2, "batch": 8, "name": "mine"}
KINDS: tuple[Kind, ...] = ("bert", "roberta")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    return path


@pytest.fixture(params=KINDS)
def tiny(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tiny_backbone(tmp_path / "backbones" / request.param, request.param)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_stored_says_what_was_trained(
    method: Method, tiny: Path, data: Path, tmp_path: Path
) -> None:
    sets = read_sets([data])
    recipe = default_recipe(method, str(tiny), **SHORT)
    network = train(sets, recipe)
    said = predict(network, sets[0], sets[0].captions)
    save_trained(network, sets[0], recipe, tmp_path / "out")
    found = find_labeller(str(tmp_path / "out"))
    texts = [caption.key for caption in sets[0].captions]
    assert [list(one.labels) for one in label(found, texts, device="cpu")] == said
    assert read_config(tmp_path / "out").method == method
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "config.json",
        "model.safetensors",
    }


def test_a_whole_network_needs_its_backbone_no_more(tiny: Path, data: Path, tmp_path: Path) -> None:
    sets = read_sets([data])
    recipe = default_recipe("full", str(tiny), **SHORT)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    before = label(find_labeller(str(tmp_path / "out")), TEXTS, device="cpu")
    shutil.rmtree(tiny)
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    assert label(find_labeller(str(tmp_path / "elsewhere")), TEXTS, device="cpu") == before
    assert str(tmp_path) not in (tmp_path / "out" / "config.json").read_text()


@pytest.mark.parametrize("method", ["lora", "head"])
def test_without_its_backbone_a_labeller_says_what_is_missing(
    method: Method, tiny: Path, data: Path, tmp_path: Path
) -> None:
    sets = read_sets([data])
    recipe = default_recipe(method, str(tiny), **SHORT)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    tiny.rename(tmp_path / "away")
    with pytest.raises(BackboneMissing, match="Give the path of its folder"):
        load_network(tmp_path / "out", "cpu")
    (tmp_path / "away").rename(tiny)
    stored = (tiny / "model.safetensors").read_bytes()
    (tiny / "model.safetensors").write_bytes(stored[:-4] + b"\0\0\0\1")
    with pytest.raises(LabellerDamaged, match=f"it is for {tiny.name}@"):
        load_network(tmp_path / "out", "cpu")


def test_words_are_cut_as_transformers_cuts_them_within_a_text(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = tiny_backbone(tmp_path / "roberta", "roberta")
    network = network_on_backbone(find_backbone(str(folder)), LabellerShape({"x": 2}))
    tokeniser: Any = AutoTokenizer
    theirs = tokeniser.from_pretrained(str(folder), add_prefix_space=True)
    for text in words(TEXTS):
        (piece,) = network.subwords.pieces(text)
        told = theirs(text, is_split_into_words=True)
        assert list(piece.ids) == told["input_ids"]
        assert [-1 if one is None else one for one in told.word_ids()] == list(piece.owners)


def test_padding_changes_nothing(tiny: Path) -> None:
    network = network_on_backbone(find_backbone(str(tiny)), LabellerShape({"x": 3})).eval()
    (piece,) = network.subwords.pieces(TEXTS[0].split())
    padding = (network.subwords.padding,) * 5
    with torch.inference_mode():
        alone = network(torch.tensor([piece.ids]))["x"]
        mask = torch.tensor([[1] * len(piece.ids) + [0] * 5])
        padded = network(torch.tensor([piece.ids + padding]), mask)["x"]
    assert (alone - padded[:, : len(piece.ids)]).abs().max() < 1e-5


def test_captions_longer_than_its_positions_are_read_in_pieces(tiny: Path) -> None:
    network = network_on_backbone(find_backbone(str(tiny)), LabellerShape({"x": 3})).eval()
    pieces = network.subwords.pieces(["dog", "barks", "zebra"] * 30)
    assert max(len(piece.ids) for piece in pieces) == 32
    with torch.inference_mode():
        for piece in pieces:
            assert network(torch.tensor([piece.ids]))["x"].shape == (1, len(piece.ids), 3)


@pytest.mark.parametrize("method", ["lora", "head"])
def test_labellers_on_the_packaged_encoder_are_small(
    method: Method, data: Path, tmp_path: Path
) -> None:
    sets = read_sets([data])
    recipe = default_recipe(method, epochs=1)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) < 5_000_000


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_token_classifier_of_transformers_is_a_labeller(kind: Kind, tmp_path: Path) -> None:
    """As that of ACES' authors is published; its labels are those that transformers computes."""
    from tokenizers import Tokenizer
    from transformers import AutoConfig, AutoModelForTokenClassification

    folder = tiny_backbone(tmp_path / "authors", kind)
    config: Any = AutoConfig.from_pretrained(
        folder, id2label={0: "O", 1: "WHO", 2: "SOUND TYPE"}, label2id={}
    )
    torch.manual_seed(3)
    model: Any = AutoModelForTokenClassification.from_pretrained(folder, config=config)
    model.save_pretrained(folder)
    labeller = find_labeller(str(folder))
    assert labeller.identity.startswith("authors@")
    assert labeller.labels == ("O", "WHO", "SOUND_TYPE")
    (told,) = label(labeller, [TEXTS[1]], device="cpu")
    read: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    space = " " if kind == "roberta" else ""
    given = read.encode([space + word for word in TEXTS[1].split()], is_pretokenized=True)
    with torch.inference_mode():
        table = model.eval()(torch.tensor([given.ids])).logits[0].softmax(-1)
    owned = list(zip(table, given.word_ids, strict=True))
    for place, sure in enumerate(told.confidences):
        rows = [row for row, owner in owned if owner == place]
        best = max(rows, key=lambda row: float(row.max()))
        assert told.labels[place] == labeller.labels[int(best.argmax())]
        assert sure == pytest.approx(float(best.max()), abs=1e-5)


def test_an_absent_backbone_is_told_with_what_to_do(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # no wait for a network
    options = ["--backbone", "nobody/no-such-model", "--out", str(tmp_path / "out")]
    assert main(["train", "descriptors", str(data), *options]) == 2
    told = capsys.readouterr().err
    assert "The backbone 'nobody/no-such-model' cannot be used" in told
    assert "hf download nobody/no-such-model" in told


@pytest.mark.parametrize("damage", ["empty", "pickle", "other"])
def test_a_folder_that_is_no_backbone_is_told(damage: str, tmp_path: Path) -> None:
    folder = tiny_backbone(tmp_path / "b", "bert")
    if damage == "empty":
        (folder / "config.json").unlink()
    if damage == "pickle":
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    if damage == "other":
        (folder / "config.json").write_text(json.dumps({"model_type": "nothing"}))
    with pytest.raises(BackboneMissing, match="save_pretrained"):
        network_on_backbone(find_backbone(str(folder)), LabellerShape({"x": 2}))


def test_weights_that_were_changed_are_refused(data: Path, tmp_path: Path) -> None:
    sets = read_sets([data])
    recipe = LabellerRecipe(epochs=1, rank=1)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    weights = tmp_path / "out" / "model.safetensors"
    stored = weights.read_bytes()
    weights.write_bytes(stored[:-1] + bytes([stored[-1] ^ 1]))
    with pytest.raises(LabellerDamaged, match="not those that config"):
        label(find_labeller(str(tmp_path / "out")), ["a dog"], device="cpu")


@pytest.mark.parametrize(
    ("method", "changes", "told"),
    [
        ("full", {"hidden_size": 2_000_000}, "not of the sizes"),
        ("full", {"num_hidden_layers": 2_000_000_000}, "more than are stored"),
        ("full", {"model_type": "llama"}, "none of the models known"),
        ("full", {"vocab_size": "x"}, "expected int"),
        ("full", {"num_attention_heads": 0}, "cannot be read"),
        ("lora", {"rank": 2_000_000_000}, "no updates of rank"),
        ("head", {"hidden": 2_000_000_000}, "not of width"),
        ("head", {"method": "magic"}, "no method 'magic'"),
    ],
)
def test_a_configuration_that_asks_for_too_much_is_refused(
    method: Method, changes: dict[str, Any], told: str, data: Path, tmp_path: Path
) -> None:
    sets = read_sets([data])
    recipe = default_recipe(method, str(tiny_backbone(tmp_path / "b", "bert")), **SHORT)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    path = tmp_path / "out" / "config.json"
    config = json.loads(path.read_text())
    (config["architecture"] if method == "full" else config).update(changes)
    path.write_text(json.dumps(config))
    with pytest.raises(LabellerDamaged, match=told):
        load_network(tmp_path / "out", "cpu")


def test_a_configuration_cannot_name_code(data: Path, tmp_path: Path) -> None:
    # transformers loads kernels from the hub by these keys; a labeller may be anybody's.
    sets = read_sets([data])
    recipe = default_recipe("full", str(tiny_backbone(tmp_path / "b", "bert")), **SHORT)
    save_trained(train(sets, recipe), sets[0], recipe, tmp_path / "out")
    before = label(find_labeller(str(tmp_path / "out")), TEXTS, device="cpu")
    path = tmp_path / "out" / "config.json"
    config = json.loads(path.read_text())
    for key in ("_attn_implementation", "attn_implementation", "_attn_implementation_internal"):
        config["architecture"][key] = "nobody/kernels"
    config["architecture"]["auto_map"] = {"AutoModel": "nobody/code--modeling.Model"}
    path.write_text(json.dumps(config))
    network = load_network(tmp_path / "out", "cpu")
    assert network.encoder.config._attn_implementation == "sdpa"
    assert label(find_labeller(str(tmp_path / "out")), TEXTS, device="cpu") == before
