"""Made sounds: what is said of them is true, and the same seed makes the same."""

import io
import wave
from itertools import islice

import numpy as np
import pytest
from scipy.signal import find_peaks

from scoring.datasets.sounds import RATE, SOURCES, make_sounds, wav_bytes
from scoring.datasets.sounds.scenes import TIMES
from scoring.datasets.sounds.sources import Source

MANY = list(make_sounds(120, seed=5))


def test_every_sound_has_five_captions_of_8_to_20_words_and_none_twice() -> None:
    for sound in MANY:
        assert len(set(sound.captions)) == 5
        assert all(8 <= len(caption.split()) <= 20 for caption in sound.captions), sound.captions


def test_no_caption_of_any_source_and_way_has_more_than_20_words() -> None:
    words = [
        len(caption.split()) for sound in make_sounds(600, seed=1) for caption in sound.captions
    ]
    assert min(words) >= 8
    assert max(words) <= 20


def test_captions_speak_of_the_sources_that_sound_and_of_no_other() -> None:
    for sound in MANY:
        present = [source for source in SOURCES if source.tag in sound.tags]
        assert len(present) == len(sound.tags)
        for caption in sound.captions:
            said = [source for source in SOURCES if _says(source.clauses, caption)]
            assert {source.tag for source in said} == set(sound.tags), caption


def _says(clauses: tuple[str, ...], caption: str) -> bool:
    text = caption.lower()
    return any(clause.format(times=times) in text for clause in clauses for times in TIMES)


@pytest.mark.parametrize("source", [one for one in SOURCES if one.is_counted], ids=lambda s: s.tag)
@pytest.mark.parametrize("times", range(1, len(TIMES) + 1))
def test_what_is_counted_sounds_so_many_times(source: Source, times: int) -> None:
    samples = source.sounding(np.random.default_rng(3), 2 * RATE, times)
    size = np.convolve(np.abs(samples), np.ones(800) / 800)
    peaks, _ = find_peaks(np.pad(size, 800), prominence=0.4 * size.max())
    assert len(peaks) == times


def test_the_order_that_captions_tell_is_that_of_the_sound() -> None:
    sound = next(
        sound
        for sound in make_sounds(300)
        if set(sound.tags) == {"hiss", "wind"} and "while" not in " ".join(sound.captions)
    )
    halves = np.array_split(sound.samples, 2)
    brightness = [float(np.mean(np.abs(np.diff(half)))) for half in halves]
    assert (brightness[0] > brightness[1]) == (sound.tags[0] == "hiss")
    first = next(caption for caption in sound.captions if caption.startswith("First"))
    hiss = next(source for source in SOURCES if source.tag == "hiss")
    assert _says(hiss.clauses, first.split(", then")[0]) == (sound.tags[0] == "hiss")


def test_the_same_seed_makes_the_same_and_a_sound_does_not_depend_on_how_many_follow() -> None:
    again = list(make_sounds(10, seed=5))
    for one, other in zip(again, islice(MANY, 10), strict=True):
        assert (one.file_name, one.captions) == (other.file_name, other.captions)
        assert np.array_equal(one.samples, other.samples)
    assert [one.captions for one in make_sounds(10, seed=6)] != [one.captions for one in again]


def test_wav_files_hold_the_samples() -> None:
    sound = MANY[0]
    with wave.open(io.BytesIO(wav_bytes(sound.samples, RATE))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        read = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767
    assert np.allclose(read, sound.samples, atol=1 / 32767)
    assert 0.1 < np.abs(sound.samples).max() <= 1


def test_negative_counts_and_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        list(make_sounds(-1))
    with pytest.raises(ValueError, match="0 or more"):
        list(make_sounds(1, seed=-1))
