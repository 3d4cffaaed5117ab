"""Processes that are frozen and wake late."""

import os
import signal
import time

from tests.chaos.faults.registry import fault
from tests.chaos.programs import until
from tests.chaos.site import BOUND_SECONDS, LEASE_SECONDS, Site
from tests.chaos.visitors import Trial


@fault("A worker frozen at half of the clips wakes when another has done its work", short=True)
def frozen_at_half(site: Site, trial: Trial) -> None:
    _frozen_at("half", site, trial)


@fault("A worker frozen before it writes its results wakes when another has written them")
def frozen_when_scored(site: Site, trial: Trial) -> None:
    _frozen_at("scored", site, trial)


@fault("A worker is frozen within the transaction of its results; others go on meanwhile")
def frozen_when_written(site: Site, trial: Trial) -> None:
    _frozen_at("written", site, trial)


def _frozen_at(step: str, site: Site, trial: Trial) -> None:
    site.ask_to_stop_at(step)
    trial.submit()
    with site.frozen(site.program_of(site.stopped_at(step))):
        # It does not see this before it wakes, and then at once.
        site.let_go()
        until(trial.ended, seconds=BOUND_SECONDS, what="others do its work")


@fault("The maintenance process is frozen, a worker is killed, and it wakes late")
def frozen_maintenance(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("half")
    with site.frozen(site.programs["maintenance"]):
        trial.submit()
        site.program_of(site.stopped_at("half")).kill()
        site.revive()
        time.sleep(2 * LEASE_SECONDS)


@fault("A web process is frozen with an upload in it; others are served by the other")
def frozen_web(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("read")
    submitting = trial.submit_meanwhile("Ada")
    process = site.stopped_at("read")
    os.kill(process, signal.SIGSTOP)
    site.let_go()
    trial.submit("Ben", "Cleo")
    os.kill(process, signal.SIGCONT)
    submitting.result()
