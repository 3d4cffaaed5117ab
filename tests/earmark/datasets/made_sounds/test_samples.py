"""What a clip's content says is in its samples: counts, pitches, trends, levels, order."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import find_peaks

from earmark.datasets.made_sounds import DEFAULT_RATE, MadeClip, MadeEvent
from earmark.datasets.made_sounds.made_clip import ALONE, AT_ONCE, IN_ORDER, Scene
from earmark.datasets.made_sounds.rendering import STRUCK, rendered
from earmark.datasets.made_sounds.scene_plan import KINDS

Samples = NDArray[np.float32]
MARGIN = 0.06


def part(clip: MadeClip, start: float, end: float) -> Samples:
    return clip.samples[round(max(0.0, start) * clip.rate) : round(end * clip.rate)]


def size(samples: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def onsets(samples: Samples) -> int:
    """Swells of the envelope that stand out."""
    width = DEFAULT_RATE // 16
    envelope = np.convolve(np.abs(samples), np.hanning(width), mode="same")
    peaks, _ = find_peaks(
        np.pad(envelope, width), prominence=0.3 * envelope.max(), distance=DEFAULT_RATE // 6
    )
    return len(peaks)


def strongest(samples: Samples, low: float = 15, high: float = 7000) -> float:
    """The frequency in Hz with the most energy."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    hz = np.fft.rfftfreq(len(samples), 1 / DEFAULT_RATE)
    spectrum[(hz < low) | (hz > high)] = 0
    return float(hz[np.argmax(spectrum)])


def ends_of(clip: MadeClip, event: MadeEvent, seconds: float = 0.3) -> tuple[Samples, Samples]:
    return (
        part(clip, event.start + 0.05, event.start + 0.05 + seconds),
        part(clip, event.end - 0.05 - seconds, event.end - 0.05),
    )


def one_of(kind: str, seconds: float = 3.0, place: str = "open", **attributes: object) -> Samples:
    """Samples of one event, as clips have it."""
    given = {"level": "normal", "distance": "near", "times": 1, **attributes}
    event = MadeEvent(kind, given, 0.0, seconds)  # type: ignore[arg-type]
    scene = Scene(ALONE, place, seconds, (event,))
    return rendered(np.random.default_rng(1), scene, DEFAULT_RATE)


def test_all_kinds_and_arrangements_are_made(clips: list[MadeClip]) -> None:
    assert {event.kind for clip in clips for event in clip.content} == set(KINDS)
    assert {clip.arrangement for clip in clips} == {ALONE, AT_ONCE, IN_ORDER}
    assert {clip.place for clip in clips} == {"open", "room", "hall"}


def test_clips_are_whole(clips: list[MadeClip]) -> None:
    for clip in clips:
        assert clip.samples.dtype == np.float32
        assert clip.samples.shape == (len(clip.samples),)
        assert 3.0 <= clip.seconds <= 6.0
        assert 0.04 < np.abs(clip.samples).max() <= 1
        assert all(0 <= event.start < event.end <= clip.seconds + 1e-3 for event in clip.content)


def test_what_is_counted_begins_so_many_times(clips: list[MadeClip]) -> None:
    counted = 0
    for clip in clips:
        for event in clip.content:
            if event.kind in STRUCK and clip.arrangement != AT_ONCE and clip.place != "hall":
                if event.kind == "footsteps" and event.text("distance") == "far":
                    continue
                heard = onsets(part(clip, event.start - MARGIN, event.end + MARGIN))
                assert heard == event.number("times"), (clip.file_name, event)
                counted += 1
    assert counted > 30


@pytest.mark.parametrize("kind", ["tone", "beep", "bell"])
def test_pitches_are_those_of_the_samples(clips: list[MadeClip], kind: str) -> None:
    tried = 0
    for clip in clips:
        for event in clip.content:
            if event.kind == kind and clip.arrangement != AT_ONCE:
                heard = strongest(part(clip, event.start, min(event.end, event.start + 0.8)))
                assert heard == pytest.approx(event.number("frequency"), rel=0.05)
                assert (heard < 480) == (event.text("pitch") == "low")
                assert (heard > 990) == (event.text("pitch") == "high")
                tried += 1
    assert tried


