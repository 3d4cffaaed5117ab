"""Clotho's baseline is that of the paper: Drossos, Lipping and Virtanen, 2020, section 3."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from captions import END, START, Vocabulary
from clotho_baseline import PRESETS, ClothoBaseline
from features import FeatureSettings, log_mel
from training import stacked

WORDS = 11


@pytest.fixture
def model() -> ClothoBaseline:
    torch.manual_seed(0)
    return ClothoBaseline(WORDS, 64, **PRESETS["full"]["model"])


def test_features_are_64_log_mel_energies_of_46_ms_with_half_overlap() -> None:
    settings: FeatureSettings = PRESETS["full"]["features"]
    second = np.random.default_rng(0).standard_normal(44_100).astype(np.float32)
    frames = log_mel(second, settings)
    length = round(0.046 * 44_100)
    assert frames.shape == (1 + (44_100 - length) // (length // 2), 64)
    windowed = second[:length] * np.hamming(length)
    energy = np.abs(np.fft.rfft(windowed, 2048)) ** 2
    # Each band is a weighted sum of the energies of one Hamming window.
    assert np.exp(frames[0]).sum() < energy.sum()
    silent = log_mel(np.zeros(length, np.float32), settings)
    assert np.allclose(silent, np.log(1e-10))


def test_encoder_decoder_and_classifier_are_the_papers(model: ClothoBaseline) -> None:
    encoder = model.encoder
    assert (encoder.num_layers, encoder.hidden_size, encoder.bidirectional) == (3, 256, True)
    assert (encoder.input_size, model.decoder.input_size) == (64, 512)
    assert model.classifier.out_features == WORDS
    assert PRESETS["full"]["training"]["epochs"] == 150
    optimizer = model.optimizer(PRESETS["full"]["training"]["learning_rate"])
    assert type(optimizer) is torch.optim.Adam
    assert (optimizer.defaults["lr"], optimizer.defaults["betas"]) == (1e-3, (0.9, 0.999))


def test_the_decoder_hears_what_the_attention_gives_and_not_its_own_words(
    model: ClothoBaseline,
) -> None:
    features, lengths = torch.randn(2, 9, 64), torch.tensor([9, 9])
    state = model.start(features, lengths)
    one, after_one = model.step(state, torch.tensor([START, START]))
    other, _ = model.step(state, torch.tensor([5, 6]))
    assert torch.equal(one, other)
    # The attention looks from the state of the decoder: with another state it gives others.
    assert not torch.equal(model.step(after_one, torch.tensor([START, START]))[0], one)


def test_features_are_padded_in_front_and_captions_with_the_end() -> None:
    batch, lengths = stacked([torch.ones(2, 3), torch.ones(4, 3)], zeros_in_front=True)
    assert batch[0, :, 0].tolist() == [0, 0, 1, 1]
    assert lengths.tolist() == [2, 4]


def test_every_end_that_fills_up_a_caption_counts_in_the_loss(model: ClothoBaseline) -> None:
    features, lengths = torch.randn(1, 9, 64), torch.tensor([9])
    words = torch.tensor([[START, 4, END, END, END]])
    state, total = model.start(features, lengths), torch.zeros(())
    for place in range(4):
        logits, state = model.step(state, words[:, place])
        total = total + functional.cross_entropy(logits, words[:, place + 1])
    loss = model.loss(features, lengths, words, torch.tensor([2]))
    assert loss.item() == pytest.approx(total.item() / 4, abs=1e-5)


def test_words_are_lower_case_and_without_punctuation() -> None:
    vocabulary = Vocabulary.of(["A dog's bark, loud!", "a dog"])
    assert vocabulary.words == ["a", "bark", "dog", "dog's", "loud"]
    places = vocabulary.encode("A LOUD unheard dog.")
    assert (places[0], places[-1]) == (START, END)
    assert vocabulary.decode(places[1:]) == "a loud dog"
