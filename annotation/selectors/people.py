"""Who people are to those who look at agreement."""

from dataclasses import dataclass

from annotation.selectors.agreement import Reading


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who labelled, by a number from 1 and the name under which the viewer sees them."""

    key: str
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class Eye:
    """Who looks: managers see names, others numbers, and everyone knows themselves."""

    named: bool
    own: str


def people_of(reading: Reading, eye: Eye) -> tuple[Person, ...]:
    """Give the people in the captions, in the order of joining."""
    return tuple(
        Person(key, number, _name(key, number, name, eye))
        for number, (key, name) in enumerate(reading.people.items(), 1)
    )


def _name(key: str, number: int, name: str, eye: Eye) -> str:
    if eye.named:
        return name
    return "You" if key == eye.own else f"Annotator {number}"
