"""Sentence similarity: offline, the same in any company, and true to the model."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer

from earmark.captions import Candidates
from earmark.metrics.sbert.metric import Sbert
from earmark.models.bert import CPU_ROWS, PackedBert, bert_shape, read_bert_shape, rows_for
from earmark.models.encoder import Encoder, EncoderMissing, Vectors, embed, find_encoder
from earmark.models.loaded_encoder import PackedEncoder, SentenceTransformersEncoder, load_folder
from earmark.pipeline import score_family
from tests.earmark.corpora import corpus

CAPTIONS = [
    "A dog barks twice.",
    "Rain falls on a tin roof while people talk",
    "",
    "wind",
    "A man speaks over a loudspeaker as a crowd of people cheers and claps in the background",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return find_encoder()


@pytest.fixture(scope="module")
def vectors(encoder: Encoder) -> Vectors:
    return embed(encoder, CAPTIONS, device="cpu")


def test_default_encoder_is_the_published_one(encoder: Encoder) -> None:
    # sha256 of sentence-transformers/all-MiniLM-L6-v2's model.safetensors starts with 53aa5117
    assert encoder.identity == "all-MiniLM-L6-v2@53aa5117"


def test_vectors_are_those_of_sentence_transformers(encoder: Encoder, vectors: Vectors) -> None:
    plain = SentenceTransformer(str(encoder.folder), device="cpu").encode(CAPTIONS)
    assert vectors == pytest.approx(plain, abs=1e-6)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_score_is_the_mean_cosine_over_the_references(vectors: Vectors) -> None:
    sides = corpus([CAPTIONS[0]], [[CAPTIONS[1], CAPTIONS[0], CAPTIONS[3]]], details=True)
    ours = score_family("sbert", *sides)["sbert_sim"]
    cosines = vectors[[1, 0, 3]] @ vectors[0]
    assert ours.value == pytest.approx(cosines.mean(), abs=1e-6)
    assert ours.details == [{"similarities": pytest.approx(cosines.tolist(), abs=1e-6)}]
    assert ours.signature == "sbert_sim|sbert:all-MiniLM-L6-v2@53aa5117|refs:3|r:1"


def test_a_caption_that_is_its_reference_never_scores_above_one(encoder: Encoder) -> None:
    texts = [f"{who} {what}" for who in ("a dog", "rain", "people") for what in "abcd"]
    squares = (embed(encoder, texts, device="cpu").astype(np.float64) ** 2).sum(axis=1)
    # Where float32 leaves a vector a little too long, its cosine with itself is above 1.
    long = [text for text, square in zip(texts, squares, strict=True) if square > 1]
    assert long
    ours = score_family("sbert", *corpus(long, [[text] for text in long]))["sbert_sim"]
    assert ours.value == 1


def test_raw_text_counts_capitals_aside() -> None:
    candidates, references, workspace = corpus(["A dog barks", "A dog barks!"], [["a dog"]] * 2)
    ours = score_family("sbert", candidates, references, workspace)["sbert_sim"]
    assert ours.per_clip[0] != ours.per_clip[1]
    shout = Candidates.single(["a DOG barks", "A dog barks!"])
    assert score_family("sbert", shout, references, workspace)["sbert_sim"].value == ours.value


def test_encoder_in_a_folder_is_named_by_folder_and_weights(
    encoder: Encoder, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(encoder.folder, folder)
    assert Sbert(encoder=str(folder)).parameters == {"sbert": "mine@53aa5117"}
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"\n")
    changed = find_encoder(str(folder)).identity
    assert changed.startswith("mine@")
    assert changed != "mine@53aa5117"
    (folder / "more.safetensors").write_bytes(b"")
    assert find_encoder(str(folder)).identity != changed


def test_folder_without_weights_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EncoderMissing):
        find_encoder(str(tmp_path))


FOLDER = find_encoder().folder
CONFIG = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))


def packed(device: str) -> PackedBert:
    shape = read_bert_shape(FOLDER)
    assert shape is not None
    return PackedBert(load_file(FOLDER / "model.safetensors"), shape, device)


@pytest.fixture(scope="module")
def bert() -> PackedBert:
    return packed("cpu")


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    """Sub-words of texts of many lengths, the longest over what is computed at once."""
    draw = random.Random(3)
    lengths = [2, 3, 3, 4, 7, 7, 7, 12, 15, 30, 64, 256, *draw.choices(range(3, 40), k=60)]
    return [[101, *draw.choices(range(1000, 30000), k=length - 2), 102] for length in lengths]


def states_of(bert: PackedBert, texts: list[list[int]], layer: int = -1) -> dict[int, Any]:
    return {
        row: states
        for rows, _, chosen in bert.states(texts, layer=layer)
        for row, states in zip(rows, chosen.numpy(), strict=True)
    }


@pytest.mark.parametrize("layer", [0, 3, -1])
def test_states_are_those_of_transformers(
    bert: PackedBert, texts: list[list[int]], layer: int
) -> None:
    from transformers import BertModel

    plain: Any = BertModel.from_pretrained(str(FOLDER), local_files_only=True)
    found = states_of(bert, texts, layer)
    assert sorted(found) == list(range(len(texts)))
    for row in (0, 3, 8, 11, 40):
        with torch.inference_mode():
            told = plain.eval()(torch.tensor([texts[row]]), output_hidden_states=True)
        np.testing.assert_allclose(found[row], told.hidden_states[layer][0], atol=2e-5)


def test_states_do_not_depend_on_the_company(bert: PackedBert, texts: list[list[int]]) -> None:
    """Bit for bit: what a threshold cuts must not change with what else is scored."""
    together = states_of(bert, texts)
    for row in range(12):
        np.testing.assert_array_equal(states_of(bert, [texts[row]])[0], together[row])
    few = states_of(bert, texts[::-5])
    for place, row in enumerate(range(len(texts))[::-5]):
        np.testing.assert_array_equal(few[place], together[row])


def test_all_of_it_runs_on_the_device_that_is_asked_for(
    texts: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no card here; torch's device without memory refuses what lies elsewhere."""
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (8 << 30, 16 << 30))
    there = packed("meta")
    there.device = "cuda:1"
    rows = there.rows_at_once()
    assert rows == rows_for(8 << 30, 1536) > CPU_ROWS
    there.device = "meta"
    monkeypatch.setattr(there, "rows_at_once", lambda: rows)
    batches = list(there.states(texts))
    assert sum(len(rows) for rows, _, _ in batches) == len(texts)
    assert {states.device.type for _, states, _ in batches} == {"meta"}
    # On a card all texts of one length are computed together.
    assert len(batches) == len({len(ids) for ids in texts})


