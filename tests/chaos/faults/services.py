"""Broker, cache and database that go away, forget, or say nothing."""

import signal
import time

from tests.chaos.faults.registry import fault
from tests.chaos.site import LEASE_SECONDS, Site
from tests.chaos.visitors import Trial, systems


@fault("The broker loses all messages", short=True)
def broker_flushed(site: Site, trial: Trial) -> None:
    with site.frozen(*site.workers):
        trial.submit()
        site.broker.flushall()


@fault("The broker is away while people hand in", short=True)
def broker_away(site: Site, trial: Trial) -> None:
    with site.away("broker"):
        trial.submit()


@fault("The broker takes connections and says nothing")
def broker_silent(site: Site, trial: Trial) -> None:
    with site.frozen(site.programs["broker"]):
        trial.submit("Ada")
    trial.submit("Ben", "Cleo")


@fault("The broker's memory is full: it takes no message")
def broker_full(site: Site, trial: Trial) -> None:
    site.broker.config_set("maxmemory", 1)
    try:
        trial.submit()
    finally:
        site.broker.config_set("maxmemory", 0)


@fault("The cache is away while people log in, look and hand in", short=True)
def cache_away(site: Site, trial: Trial) -> None:
    with site.away("cache"):
        _log_in_and_look(trial)
        trial.submit()


@fault("The cache takes connections and says nothing")
def cache_silent(site: Site, trial: Trial) -> None:
    with site.frozen(site.programs["cache"]):
        _log_in_and_look(trial)
        trial.submit()


def _log_in_and_look(trial: Trial) -> None:
    """What people do on the pages, which goes on whatever happens to the cache."""
    person = trial.people[0]
    person.log_in_anew().raise_for_status()
    person.look(f"/c/{trial.phase.challenge.slug}/{trial.phase.slug}/").raise_for_status()


@fault("PostgreSQL crashes in the middle of everything and is started again", short=True)
def database_crashed(site: Site, trial: Trial) -> None:
    submitting = trial.submit_meanwhile(*systems(8))
    for done in (2, 5):
        trial.wait_for(done)
        site.programs["postgres"].stop(signal.SIGQUIT)
        site.programs["postgres"].start()
    submitting.result()


@fault("PostgreSQL is away when results are to be written, for longer than a lease")
def database_away(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("scored")
    trial.submit()
    site.stopped_at("scored")
    with site.away("postgres"):
        site.let_go()
        time.sleep(2 * LEASE_SECONDS)


@fault("PostgreSQL takes connections and says nothing for longer than a lease")
def database_silent(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("scored")
    trial.submit()
    site.stopped_at("scored")
    with site.frozen(site.programs["postgres"]):
        site.let_go()
        time.sleep(2 * LEASE_SECONDS)
