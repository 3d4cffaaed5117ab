"""Sounds in general words, for systems that say less than the references, or other things."""

from scoring.datasets.made_sounds import MadeEvent

_TIMES = {1: "once", 2: "twice", 3: "three times", 4: "four times"}
_GENERAL = {
    "tone": "a device plays a steady tone",
    "siren rising": "a siren is rising in pitch",
    "siren falling": "a siren is falling in pitch",
    "siren up and down": "a siren is wailing up and down",
    "hiss": "air is hissing without a break",
    "wind": "the wind is blowing outdoors",
    "stream steady": "water is running from a tap",
    "stream bubbling": "water is bubbling in a stream",
    "engine idling": "an engine is running at a constant speed",
    "engine speeding up": "an engine is speeding up",
    "engine slowing down": "an engine is slowing down",
    "buzz low": "an electric hum is buzzing",
    "buzz high": "an insect is buzzing around",
    "beep": "an electronic device is beeping",
    "knock": "someone is knocking on wood",
    "chirp": "a small bird is chirping",
    "drops": "drops of water are dripping",
    "footsteps gravel": "a person is walking on gravel",
    "footsteps hard floor": "a person is walking on a hard floor",
    "bell": "a metal bell is ringing",
}
_FEW_WORDS = {
    "tone": "steady tone",
    "siren": "siren wailing",
    "hiss": "hissing air",
    "wind": "wind blowing",
    "stream": "running water",
    "engine idling": "engine idling",
    "engine speeding up": "engine speeding up",
    "engine slowing down": "engine slowing down",
    "buzz low": "electric hum",
    "buzz high": "insect buzzing",
    "beep": "device beeping",
    "knock": "knocking on wood",
    "chirp": "bird chirping",
    "drops": "water dripping",
    "footsteps gravel": "footsteps on gravel",
    "footsteps hard floor": "footsteps on floor",
    "bell": "bell ringing",
}
_THINGS = {
    "tone": "a steady tone",
    "siren": "a siren",
    "hiss": "hissing air",
    "wind": "the wind",
    "stream": "running water",
    "engine": "an engine",
    "buzz low": "an electric hum",
    "buzz high": "an insect",
    "beep": "a beeping device",
    "knock": "a knock on wood",
    "chirp": "a chirping bird",
    "drops": "dripping water",
    "footsteps": "footsteps",
    "bell": "a ringing bell",
}


def general_words(event: MadeEvent) -> str:
    """A plain clause, with the number of times or the distance where there is one."""
    text = _of(_GENERAL, event)
    if times := _TIMES.get(int(event.number("times"))):
        text = f"{text} {times}"
    return f"{text} in the distance" if event.text("distance") == "far" else text


def few_words(event: MadeEvent) -> str:
    """Two to four words."""
    loud = "loud " if event.text("level") == "loud" else ""
    return loud + _of(_FEW_WORDS, event)


def thing(event: MadeEvent) -> str:
    """What sounds, as a thing."""
    return _of(_THINGS, event)


def _of(words: dict[str, str], event: MadeEvent) -> str:
    """The entry of the kind, or of the kind with one of its attributes."""
    for name in ("trend", "flow", "pitch", "surface"):
        if found := words.get(f"{event.kind} {event.text(name)}"):
            return found
    return words[event.kind]