@pytest.mark.parametrize(
    "change",
    [
        {"model_type": "roberta"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
    ],
)
def test_other_models_are_left_to_their_own_library(change: dict[str, Any]) -> None:
    assert bert_shape(CONFIG) is not None
    assert bert_shape(CONFIG | change) is None


def test_an_encoder_that_pools_otherwise_is_computed_by_its_own_library(tmp_path: Path) -> None:
    assert isinstance(load_folder(FOLDER, "cpu"), PackedEncoder)
    other = tmp_path / "first-state"
    shutil.copytree(FOLDER, other)
    pooling = other / "1_Pooling" / "config.json"
    settings = json.loads(pooling.read_text(encoding="utf-8"))
    settings |= {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    pooling.write_text(json.dumps(settings), encoding="utf-8")
    assert isinstance(load_folder(other, "cpu"), SentenceTransformersEncoder)
    captions = ["a dog barks", "rain falls on a tin roof", "wind", ""]
    ours = embed(find_encoder(str(other)), captions, device="cpu")
    plain = SentenceTransformer(str(other), device="cpu").encode(captions)
    np.testing.assert_allclose(ours, plain, atol=1e-6)
    alone = embed(find_encoder(str(other)), captions[:1], device="cpu")[0]
    np.testing.assert_array_equal(alone, ours[0])