def test_sirens_go_where_they_are_said_to_go(clips: list[MadeClip]) -> None:
    seen = set()
    for clip in clips:
        for event in clip.content:
            if event.kind == "siren" and clip.arrangement != AT_ONCE:
                first, last = map(strongest, ends_of(clip, event))
                trend = event.text("trend")
                if trend != "up and down":
                    assert (last > 1.3 * first) == (trend == "rising")
                    assert (first > 1.3 * last) == (trend == "falling")
                seen.add(trend)
    assert seen == {"rising", "falling", "up and down"}


@pytest.mark.parametrize(
    ("trend", "ratio"), [("idling", 1.0), ("speeding up", 2.2), ("slowing down", 1 / 2.2)]
)
def test_engines_change_speed_as_they_are_said_to(trend: str, ratio: float) -> None:
    samples = one_of("engine", seconds=4.0, trend=trend, frequency=90.0, pitch="high")
    half = DEFAULT_RATE // 2
    first, last = strongest(samples[800:half], 25, 250), strongest(samples[-half:-800], 25, 250)
    assert last / first == pytest.approx(ratio, rel=0.25)


def test_gusts_swell_and_a_steady_wind_does_not() -> None:
    def spread(flow: str) -> float:
        samples = one_of("wind", seconds=5.0, flow=flow, swings=0.8)[1600:-1600]
        sizes = [size(block) for block in np.array_split(samples, 24)]
        return max(sizes) / min(sizes)

    assert spread("gusty") > 3
    assert spread("steady") < 2


@pytest.mark.parametrize("kind", ["hiss", "bell", "knock", "wind"])
def test_loud_is_louder_than_quiet_and_far_is_dull(kind: str) -> None:
    def made(level: str, distance: str = "near") -> Samples:
        return one_of(kind, 1.1, level=level, distance=distance, frequency=1200, flow="steady")

    sizes = [size(made(level)) for level in ("quiet", "normal", "loud")]
    assert sizes[0] < 0.4 * sizes[1] < 0.4 * 0.6 * sizes[2]
    far, near = made("normal", "far"), made("normal")
    assert size(far) < 0.5 * size(near)

    def treble(samples: Samples) -> float:
        struck = samples[: DEFAULT_RATE // 10]
        return size(np.diff(struck)) / size(struck)

    assert treble(far) < treble(near)


def test_a_hall_goes_on_sounding_and_the_open_does_not() -> None:
    def afterwards(place: str) -> float:
        return size(one_of("knock", 1.5, place)[DEFAULT_RATE // 4 : DEFAULT_RATE // 2])

    assert afterwards("hall") > 4 * afterwards("open")


def test_one_after_the_other_leaves_a_gap_and_both_sound(clips: list[MadeClip]) -> None:
    tried = 0
    for clip in clips:
        if clip.arrangement != IN_ORDER:
            continue
        first, second = clip.content
        assert first.end <= second.start
        if clip.place == "open":
            gap = size(part(clip, first.end, second.start))
            for event in clip.content:
                assert size(part(clip, event.start, event.end)) > 2 * gap, clip.file_name
            tried += 1
    assert tried > 10


def test_at_once_the_first_sounds_while_the_second_goes_on(clips: list[MadeClip]) -> None:
    for clip in clips:
        if clip.arrangement == AT_ONCE:
            front, behind = clip.content
            assert behind.start == 0
            assert behind.end == pytest.approx(clip.seconds, abs=1e-3)
            assert front.start >= 0
            assert front.end <= clip.seconds + 1e-3
            assert behind.kind not in STRUCK
            assert size(part(clip, front.start, front.end)) > size(part(clip, 0, 0.05))


def test_what_begins_late_or_ends_early_leaves_silence(clips: list[MadeClip]) -> None:
    tried = 0
    for clip in clips:
        if clip.arrangement == ALONE and clip.place == "open":
            event = clip.content[0]
            sounding = size(part(clip, event.start, event.end))
            for start, end in ((0.0, event.start), (event.end + 0.05, clip.seconds)):
                if end - start > 0.6:
                    assert size(part(clip, start, end - 0.02)) < 0.4 * sounding, clip.file_name
                    tried += 1
    assert tried > 5
