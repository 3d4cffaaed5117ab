"""Labellers made to harm the site that takes them: what is refused before it can."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from earmark.errors import ScoringError
from earmark.models.descriptors import find_labeller, label
from earmark.models.descriptors.files import load_network
from earmark.models.descriptors.labeller import LabellerFailed
from earmark.models.descriptors.subwords import Subwords, TokeniserFailed
from leaderboard.services.labellers.checking import labeller_check
from leaderboard.services.labellers.configuration import LabellerRefused
from tests.labellers import trained
from tests.leaderboard.labellers.test_labellers_command import config, parts
from tests.leaderboard.labellers.whole_networks import changed, signed, whole

DOUBLE = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
FOR_EVER = {
    "type": "Split",
    "pattern": {"Regex": "(a+)+$"},
    "behavior": "Isolated",
    "invert": False,
}


def normalised(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"normalizer": {"type": "Sequence", "normalizers": list(steps)}}


def table(texts: bytes) -> dict[str, Any]:
    stored = base64.b64encode((4).to_bytes(4, "little") + b"\0" * 4 + texts).decode()
    return {"type": "Precompiled", "precompiled_charsmap": stored}


def marks(count: int) -> dict[str, Any]:
    """Put so many marks before a text."""
    token = {"id": "<s>", "ids": [0] * count, "tokens": ["<s>"] * count}
    pieces = [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ]
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}]
    told = {"type": "TemplateProcessing", "single": pieces, "pair": pair}
    return {"post_processor": {**told, "special_tokens": {"<s>": token}}}


def model(**more: Any) -> Any:
    return lambda told: {**told, "model": {**told["model"], **more}}


def beyond(told: dict[str, Any]) -> dict[str, Any]:
    """Ids for which the encoder has no vectors."""
    vocabulary = {
        word: at + 100_000 if at > 10 else at for word, at in told["model"]["vocab"].items()
    }
    return {**told, "model": {**told["model"], "vocab": vocabulary}}


def overflowing(stored: dict[str, Any]) -> None:
    for name, value in stored.items():
        if "LayerNorm.weight" in name:
            value.fill_(3e38)


HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "no JSON": ({"tokeniser": lambda _: b"{"}, "cannot be read as JSON"),
    "no tokeniser": ({"tokeniser": lambda _: {}}, "refused. Give one of"),
    "no model behind it": ({"tokeniser": model(vocab=3)}, "do not fit"),
    "a pattern that takes for ever": (
        {"tokeniser": lambda told: {**told, "pre_tokenizer": FOR_EVER}},
        "'Split' is not one of",
    ),
    "a pattern in a replacement": (
        {
            "tokeniser": lambda told: {
                **told,
                **normalised({"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}),
            }
        },
        "is not one of",
    ),
    "texts that double": (
        {"tokeniser": lambda told: {**told, **normalised(DOUBLE)}},
        "longer than what it replaces",
    ),
    "steps without end": (
        {"tokeniser": lambda told: {**told, **normalised(*[DOUBLE] * 40)}},
        "12 steps at most",
    ),
    "letters that grow twice": (
        {"tokeniser": lambda told: {**told, **normalised(*[{"type": "NFKD"}] * 2)}},
        "only once",
    ),
    "a table of long texts": (
        {"tokeniser": lambda told: {**told, **normalised(table(b"x" * 10_000))}},
        "256 bytes at most",
    ),
    "a table that is none": (
        {"tokeniser": lambda told: {**told, **normalised(table(b""))}},
        "table of characters cannot be read",
    ),
    "marks without end": (
        {"tokeniser": lambda told: {**told, **marks(100_000)}},
        "leave none for words",
    ),
    "pieces by chance": ({"tokeniser": model(dropout=0.5)}, "dropout to 0"),
    "endless affixes": ({"tokeniser": model(end_of_word_suffix="x" * 99)}, "8 characters at most"),
    "ids without vectors": ({"tokeniser": beyond}, "has ids beyond the 320 vectors"),
    "no numbers come out": ({"architecture": {"layer_norm_eps": -1.0}}, "no numbers"),
    "numbers too large": ({"weights": overflowing}, "no numbers"),
    "text for a number": ({"architecture": {"layer_norm_eps": "x"}}, "do not fit"),
    "no tokeniser at all": (
        {"weights": lambda stored: stored.pop("tokenizer.json")},
        "has no token",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_would_harm_is_refused_with_the_reason(case: str, tmp_path: Path) -> None:
    changes, reason = HOSTILE[case]
    folder = changed(tmp_path / "sent", **changes)
    with pytest.raises(LabellerRefused) as refused:
        labeller_check(folder, made_here=False)
    assert reason in str(refused.value)


def test_updates_of_an_encoder_do_not_bring_another_along(tmp_path: Path) -> None:
    """It would be named as the encoder of this site, and be anything."""
    import torch
    from safetensors.torch import load_file

    shutil.copytree(trained(), tmp_path / "sent")
    stored = load_file(tmp_path / "sent" / "model.safetensors")
    vectors = load_network(trained(), "cpu").encoder.get_input_embeddings().weight
    stored["encoder.embeddings.word_embeddings.weight"] = torch.zeros_like(vectors)
    signed(tmp_path / "sent", stored)
    with pytest.raises(LabellerRefused, match="weights that do not fit: encoder"):
        labeller_check(tmp_path / "sent", made_here=False)


def test_choices_that_only_take_memory_are_not_listened_to(tmp_path: Path) -> None:
    """A name is made for each of so many labels, before anyone asks what for."""
    assert labeller_check(whole(), made_here=False).name == "whole", "as it was trained"
    more = {"num_labels": 10**9, "chunk_size_feed_forward": 7, "dtype": "float16"}
    folder = changed(tmp_path / "sent", architecture=more)
    assert labeller_check(folder, made_here=False).name == "whole"
    assert load_network(folder, "cpu").encoder.config.num_labels == 2


def test_ids_without_vectors_reach_no_encoder(tmp_path: Path) -> None:
    """On a GPU they would end all that the process computes there."""
    folder = changed(tmp_path / "kept", tokeniser=beyond)
    with pytest.raises(LabellerFailed, match="no vectors"):
        label(find_labeller(str(folder)), ["a dog barks"], device="cpu")


def test_a_tokeniser_that_gives_up_is_a_failure_like_others() -> None:
    """What its code in Rust raises then would end a worker."""
    import torch
    from safetensors.torch import load_file

    stored = load_file(whole() / "model.safetensors")["tokenizer.json"]
    told = json.loads(stored.to(torch.uint8).numpy().tobytes())
    subwords = Subwords(json.dumps({**told, "pre_tokenizer": FOR_EVER}))
    with pytest.raises(TokeniserFailed, match="retry-limit"):
        subwords.pieces(["a" * 60 + "!"])
    assert issubclass(TokeniserFailed, ScoringError)


def test_a_configuration_belongs_to_its_weights(tmp_path: Path) -> None:
    """With labels in another order the same signature would stand for other scores."""
    shuffled = tmp_path / "shuffled"
    shuffled.mkdir()
    for name, data in parts(config=_labels_turned()).items():
        (shuffled / name).write_bytes(data)
    with pytest.raises(ScoringError, match="made for another config"):
        label(find_labeller(str(shuffled)), ["a dog barks"], device="cpu")


def _labels_turned() -> bytes:
    stored = json.loads(parts()["config.json"])["labels"]
    return config(labels=[*stored[1::-1], *stored[2:]])
