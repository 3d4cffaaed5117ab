"""Agreement in a project as its page and the API show it to a viewer, with its figure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.agreement.captions import Dispute, disputes_of, of_pair, pairs_of
from annotation.agreement.measures import (
    STEP,
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
from leaderboard.selectors.figures.figure import Figure, Numbers, axis, base_layout, three
from leaderboard.web.refusals import Refused


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
    project: Project, viewer: AgreementViewer, answers: AnswerVersion = AnswerVersion.FIRST
) -> AgreementData:
    """Read what is compared, without the captions that are hidden from who looks."""
    data, hidden = agreement_data(project, answers), frozenset(viewer.hidden)
    shown = tuple(caption for caption in data.captions if caption.key not in hidden)
    yours = len(data.captions) - len(shown)
    left_out = {**data.left_out, "yours": yours} if yours else data.left_out
    return replace(data, captions=shown, left_out=left_out)


def people_in(data: AgreementData, viewer: AgreementViewer) -> tuple[Person, ...]:
    """The people in the captions, in the order of joining."""
    return tuple(
        Person(
            key,
            number,
            name if viewer.named else "You" if key == viewer.own else f"Annotator {number}",
        )
        for number, (key, name) in enumerate(data.people.items(), 1)
    )


Pair = tuple[Person, Person]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How people agree; of one ``pair`` everything, of all ``pairs`` captions and ``kappa``.

    ``table`` counts words by what one of the pair and the other call them; for who
    looks ``blind`` by what any two people call them, both ways alike.
    """

    data: AgreementData
    people: tuple[Person, ...]
    pair: Pair
    measured: PairAgreement
    pairs: tuple[dict[str, Any], ...]
    alpha: Estimate
    trend: list[Stretch]
    disputes: list[Dispute]
    table: tuple[tuple[int, ...], ...]
    blind: bool


def agreement_report(
    project: Project,
    viewer: AgreementViewer,
    one: int | None,
    other: int | None,
    answers: AnswerVersion = AnswerVersion.FIRST,
) -> tuple[AgreementData, AgreementReport | None]:
    """Measure agreement, of the pair with these numbers or of the one with most captions.

    None where no caption was accepted by two people yet.
    """
    data = agreement_data_for(project, viewer, answers)
    people, pairs = people_in(data, viewer), pairs_of(data.captions)
    if not pairs:
        return data, None
    pair = chosen_pair(people, pairs, one, other)
    keys = pair[0].key, pair[1].key
    measured = pair_agreement(data.captions, *keys, data.names)
    return data, AgreementReport(
        data=data,
        people=people,
        pair=pair,
        measured=measured,
        pairs=_rows(data, people, pairs, measured),
        alpha=alpha_of_all(data.captions, data.names),
        trend=trend_of(of_pair(data.captions, *keys), data.names, pair=keys),
        disputes=disputes_of(data.captions),
        table=either_counts(data.captions, data.names) if viewer.blind else measured.table,
        blind=viewer.blind,
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
    if one is None or other is None:
        raise Refused("Choose two people: one of the two numbers is missing.", status=404)
    by_number = {person.number: person for person in people}
    a, b = by_number.get(one), by_number.get(other)
    if a is None or b is None or tuple(sorted((a.key, b.key))) not in pairs:
        raise Refused(f"No caption has been accepted by both {one} and {other}.", status=404)
    return a, b


def _rows(
    data: AgreementData,
    people: tuple[Person, ...],
    pairs: dict[tuple[str, str], int],
    measured: PairAgreement,
) -> tuple[dict[str, Any], ...]:
    """Every pair with its headline, in the order of the people; ``shown`` is the one looked at."""
    rows = []
    for keys, captions in pairs.items():
        one, other = (person for person in people if person.key in keys)
        shown = {one.key, other.key} == {measured.one, measured.other}
        kappa = measured.kappa if shown else pair_kappa(data.captions, *keys, data.names)
        row = {"one": one, "other": other, "captions": captions, "kappa": kappa, "shown": shown}
        rows.append(row)
    return tuple(sorted(rows, key=lambda row: (row["one"].number, row["other"].number)))


def trend_figure(stretches: Sequence[Stretch], measure: str, who: str) -> Figure:
    """Agreement, with its intervals, in the order in which captions were finished."""
    known = [row for row in stretches if row.agreement.value is not None]
    return Figure(
        name="trend",
        title=f"{measure} of {who} over time",
        alt="A line with intervals; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [row.last for row in known],
                "y": [round(row.agreement.value or 0.0, 4) for row in known],
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(row.agreement, row.agreement.high) for row in known],
                    "arrayminus": [_reach(row.agreement, row.agreement.low) for row in known],
                    "thickness": 1,
                },
                "marker": {"size": 8},
                "hovertemplate": "Captions up to %{x}: %{y:.3f}<extra></extra>",
            }
        ],
        layout=base_layout(
            300,
            xaxis=axis("Captions, in the order in which they were finished", rangemode="tozero"),
            yaxis=axis(measure, range=[min([0.0, *map(_lowest, known)]), 1.05]),
        ),
        numbers=Numbers(
            ("Captions", "Finished until", measure, "95 % interval", "Words"),
            tuple(
                (
                    f"{row.first} to {row.last}",
                    f"{row.until:%Y-%m-%d}" if row.until else "",
                    three(row.agreement.value),
                    between(row.agreement),
                    f"{row.agreement.n:,}",
                )
                for row in stretches
            ),
        ),
        guide="reference/agreement",
        point=f"{STEP} captions that both have finished",
    )


def between(estimate: Estimate) -> str:
    """Write the interval of an estimate."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.3f} to {estimate.high:.3f}"


def _reach(estimate: Estimate, bound: float | None) -> float:
    if bound is None or estimate.value is None:
        return 0.0
    return round(abs(bound - estimate.value), 4)


def _lowest(stretch: Stretch) -> float:
    low, value = stretch.agreement.low, stretch.agreement.value
    return (value if low is None else low) or 0.0
