"""SPICE+: SPICE over graphs that hold more of what a caption says.

Source: Gontier et al., SPICE+, ICASSP 2023.
"""

from scoring.metrics.spice.graphs import PARSERS
from scoring.metrics.spice.metric import Spice
from scoring.metrics.spice.rules import RuleSet
from scoring.metrics.spice_plus import FAMILY


class SpicePlus(Spice):
    """SPICE with the rules of SPICE+: more of what a caption says becomes tuples."""

    name = "spice_plus"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spice_plus",)
    rule_set: RuleSet = "plus"

    def __init__(self) -> None:
        super().__init__(parser=PARSERS["plus"])
