"""What the literature reports of people who label with these inventories."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reported:
    """Cohen's kappa as reported for pairs of people, by number of labels ("none" included)."""

    labels: int
    kappas: tuple[str, ...]


LITERATURE = (Reported(13, (".794",)), Reported(10, (".808", ".836", ".839")))
