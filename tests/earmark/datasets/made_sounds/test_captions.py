"""Made clips: the same for a seed, and said in five different, true and fluent ways."""

import csv
import filecmp
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from earmark.cli.parser import main
from earmark.datasets.made_sounds import SPLITS, MadeClip, MadeEvent, made_clips, split_counts
from earmark.datasets.made_sounds.captions import with_articles
from earmark.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER
from earmark.datasets.made_sounds.scene_plan import MANY
from earmark.datasets.made_sounds.wordings import wordings_of
from earmark.models.fluency import ERROR, detect, find_detector

COUNTS = {"once": 1, "twice": 2, "three times": 3, "four times": 4}
# Words that name an attribute, and how an event has it.
CLAIMS = {
    r"loud(ly)?": ("level", "loud"),
    r"quietly|quiet (?!except|place)|soft(ly)?|faint(ly)?": ("level", "quiet"),
    r"distant|far away|in the distance": ("distance", "far"),
    r"close by|nearby": ("distance", "near"),
    r"shrill|bright|high pitched": ("pitch", "high"),
    r"deep|low pitched|large bell": ("pitch", "low"),
    r"gravel|loose stones": ("surface", "gravel"),
    r"hard floor|hard surface|solid floor": ("surface", "hard floor"),
    r"gust(s|y)": ("flow", "gusty"),
    r"speeds up|revs up|accelerates|picks up speed": ("trend", "speeding up"),
    r"slows down|motor winds down|loses speed": ("trend", "slowing down"),
}


def words_of(event: MadeEvent) -> list[str]:
    """What is said of an event without adjectives and adverbs, finite and as a participle."""
    plain = []
    for wording in wordings_of(event):
        for verb in (wording.finite, wording.participle):
            text = re.sub(r"[~+]", "", f"{wording.subject} {verb}")
            plain.append(with_articles(" ".join(text.split())))
    return plain


def says(caption: str, event: MadeEvent) -> list[int]:
    """Where a caption says an event: the words of one of its wordings, with others between."""
    found = []
    for words in words_of(event):
        parts = [r"\ban?" if word in {"a", "an"} else rf"\b{word}\b" for word in words.split()]
        # The last place from which the words follow is where the clause begins.
        pattern = "(?=" + r"[\w ]*?".join(parts) + ")"
        found += [match.start() for match in re.finditer(pattern, caption, re.IGNORECASE)][-1:]
    return found


def test_captions_are_five_different_sentences_of_8_to_20_words(clips: list[MadeClip]) -> None:
    for clip in clips:
        assert len(set(clip.captions)) == 5
        for caption in clip.captions:
            assert 8 <= len(caption.split()) <= 20, caption
            assert re.fullmatch(r"[A-Z][a-z ,]+\.", caption), caption
            assert "  " not in caption
            assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", caption, re.IGNORECASE), caption


def test_every_caption_says_every_sound(clips: list[MadeClip]) -> None:
    for clip in clips:
        for caption in clip.captions:
            for event in clip.content:
                assert says(caption, event), (caption, event)


def test_what_is_counted_is_counted_truly(clips: list[MadeClip]) -> None:
    counted = 0
    for clip in clips:
        times = {event.number("times") for event in clip.content}
        for caption in clip.captions:
            for words, number in COUNTS.items():
                if re.search(rf"\b{words}\b", caption):
                    assert number in times, (caption, clip.content)
                    counted += 1
            if re.search(r"repeatedly|many times|over and over", caption):
                assert max(times) >= MANY, (caption, clip.content)
    assert counted > 50


@pytest.mark.parametrize("words", CLAIMS)
def test_attributes_that_captions_name_are_those_of_an_event(
    clips: list[MadeClip], words: str
) -> None:
    name, value = CLAIMS[words]
    said = 0
    for clip in clips:
        for caption in clip.captions:
            if re.search(rf"\b({words})\b", caption):
                assert any(event.text(name) == value for event in clip.content), caption
                said += 1
    assert said


def test_order_is_told_as_it_is(clips: list[MadeClip]) -> None:
    """Only "after" turns the order of the words round."""
    tried = 0
    for clip in clips:
        if clip.arrangement == IN_ORDER:
            first, second = clip.content
            for caption in clip.captions:
                places = max(says(caption, first)), max(says(caption, second))
                turned = bool(re.search(r" after (?!that\b|another\b)", caption))
                assert (places[0] > places[1]) == turned, caption
                tried += 1
    assert tried > 50


