"""Sentence similarity: offline, the same in any company, and true to the model."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from scoring.captions import Candidates
from scoring.metrics.sbert.metric import Sbert
from scoring.models.encoder import Encoder, EncoderMissing, Vectors, embed, find_encoder
from scoring.pipeline import score_family
from tests.scoring.corpora import corpus

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


def test_parameters_load_no_torch() -> None:
    code = (
        "import sys; from scoring.metrics.sbert.metric import Sbert; Sbert().parameters; "
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
