"""What sounds in a clip: kinds, attributes and times are drawn before anything sounds."""

import numpy as np

from earmark.datasets.made_sounds.made_clip import (
    ALONE,
    AT_ONCE,
    IN_ORDER,
    Attribute,
    MadeEvent,
    Scene,
)
from earmark.datasets.made_sounds.rendering import STROKE_SECONDS, STRUCK, SUSTAINED

SHORTEST, LONGEST = 3.0, 6.0
KINDS = (*SUSTAINED, *STRUCK)
# From this number on, nobody counts: "repeatedly".
MANY = 6
_COUNTED = (1, 2, 3, 4)
_ARRANGEMENTS = (ALONE, AT_ONCE, IN_ORDER)
_SHARES = (0.4, 0.3, 0.3)
_SHORTEST_IN_ORDER = 4.0
# Seconds from one stroke to the next.
_INTERVALS = {"fast": (0.24, 0.3), "slow": (0.6, 0.8)}
_ONLY_REPEATED = ("drops", "footsteps")
_FEWEST_REPEATED = 4
# Hz; nothing lies between the bands, so that what is called high is.
_PITCHES: dict[str, dict[str, tuple[float, float]]] = {
    "tone": {"low": (150, 260), "middle": (500, 800), "high": (1600, 3000)},
    "beep": {"low": (300, 450), "middle": (800, 1000), "high": (1800, 2800)},
    "bell": {"low": (220, 330), "high": (1000, 1600)},
    "engine": {"low": (22, 32), "high": (75, 110)},
    "buzz": {"low": (95, 125), "high": (260, 380)},
    "chirp": {"high": (2400, 3300)},
    "siren": {"middle": (450, 700)},
}
# Kinds that hide each other when they sound at once.
_ALIKE = (
    {"hiss", "wind", "stream"},
    {"stream", "drops"},
    {"tone", "siren", "buzz", "beep"},
    {"engine", "buzz"},
    {"wind", "engine"},
)
_ECHOING = ("knock", "bell", "footsteps", "beep", "drops")


def planned_scene(draw: np.random.Generator) -> Scene:
    """Draw one scene; nothing depends on a sampling rate."""
    arrangement = str(draw.choice(_ARRANGEMENTS, p=_SHARES))
    seconds = float(
        draw.uniform(_SHORTEST_IN_ORDER if arrangement == IN_ORDER else SHORTEST, LONGEST)
    )
    if arrangement == ALONE:
        events: tuple[MadeEvent, ...] = (_alone(draw, seconds),)
    elif arrangement == AT_ONCE:
        events = _at_once(draw, seconds)
    else:
        events = _in_order(draw, seconds)
    return Scene(arrangement, _place(draw, events), seconds, events)


def _place(draw: np.random.Generator, events: tuple[MadeEvent, ...]) -> str:
    if any(event.kind not in _ECHOING for event in events):
        return "open"
    return str(draw.choice(("open", "room", "hall")))


def _alone(draw: np.random.Generator, seconds: float) -> MadeEvent:
    kind = str(draw.choice(KINDS))
    attributes = _level(draw)
    if kind in STRUCK:
        return _struck_event(draw, kind, attributes, 0.1, seconds - 0.1)
    start, end = 0.0, seconds
    change = draw.random()
    if change < 0.25:
        start = float(draw.uniform(0.25, 0.4)) * seconds
    elif change < 0.5:
        end = float(draw.uniform(0.6, 0.75)) * seconds
    return _sustained_event(draw, kind, attributes, start, end)


def _at_once(draw: np.random.Generator, seconds: float) -> tuple[MadeEvent, ...]:
    """Something in front of something that lasts; the second is the background."""
    behind = str(draw.choice(list(SUSTAINED)))
    hidden = {behind}.union(*(alike for alike in _ALIKE if behind in alike))
    fitting = [kind for kind in KINDS if kind not in hidden]
    front = str(draw.choice(fitting))
    level: dict[str, Attribute] = {
        "level": str(draw.choice(("normal", "normal", "loud"))),
        "distance": "near",
    }
    far = str(draw.choice(("near", "near", "far")))
    if front in STRUCK:
        first = _struck_event(draw, front, level, 0.1, seconds - 0.1)
    else:
        first = _sustained_event(draw, front, level, 0.0, seconds)
    below: dict[str, Attribute] = {"level": "normal", "distance": far}
    return first, _sustained_event(draw, behind, below, 0.0, seconds)


