"""SPICE+: SPICE over graphs that hold more of what a caption says.

Source: Gontier et al., SPICE+, ICASSP 2023.
"""

from collections.abc import Mapping

from earmark.errors import UnusableParameter
from earmark.metrics.spice.graphs import PARSERS
from earmark.metrics.spice.metric import Spice
from earmark.metrics.spice.rules import RuleSet
from earmark.metrics.spice_plus import FAMILY


class SpicePlus(Spice):
    """SPICE with the rules of SPICE+: more of what a caption says becomes tuples.

    ``of_phrases``: in "A of B", B alone stands for A ("second", as section 2.1 has it), or
    both stay, and B has the attributes of A as well ("both", as in the examples that the
    authors published). Raises ``UnusableParameter``.
    """

    name = "spice_plus"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("spice_plus",)

    def __init__(self, *, of_phrases: str = "second") -> None:
        super().__init__(parser=PARSERS["plus"])
        self.rule_set = plus_rules(self.name, of_phrases)


def plus_rules(family: str, of_phrases: str) -> RuleSet:
    """Rule set for a reading of "A of B"; raise ``UnusableParameter`` for another one."""
    sets: Mapping[str, RuleSet] = {"second": "plus", "both": "plus_both"}
    if of_phrases not in sets:
        raise UnusableParameter(family, "of_phrases", of_phrases, '"second" or "both"')
    return sets[of_phrases]
