"""Sound events added up by family of AudioSet."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.selectors.analysis.profile import EventCount


@dataclass(frozen=True, slots=True)
class EventFamily:
    """The events of one family, each clip counted once for each event.

    ``told``: references name it; ``heard``: the system names it as well; ``said``:
    the system names it, be it right or not.
    """

    name: str
    told: int
    heard: int
    said: int

    @property
    def recall(self) -> float | None:
        """Share of what the references name that the system names."""
        return self.heard / self.told if self.told else None

    @property
    def precision(self) -> float | None:
        """Share of what the system names that a reference names."""
        return self.heard / self.said if self.said else None


def families_of(events: Iterable[EventCount]) -> tuple[EventFamily, ...]:
    """Add events up by family, the one that references name most first."""
    groups: dict[str, list[EventCount]] = {}
    for event in events:
        groups.setdefault(event.group, []).append(event)
    found = (_family(name, members) for name, members in groups.items())
    return tuple(sorted(found, key=lambda family: -family.told))


def _family(name: str, members: list[EventCount]) -> EventFamily:
    heard = sum(event.heard for event in members)
    return EventFamily(
        name=name,
        told=sum(event.told for event in members),
        heard=heard,
        said=heard + sum(event.imagined for event in members),
    )
