"""What goes wrong: one small function each, with a name and a sentence.

To add one, write a function of the site and a trial into the module of its kind and decorate it
with its sentence. It hands in what it needs (``trial.submit``), does its harm and undoes it; what
must hold afterwards is asked of every fault alike (``invariants``). ``short=True`` takes it into
the short form, too.
"""

from tests.chaos.faults import freezing, killing, messages, resources, services
from tests.chaos.faults.registry import FAULTS, Fault

__all__ = ["FAULTS", "Fault", "freezing", "killing", "messages", "resources", "services"]
