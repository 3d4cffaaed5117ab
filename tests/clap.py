"""A small CLAP model with random weights, made on the spot."""

from pathlib import Path
from typing import Any

WORDS = "a the dog barks rain falls on roof bell rings bird chirps water runs and loud"


def small_clap(folder: Path, *, seed: int = 0, fusion: bool = False) -> str:
    """Store a model in a new folder, as transformers does; returns the folder's path.

    It takes sounds of two seconds at 8000 samples a second.
    """
    # Four seconds of importing, which the processes that have no such test are spared.
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import ClapConfig, ClapFeatureExtractor, ClapModel, PreTrainedTokenizerFast

    vocabulary = {word: at for at, word in enumerate(["<pad>", "<unk>", *WORDS.split()])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast: Any = PreTrainedTokenizerFast
    fast(
        tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", model_max_length=20
    ).save_pretrained(folder)
    ClapFeatureExtractor(
        feature_size=32,
        sampling_rate=8000,
        hop_length=250,
        max_length_s=2,
        fft_window_size=256,
        frequency_min=50,
        frequency_max=4000,
        truncation="fusion" if fusion else "rand_trunc",
    ).save_pretrained(folder)
    config = ClapConfig(
        text_config={
            "vocab_size": len(vocabulary),
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "max_position_embeddings": 40,
            "pad_token_id": 0,
            "projection_dim": 8,
        },
        audio_config={
            "spec_size": 128,
            "num_mel_bins": 32,
            "patch_embeds_hidden_size": 8,
            "hidden_size": 64,
            "depths": [1, 1, 1, 1],
            "num_attention_heads": [1, 1, 1, 1],
            "window_size": 4,
            "projection_dim": 8,
            "enable_fusion": fusion,
        },
        projection_dim=8,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        ClapModel(config).save_pretrained(folder)
    return str(folder)
