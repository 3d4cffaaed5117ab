"""Agreement in a project as its page and the API show it to a viewer."""

from dataclasses import dataclass, replace

from annotation.agreement.captions import Dispute, disputes_of, of_pair, pairs_of
from annotation.agreement.measures import (
    Estimate,
    PairAgreement,
    Stretch,
    alpha_of_all,
    pair_agreement,
    pair_kappa,
    trend_of,
)
from annotation.agreement.tables import either_counts
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


Pair = tuple[Person, Person]


class NoSuchPair(Exception):
    """Two numbers that are not those of two people with a caption in common."""

    def __init__(self, one: int | None, other: int | None) -> None:
        super().__init__(f"No caption has been accepted by both {one} and {other}.")


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair with its headline; ``shown`` is the one that is looked at."""

    one: Person
    other: Person
    captions: int
    kappa: Estimate
    shown: bool


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How people agree; of one ``pair`` everything, of the others the headline.

    ``table`` counts words by what one of the pair and the other call them; for who
    looks ``blind`` by what any two people call them, both ways alike.
    """

    reading: AgreementData
    people: tuple[Person, ...]
    pair: Pair
    found: PairAgreement
    pairs: tuple[PairRow, ...]
    alpha: Estimate
    trend: list[Stretch]
    disputes: list[Dispute]
    table: tuple[tuple[int, ...], ...]
    blind: bool


def agreement_report(
    project: Project,
    eye: AgreementViewer,
    one: int | None,
    other: int | None,
    answers: AnswerVersion = AnswerVersion.FIRST,
) -> tuple[AgreementData, AgreementReport | None]:
    """Measure agreement, of the pair with these numbers or of the one with most captions.

    None where no caption was accepted by two people yet. Raises ``NoSuchPair``.
    """
    reading = agreement_data_for(project, eye, answers)
    people, pairs = people_in(reading, eye), pairs_of(reading.captions)
    if not pairs:
        return reading, None
    pair = chosen_pair(people, pairs, one, other)
    keys = pair[0].key, pair[1].key
    found = pair_agreement(reading.captions, *keys, reading.names)
    return reading, AgreementReport(
        reading=reading,
        people=people,
        pair=pair,
        found=found,
        pairs=_rows(reading, people, pairs, found),
        alpha=alpha_of_all(reading.captions, reading.names),
        trend=trend_of(of_pair(reading.captions, *keys), reading.names, pair=keys),
        disputes=disputes_of(reading.captions),
        table=either_counts(reading.captions, reading.names) if eye.blind else found.table,
        blind=eye.blind,
    )


def chosen_pair(
    people: tuple[Person, ...],
    pairs: dict[tuple[str, str], int],
    one: int | None,
    other: int | None,
) -> Pair:
    """Choose the pair with these numbers, without any the one with most captions in common."""
    if one is None and other is None and pairs:
        keys = max(pairs, key=lambda pair: (pairs[pair], pair))
        first, second = (person for person in people if person.key in keys)
        return first, second
    by_number = {person.number: person for person in people}
    chosen = by_number.get(one or 0), by_number.get(other or 0)
    if chosen[0] is None or chosen[1] is None:
        raise NoSuchPair(one, other)
    if tuple(sorted((chosen[0].key, chosen[1].key))) not in pairs:
        raise NoSuchPair(one, other)
    return chosen[0], chosen[1]


def _rows(
    reading: AgreementData,
    people: tuple[Person, ...],
    pairs: dict[tuple[str, str], int],
    found: PairAgreement,
) -> tuple[PairRow, ...]:
    """Give every pair with its headline, in the order of the people."""
    rows = []
    for keys, captions in pairs.items():
        one, other = (person for person in people if person.key in keys)
        shown = {one.key, other.key} == {found.one, found.other}
        kappa = found.kappa if shown else pair_kappa(reading.captions, *keys, reading.names)
        rows.append(PairRow(one, other, captions, kappa, shown))
    return tuple(sorted(rows, key=lambda row: (row.one.number, row.other.number)))
