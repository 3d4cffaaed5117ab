"""Who people are to those who look at agreement."""

from dataclasses import dataclass, replace

from annotation.models import Project
from annotation.selectors.agreement.answers import AgreementData, AnswerVersion, agreement_data


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who labelled, by a number from 1 and the name under which the viewer sees them."""

    key: str
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class AgreementViewer:
    """Who looks: managers see names, others numbers, and everyone knows themselves.

    ``blind``: who settles without knowing who said what; nothing may tell them by
    caption, nor by counts of few words, which of two people said it. ``hidden`` are
    items that they may still label, of which they see nothing.
    """

    named: bool
    own: str
    blind: bool = False
    hidden: tuple[int, ...] = ()


def agreement_data_for(
    project: Project, eye: AgreementViewer, answers: AnswerVersion = AnswerVersion.FIRST
) -> AgreementData:
    """Read what is compared, without the captions that are hidden from who looks."""
    reading, hidden = agreement_data(project, answers), frozenset(eye.hidden)
    seen = tuple(caption for caption in reading.captions if caption.key not in hidden)
    left_out = replace(reading.left_out, yours=len(reading.captions) - len(seen))
    return replace(reading, captions=seen, left_out=left_out)


def people_in(reading: AgreementData, eye: AgreementViewer) -> tuple[Person, ...]:
    """Give the people in the captions, in the order of joining."""
    return tuple(
        Person(key, number, _name(key, number, name, eye))
        for number, (key, name) in enumerate(reading.people.items(), 1)
    )


def _name(key: str, number: int, name: str, eye: AgreementViewer) -> str:
    if eye.named:
        return name
    return "You" if key == eye.own else f"Annotator {number}"
