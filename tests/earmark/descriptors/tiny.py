"""Tiny BERT and RoBERTa models with random weights, saved as transformers saves them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch

Kind = Literal["bert", "roberta"]
TEXTS = (
    "a dog barks in the street",
    "from one room nearby some kind of bird sings again",
    "a man talks while a woman sings in the room",
)


def tiny_backbone(folder: Path, kind: Kind) -> Path:
    """Save a model of one layer and 16 dimensions; it reads pieces of at most 30 sub-words."""
    folder.mkdir(parents=True)
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = _bert(folder) if kind == "bert" else _roberta(folder)
    model.save_pretrained(folder)
    return folder


def _bert(folder: Path) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertModel

    made: Any = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=80, special_tokens=marks, show_progress=False)
    )
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.save(str(folder / "tokenizer.json"))
    return BertModel(BertConfig(**_sizes(made), max_position_embeddings=32, pad_token_id=0))


def _roberta(folder: Path) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import RobertaConfig, RobertaModel

    made: Any = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=marks,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS, trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "RobertaTokenizer", "model_max_length": 32})
    )
    return RobertaModel(
        RobertaConfig(
            **_sizes(made),
            max_position_embeddings=34,
            type_vocab_size=1,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=2,
        )
    )


def _sizes(tokeniser: Any) -> dict[str, Any]:
    return {
        "vocab_size": tokeniser.get_vocab_size(),
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }


def words(texts: Sequence[str]) -> list[list[str]]:
    return [text.split() for text in texts]