def _in_order(draw: np.random.Generator, seconds: float) -> tuple[MadeEvent, ...]:
    kinds = [str(kind) for kind in draw.choice(KINDS, size=2, replace=False)]
    middle, gap = seconds * float(draw.uniform(0.45, 0.55)), float(draw.uniform(0.15, 0.3))
    spans = ((0.05, middle - gap / 2), (middle + gap / 2, seconds - 0.05))
    events = []
    for kind, (start, end) in zip(kinds, spans, strict=True):
        event = _struck_event if kind in STRUCK else _sustained_event
        events.append(event(draw, kind, _level(draw), start, end))
    return tuple(events)


def _level(draw: np.random.Generator) -> dict[str, Attribute]:
    """Far things have no level of their own: distance makes them quiet."""
    if draw.random() < 0.2:
        return {"level": "normal", "distance": "far"}
    level = draw.choice(("quiet", "normal", "loud"), p=(0.25, 0.45, 0.3))
    return {"level": str(level), "distance": "near"}


def _pitch(draw: np.random.Generator, kind: str) -> dict[str, Attribute]:
    bands = _PITCHES.get(kind)
    if bands is None:
        return {}
    pitch = str(draw.choice(list(bands)))
    return {"pitch": pitch, "frequency": round(float(draw.uniform(*bands[pitch])), 1)}


def _struck_event(
    draw: np.random.Generator,
    kind: str,
    attributes: dict[str, Attribute],
    earliest: float,
    latest: float,
) -> MadeEvent:
    """An event of so many strokes as fit between two times, with nothing cut off."""
    attributes = {**attributes, **_pitch(draw, kind)}
    stroke, room = STROKE_SECONDS[kind], latest - earliest
    speed = str(draw.choice(("fast", "slow")))
    interval = float(draw.uniform(*_INTERVALS[speed]))
    if kind == "bell":
        # Quick strokes would run into each other.
        speed, interval = "slow", float(draw.uniform(0.6, 0.9))
    fit = int((room - stroke) / interval) + 1
    if kind in _ONLY_REPEATED:
        if fit < _FEWEST_REPEATED:
            speed, interval = "fast", float(draw.uniform(*_INTERVALS["fast"]))
            fit = int((room - stroke) / interval) + 1
        times = fit
    else:
        counts = [times for times in _COUNTED if times <= fit]
        times = int(draw.choice([*counts, fit] if fit >= MANY else counts))
    if kind == "footsteps":
        attributes["surface"] = str(draw.choice(("gravel", "hard floor")))
    attributes["times"] = times
    if times > 1:
        attributes |= {"interval": round(interval, 4), "speed": speed}
    length = (times - 1) * round(interval, 4) + stroke
    start = earliest + float(draw.random()) * max(0.0, room - length)
    return MadeEvent(kind, attributes, round(start, 4), round(start + length, 4))


def _sustained_event(
    draw: np.random.Generator,
    kind: str,
    attributes: dict[str, Attribute],
    start: float,
    end: float,
) -> MadeEvent:
    attributes = {**attributes, **_pitch(draw, kind)}
    if kind == "siren":
        trend = str(draw.choice(("rising", "falling", "up and down")))
        attributes |= {"trend": trend, "span": round(float(draw.uniform(1.8, 2.4)), 3)}
        if trend == "up and down":
            speed = str(draw.choice(("slow", "fast")))
            swings = draw.uniform(0.8, 1.0) if speed == "slow" else draw.uniform(2.5, 3.5)
            attributes |= {"speed": speed, "swings": round(float(swings), 3)}
    elif kind == "engine":
        attributes["trend"] = str(draw.choice(("idling", "speeding up", "slowing down")))
    elif kind == "wind":
        attributes["flow"] = str(draw.choice(("steady", "gusty")))
        if attributes["flow"] == "gusty":
            attributes["swings"] = round(float(draw.uniform(0.7, 1.0)), 3)
    elif kind == "stream":
        attributes["flow"] = str(draw.choice(("steady", "bubbling")))
    return MadeEvent(kind, attributes, round(start, 4), round(end, 4))
