"""BERTScore: the original's arithmetic, any company, and what it takes of the disk."""

import math

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from earmark.captions import Candidates, References
from earmark.metrics.bert_score.metric import BertScore
from earmark.models.encoder import Encoder, find_encoder
from earmark.models.token_vectors import TokenVectors, UnknownLayer, embed_tokens
from earmark.results import MetricScore
from earmark.workspace import Workspace
from tests.bench.bench_bert_score import plain_f, plain_vectors

CAPTIONS = [
    "A dog barks twice.",
    "Rain falls on a tin roof while people talk",
    "",
    "wind",
    "A man speaks over a loudspeaker as a crowd of people cheers and claps in the background",
    "whirring",
]
FAMILY = BertScore()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return find_encoder()


@pytest.fixture(scope="module")
def tokens(encoder: Encoder) -> list[TokenVectors]:
    return embed_tokens(encoder, CAPTIONS, device="cpu")[1]


def run(
    candidates: list[str], references: list[list[str]], family: BertScore = FAMILY
) -> MetricScore:
    told = References.build((f"{i}.wav", texts) for i, texts in enumerate(references))
    workspace = Workspace(device="cpu", details=True)
    ready = family.prepare(told, workspace)
    return family.score(Candidates.single(candidates), told, ready, workspace)["bert_score"]


def test_vectors_are_the_last_layers(encoder: Encoder, tokens: list[TokenVectors]) -> None:
    """Those that sentence-transformers pools to a sentence's vector, at length 1."""
    model = SentenceTransformer(str(encoder.folder), device="cpu")
    for text, ours in zip(CAPTIONS, tokens, strict=True):
        (whole,) = model.encode([text], output_value="token_embeddings", show_progress_bar=False)
        plain = whole.numpy().astype(np.float64)
        plain /= np.linalg.norm(plain, axis=1, keepdims=True)
        assert ours.vectors() == pytest.approx(plain, abs=2e-5)
        assert np.linalg.norm(ours.vectors(), axis=1) == pytest.approx(1, abs=1e-6)


def test_sub_words_and_the_models_own_marks(tokens: list[TokenVectors]) -> None:
    assert tokens[0].texts == ("[CLS]", "a", "dog", "bark", "##s", "twice", ".", "[SEP]")
    assert tokens[0].words.tolist() == [False, *[True] * 6, False]
    assert tokens[2].texts == ("[CLS]", "[SEP]")
    assert not tokens[2].words.any()


def test_layers_are_chosen_by_number(encoder: Encoder) -> None:
    last, sixth, fifth = (
        embed_tokens(encoder, ["a dog"], layer=layer, device="cpu")[1][0] for layer in (-1, 6, 5)
    )
    assert (last.codes == sixth.codes).all()
    assert not np.array_equal(last.codes, fifth.codes)
    for layer in (7, -2):
        with pytest.raises(UnknownLayer, match="Give 0"):
            embed_tokens(encoder, ["a dog"], layer=layer, device="cpu")


def test_f_is_that_of_plain_greedy_matching(encoder: Encoder) -> None:
    references = [CAPTIONS[1], "A dog barks and a man speaks", "wind"]
    result = run([CAPTIONS[0]], [references])
    ours, *theirs = plain_vectors(encoder, [CAPTIONS[0], *references])
    expected = [plain_f(ours, one) for one in theirs]
    assert result.details is not None
    assert result.details[0]["f"] == pytest.approx(expected, abs=1e-5)
    assert result.details[0]["reference"] == int(np.argmax(expected)) == 1
    assert result.per_clip[0] == pytest.approx(max(expected), abs=1e-5)
    assert len(set(result.details[0]["f"])) == 3


def test_marks_have_no_weight_but_can_be_matched() -> None:
    """The original gives [CLS] and [SEP] the weight 0 and leaves them among what is matched."""
    result = run(["Wind blows, and"], [["Rain"]])
    assert result.details is not None
    told = result.details[0]
    assert [row["token"] for row in told["precision_matches"]] == ["wind", "blows", ",", "and"]
    assert "[SEP]" in {row["match"] for row in told["precision_matches"]}
    similarities = [row["similarity"] for row in told["precision_matches"]]
    assert told["precision"] == pytest.approx(np.mean(similarities), abs=1e-5)
    similarities = [row["similarity"] for row in told["recall_matches"]]
    assert told["recall"] == pytest.approx(np.mean(similarities), abs=1e-5)
    f = 2 * told["precision"] * told["recall"] / (told["precision"] + told["recall"])
    assert result.per_clip[0] == pytest.approx(f, abs=1e-5)


def test_the_same_caption_has_1_and_an_empty_one_0() -> None:
    result = run(["A dog barks", "", "A dog barks"], [["rain", "A dog barks"], ["rain"], [""]])
    assert result.per_clip == pytest.approx([1, 0, 0], abs=1e-6)
    assert result.coverage == 3
    assert not math.isnan(result.value)
