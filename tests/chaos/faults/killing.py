"""Processes that are killed."""

import os
import signal
from functools import partial

from tests.chaos.faults.registry import FAULTS, Fault, fault
from tests.chaos.hooks import STEPS, Step
from tests.chaos.site import Site
from tests.chaos.visitors import Trial, systems


def _killed_at(step: Step, site: Site, trial: Trial) -> None:
    """Kill the program whose process comes to a step."""
    site.ask_to_stop_at(step.name)
    submitting = trial.submit_meanwhile()
    program = site.program_of(site.stopped_at(step.name))
    program.kill()
    site.let_go()
    program.start()
    submitting.result()


for _step in STEPS.values():
    FAULTS[f"killed-{_step.name}"] = Fault(
        f"killed-{_step.name}",
        f"SIGKILL when {_step.sentence}",
        partial(_killed_at, _step),
        short=_step.name in {"stored", "half", "written"},
    )


@fault("SIGKILL of the computing process alone, not of its worker", short=True)
def killed_child(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("half")
    trial.submit()
    os.kill(site.stopped_at("half"), signal.SIGKILL)


@fault("SIGKILL of everything at once, PostgreSQL, broker and cache too")
def killed_all(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("written")
    trial.submit()
    site.stopped_at("written")
    site.stop()
    site.let_go()
    site.revive()


@fault("The web processes are killed three times while thirty systems are handed in")
def killed_web_in_a_rush(site: Site, trial: Trial) -> None:
    submitting = trial.submit_meanwhile(*systems(30))
    for done in (5, 12, 20):
        trial.wait_for(done)
        site.programs["web"].kill()
        site.programs["web"].start()
    submitting.result()
