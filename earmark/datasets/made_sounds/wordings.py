"""What people say of each kind of sound: subjects and what they do.

"~" stands where an adjective may go ("a ~ bell rings"), "+" where an adverb of manner goes ("rings
loudly"). Articles before "~" are set right afterwards.
"""

from dataclasses import dataclass

from earmark.datasets.made_sounds.made_clip import MadeEvent


@dataclass(frozen=True, slots=True)
class SoundWording:
    """One way of saying a sound: who or what, and what it does, finite and as a participle."""

    subject: str
    finite: str
    participle: str


def _wordings(text: str) -> tuple[SoundWording, ...]:
    """Read lines of subject, finite verb and participle."""
    rows = [line.split("|") for line in text.strip().splitlines()]
    return tuple(SoundWording(*(part.strip() for part in row)) for row in rows)


_WORDINGS = {
    "tone": _wordings("""
        a ~ tone | sounds + without changing | sounding + without changing
        a ~ tone | is held + at one pitch | being held + at one pitch
        a ~ steady tone | plays + | playing +
        an electronic device | gives off a ~ constant tone + | giving off a ~ constant tone +
        a ~ electronic tone | continues + at the same pitch | continuing + at the same pitch
        a machine | produces a ~ continuous tone + | producing a ~ continuous tone +
        """),
    "siren rising": _wordings("""
        a ~ siren | rises + in pitch | rising + in pitch
        a ~ tone | climbs + from low to high | climbing + from low to high
        an ~ alarm | winds up + to a higher pitch | winding up + to a higher pitch
        a ~ siren | climbs + higher and higher | climbing + higher and higher
        a ~ electronic tone | slides + upwards | sliding + upwards
        """),
    "siren falling": _wordings("""
        a ~ siren | falls + in pitch | falling + in pitch
        a ~ tone | drops + from high to low | dropping + from high to low
        an ~ alarm | winds down + to a lower pitch | winding down + to a lower pitch
        a ~ siren | sinks + lower and lower | sinking + lower and lower
        a ~ electronic tone | slides + downwards | sliding + downwards
        """),
    "siren up and down": _wordings("""
        a ~ siren | wails + up and down | wailing + up and down
        an ~ alarm | goes + up and down in pitch | going + up and down in pitch
        a ~ emergency siren | rises and falls + | rising and falling +
        a ~ siren | swings + up and down in pitch | swinging + up and down in pitch
        a ~ electronic siren | warbles + between two pitches | warbling + between two pitches
        """),
    "hiss": _wordings("""
        air | hisses + without a break | hissing + without a break
        steam | escapes + with a ~ hiss | escaping + with a ~ hiss
        a ~ hiss | continues + at an even level | continuing + at an even level
        a valve | lets out hissing air + | letting out hissing air +
        gas | leaks + from a pipe with a ~ hiss | leaking + from a pipe with a ~ hiss
        a spray can | hisses + continuously | hissing + continuously
        """),
    "wind steady": _wordings("""
        a ~ wind | blows + without a pause | blowing + without a pause
        the wind | blows + evenly | blowing + evenly
        a ~ breeze | blows + steadily outdoors | blowing + steadily outdoors
        moving air | rumbles + at a constant level | rumbling + at a constant level
        the wind | rushes + at an even strength | rushing + at an even strength
        """),
    "wind gusty": _wordings("""
        the wind | blows + in gusts | blowing + in gusts
        gusts of ~ wind | come and go + | coming and going +
        a ~ wind | swells and dies down + | swelling and dying down +
        a ~ gusty wind | blows + outdoors | blowing + outdoors
        the wind | rises and falls + | rising and falling +
        """),
    "stream steady": _wordings("""
        water | runs + from a tap | running + from a tap
        a faucet | is running + | running +
        water | pours + into a sink | pouring + into a sink
        a shower | is running + with a ~ rush of water | running + with a ~ rush of water
        water | flows + in a steady stream | flowing + in a steady stream
        """),
    "stream bubbling": _wordings("""
        a ~ stream | gurgles + over stones | gurgling + over stones
        water | bubbles and trickles + | bubbling and trickling +
        a brook | babbles + | babbling +
        water | splashes and gurgles + in a small creek | splashing and gurgling + in a small creek
        a small fountain | bubbles + | bubbling +
        """),
    "engine idling": _wordings("""
        an ~ engine | idles + at a constant speed | idling + at a constant speed
        a ~ motor | runs + evenly | running + evenly
        a vehicle | idles + with a ~ hum | idling + with a ~ hum
        an ~ engine | hums + steadily | humming + steadily
        a machine | drones + at a constant pitch | droning + at a constant pitch
        """),
    "engine speeding up": _wordings("""
        an ~ engine | speeds up + | speeding up +
        a ~ motor | revs up + more and more | revving up + more and more
        a vehicle | accelerates + with a ~ roar | accelerating + with a ~ roar
        an ~ engine | rises + in speed and pitch | rising + in speed and pitch
        a machine | picks up speed + | picking up speed +
        """),
    "engine slowing down": _wordings("""
        an ~ engine | slows down + | slowing down +
        a ~ motor | winds down + little by little | winding down + little by little
        a vehicle | slows down + with a ~ growl | slowing down + with a ~ growl
        an ~ engine | drops + in speed and pitch | dropping + in speed and pitch
        a machine | loses speed + | losing speed +
        """),
    "buzz low": _wordings("""
        electricity | hums + with a ~ buzz | humming + with a ~ buzz
        an electric ~ hum | goes on + without a pause | going on + without a pause
        a transformer | buzzes + | buzzing +
        an electrical device | buzzes + at one pitch | buzzing + at one pitch
        a ~ buzzing hum | continues + | continuing +
        """),
    "buzz high": _wordings("""
        an ~ insect | buzzes + around | buzzing + around
        a ~ fly | buzzes + | buzzing +
        a ~ bee | hums and buzzes + | humming and buzzing +
        the wings of a ~ insect | buzz + without a pause | buzzing + without a pause
        a flying insect | makes + a ~ buzzing sound | making + a ~ buzzing sound
        """),
    "beep": _wordings("""
        a device | beeps + | beeping +
        a machine | beeps + with a ~ tone | beeping + with a ~ tone
        a ~ electronic beep | sounds + | sounding +
        an ~ alarm | beeps + | beeping +
        a ~ beep | rings out + | ringing out +
        a timer | gives a ~ beep + | giving a ~ beep +
        """),
    "knock": _wordings("""
        someone | knocks + on a door | knocking + on a door
        a person | knocks + on wood | knocking + on wood
        a hand | raps + on a wooden board | rapping + on a wooden board
        someone | taps + on a wooden table | tapping + on a wooden table
        a hard object | hits a piece of wood + | hitting a piece of wood +
        a ~ knock on wood | sounds + | sounding +
        """),
    "chirp": _wordings("""
        a ~ bird | chirps + | chirping +
        a ~ little bird | tweets + | tweeting +
        a ~ bird | calls + with a rising note | calling + with a rising note
        a ~ songbird | chirps + in a high voice | chirping + in a high voice
        the chirp of a ~ bird | rings out + | ringing out +
        """),
    "drops fast": _wordings("""
        water | drips + rapidly | dripping + rapidly
        drops of water | fall + quickly one after another | falling + quickly one after another
        a leaking tap | drips + fast | dripping + fast
        water droplets | plop + in quick succession | plopping + in quick succession
        water | drips + quickly into a bowl | dripping + quickly into a bowl
        """),
    "drops slow": _wordings("""
        water | drips + slowly | dripping + slowly
        drops of water | fall + slowly one by one | falling + slowly one by one
        a leaking tap | drips + at a slow pace | dripping + at a slow pace
        water droplets | plop + with pauses in between | plopping + with pauses in between
        water | drips + slowly into a bowl | dripping + slowly into a bowl
        """),
    "footsteps fast gravel": _wordings("""
        someone | runs + on gravel | running + on gravel
        a person | walks + quickly over loose stones | walking + quickly over loose stones
        ~ footsteps | crunch + quickly on gravel | crunching + quickly on gravel
        a person | hurries + along a gravel path | hurrying + along a gravel path
        quick ~ steps | crunch + over gravel | crunching + over gravel
        """),
    "footsteps slow gravel": _wordings("""
        someone | walks + slowly on gravel | walking + slowly on gravel
        a person | strolls + over loose stones | strolling + over loose stones
        ~ footsteps | crunch + slowly on gravel | crunching + slowly on gravel
        a person | walks + at a slow pace on gravel | walking + at a slow pace on gravel
        slow ~ steps | crunch + over gravel | crunching + over gravel
        """),
    "footsteps fast hard floor": _wordings("""
        someone | runs + across a hard floor | running + across a hard floor
        a person | walks + quickly on a hard floor | walking + quickly on a hard floor
        ~ footsteps | tap + quickly over a hard surface | tapping + quickly over a hard surface
        a person | hurries + over a solid floor | hurrying + over a solid floor
        quick ~ steps | sound + on a hard floor | sounding + on a hard floor
        """),
    "footsteps slow hard floor": _wordings("""
        someone | walks + slowly across a hard floor | walking + slowly across a hard floor
        a person | strolls + over a solid floor | strolling + over a solid floor
        ~ footsteps | tap + slowly on a hard surface | tapping + slowly on a hard surface
        a person | walks + at a slow pace on a hard floor | walking + at a slow pace on a hard floor
        slow ~ steps | sound + on a hard floor | sounding + on a hard floor
        """),
    "bell": _wordings("""
        a ~ bell | rings + | ringing +
        a ~ bell | is struck + | being struck +
        a ~ metal bell | chimes + | chiming +
        someone | rings a ~ bell + | ringing a ~ bell +
        a ~ bell | sounds + | sounding +
        """),
}


def wordings_of(event: MadeEvent) -> tuple[SoundWording, ...]:
    """All ways of saying an event that are true of it."""
    kind = event.kind
    variant = {
        "siren": event.text("trend"),
        "engine": event.text("trend"),
        "wind": event.text("flow"),
        "stream": event.text("flow"),
        "buzz": event.text("pitch"),
        "drops": event.text("speed"),
        "footsteps": f"{event.text('speed')} {event.text('surface')}",
    }.get(kind, "")
    return _WORDINGS[f"{kind} {variant}".strip()]
