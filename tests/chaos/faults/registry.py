"""All faults by name."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.site import Site
from tests.chaos.visitors import Trial

Act = Callable[[Site, Trial], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong."""

    name: str
    sentence: str
    act: Act
    short: bool = False


class CannotTry(Exception):
    """This machine does not allow the fault to be made."""


FAULTS: dict[str, Fault] = {}


def fault(sentence: str, *, short: bool = False) -> Callable[[Act], Act]:
    """Add a fault; its name is the function's."""

    def added(act: Act) -> Act:
        name = act.__name__.replace("_", "-")
        FAULTS[name] = Fault(name, sentence, act, short)
        return act

    return added
