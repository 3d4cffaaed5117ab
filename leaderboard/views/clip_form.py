"""The form above a list of clips: what can be chosen, what is, and how to take it back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.models import Submission
from leaderboard.selectors.captions import references_of
from leaderboard.selectors.clip_filters import (
    FACETS,
    Choice,
    ClipFilter,
    Facet,
    Findings,
    choices_of,
)
from leaderboard.views.clip_asked import MOST_BESIDE, Asked

ORDERS = {"worst": "Worst first", "best": "Best first", "file": "As in the references"}
ORDERS_OF_SEVERAL = {
    "ahead": "Largest difference, this one ahead",
    "behind": "Largest difference, the other ahead",
    "spread": "Largest spread over the systems",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One facet to choose clips by: its modes and, in the mode asked for, its choices."""

    facet: Facet
    mode: str
    chosen: str
    choices: tuple[Choice, ...]

    @property
    def modes(self) -> Sequence[tuple[str, str]]:
        """Names and titles of the modes; none where there is nothing to choose."""
        return tuple(self.facet.modes.items()) if len(self.facet.modes) > 1 else ()


@dataclass(frozen=True, slots=True)
class Chip:
    """An active filter in words, and the query of the address without it."""

    filter: ClipFilter
    title: str
    query: str


@dataclass(frozen=True, slots=True)
class FilterForm:
    """The filters that the details of a system allow, and those that are active.

    ``fields`` is empty until someone wants to choose.
    """

    fields: tuple[Field, ...]
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """A system that stands beside this one, and the query of the address without it."""

    system: Submission
    query: str


@dataclass(frozen=True, slots=True)
class Chooser:
    """The systems beside this one, and those that can be added."""

    chosen: tuple[Beside, ...]
    addable: tuple[Submission, ...]


def order_choices(systems: Sequence[Submission]) -> list[tuple[str, str]]:
    """List the orders; differences only where there are several systems."""
    return list((ORDERS | ORDERS_OF_SEVERAL if len(systems) > 1 else ORDERS).items())


def filter_form(asked: Asked, findings: Findings) -> FilterForm:
    """Lay out the filters; a facet without details is not offered."""
    return FilterForm(
        fields=tuple(_field(FACETS[name], asked, findings) for name in findings),
        chips=tuple(_chip(one, asked) for one in asked.filters),
    )


def _field(facet: Facet, asked: Asked, findings: Findings) -> Field:
    active = asked.filter(facet.name)
    mode = facet.mode(asked.modes.get(facet.name, ""))
    choices = choices_of(findings, facet.name, mode)
    chosen = active.name if active else ""
    if chosen and all(choice.name != chosen for choice in choices):
        # What is asked for must not change because the form is sent again.
        choices.insert(0, Choice(chosen, 0))
    return Field(facet, mode, chosen, tuple(choices))


def _chip(one: ClipFilter, asked: Asked) -> Chip:
    facet = FACETS[one.facet]
    return Chip(one, facet.modes[one.mode], asked.without(facet=one.facet).query())


def chooser_of(
    asked: Asked, systems: Sequence[Submission], others: Iterable[Submission]
) -> Chooser:
    """Lay out which systems stand beside the first one and which can."""
    chosen = systems[1:]
    return Chooser(
        chosen=tuple(
            Beside(system, asked.without(system=system.public_id).query()) for system in chosen
        ),
        addable=tuple(
            other for other in others if other not in chosen and _same_clips(other, systems[0])
        )
        if len(chosen) < MOST_BESIDE
        else (),
    )


def _same_clips(other: Submission, system: Submission) -> bool:
    theirs, ours = other.reference_set, system.reference_set
    if theirs is None or ours is None:
        return False
    hashes = {theirs.content_hash, ours.content_hash}
    return len({references_of(content_hash).file_names for content_hash in hashes}) == 1