def test_two_at_once_are_not_told_as_an_order(clips: list[MadeClip]) -> None:
    order = re.compile(
        r"\b(then|followed|first|after(?! another)|before|afterwards|later)\b", re.IGNORECASE
    )
    at_once = re.compile(
        r"\b(while|as|background|over the sound|at the same time)\b", re.IGNORECASE
    )
    for clip in clips:
        for caption in clip.captions:
            if clip.arrangement == AT_ONCE:
                assert at_once.search(caption), caption
                assert not order.search(caption), caption
            elif clip.arrangement == IN_ORDER:
                assert order.search(caption), caption


def test_silence_and_echo_are_said_only_where_they_are(clips: list[MadeClip]) -> None:
    said = 0
    for clip in clips:
        event = clip.content[0]
        for caption in clip.captions:
            if re.search(r"after a short silence|silent at first", caption, re.IGNORECASE):
                assert clip.arrangement == ALONE
                assert event.start >= 0.7
                said += 1
            if re.search(r"then (it is silent|everything falls silent)", caption):
                assert clip.arrangement == ALONE
                assert clip.seconds - event.end >= 0.7
                said += 1
            if "echo" in caption:
                assert clip.place == "hall"
                said += 1
    assert said > 5


def test_the_fluency_detector_finds_hardly_a_fault(clips: list[MadeClip]) -> None:
    captions = list(_some(clip.captions for clip in clips))
    errors = detect(find_detector(""), captions, device="cpu")[:, ERROR]
    flagged = [text for text, error in zip(captions, errors, strict=True) if error > 0.9]
    assert len(flagged) <= len(captions) / 200, flagged


def _some(groups: Iterable[tuple[str, ...]]) -> Iterable[str]:
    for number, group in enumerate(groups):
        yield group[number % len(group)]


def test_a_clip_does_not_depend_on_how_many_are_made(clips: list[MadeClip]) -> None:
    for one, other in zip(made_clips("development", 12, seed=3), clips, strict=False):
        assert (one.file_name, one.captions) == (other.file_name, other.captions)
        assert one.content == other.content
        assert np.array_equal(one.samples, other.samples)


def test_seeds_and_splits_have_nothing_in_common() -> None:
    sources = [(split, seed) for split in SPLITS for seed in (0, 1)]
    made = [clip for split, seed in sources for clip in made_clips(split, 10, seed)]
    assert len({repr(clip.content) for clip in made}) == len(made)
    assert len({frozenset(clip.captions) for clip in made}) == len(made)
    assert len({clip.samples.tobytes() for clip in made}) == len(made)


def test_the_command_writes_clothos_layout_twice_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert main(["sounds", str(one), "--clips", "3", "--seed", "4"]) == 0
    assert "Made 147 clips" in capsys.readouterr().err
    assert main(["sounds", str(other), "--clips", "2", "--seed", "4"]) == 0
    for split, count in split_counts(3).items():
        with (one / f"captions_{split}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["file_name", *(f"caption_{number}" for number in range(1, 6))]
        assert [row[0] for row in rows[1:]] == sorted(path.name for path in (one / split).iterdir())
        assert len(rows) == count + 1
        names = [path.name for path in (other / split).iterdir()]
        assert filecmp.cmpfiles(one / split, other / split, names, shallow=False)[0] == names
    clip = next(made_clips("development", 1, seed=4))
    found = soundfile.info(one / "development" / clip.file_name)
    assert (found.samplerate, found.channels, found.subtype) == (16_000, 1, "PCM_16")
    read, _ = soundfile.read(one / "development" / clip.file_name)
    assert np.allclose(read, clip.samples, atol=1 / 32_000)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--clips", "0"], "--clips 0: give a whole number"),
        (["--seed", "-1"], "--seed -1: give 0 or more"),
        (["--rate", "8000"], "--rate 8000: give 16000 to 48000 Hz"),
    ],
)
def test_the_command_names_what_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(["sounds", str(tmp_path / "new"), *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_command_does_not_mix_its_files_with_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").touch()
    assert main(["sounds", str(tmp_path)]) == 2
    assert "already holds something" in capsys.readouterr().err
