"""Try every fault on a site of its own: python -m tests.chaos [--short] [--only NAME]."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import django

from tests.chaos.site import BOUND_SECONDS, Site

if TYPE_CHECKING:
    from tests.chaos.faults import Fault
    from tests.chaos.invariants import Board, Outcome
    from tests.chaos.visitors import Person


def main() -> int:
    """Run the faults that were asked for; returns the exit status."""
    options = _options()
    signal.signal(signal.SIGTERM, _interrupt)
    began = time.monotonic()
    with _site(keep=options.keep) as site:
        os.environ.update(site.environment())
        django.setup()
        from tests.chaos.faults import FAULTS
        from tests.chaos.table import say

        chosen = [
            fault
            for fault in FAULTS.values()
            if (not options.only or any(name in fault.name for name in options.only))
            and (fault.short or not options.short)
        ]
        if options.list:
            say("\n".join(f"{fault.name:32} {fault.sentence}" for fault in chosen))
            return 0
        _prepare(site)
        outcomes = _try_all(site, chosen)
    say(f"{time.monotonic() - began:.0f} s in all, with starting and ending the site.")
    bad = [text for one in outcomes for text in (*one.lost, *one.stuck)]
    return 1 if bad else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--short", action="store_true", help="some of the faults, for CI")
    parser.add_argument("--only", action="append", metavar="NAME", help="faults of such a name")
    parser.add_argument("--list", action="store_true", help="list the faults and end")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    return parser.parse_args()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def _site(*, keep: bool) -> Iterator[Site]:
    folder = Path(tempfile.mkdtemp(prefix="earmark-chaos-"))
    site = Site(folder)
    try:
        yield site
    finally:
        site.stop()
        if keep:
            sys.stderr.write(f"Logs: {folder / 'logs'}\n")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _prepare(site: Site) -> None:
    from django.core.management import call_command

    site.start_services()
    call_command("migrate", interactive=False, verbosity=0)
    site.start()


def _try_all(site: Site, chosen: "list[Fault]") -> "list[Outcome]":
    from tests.chaos import table
    from tests.chaos.visitors import sign_up

    people = sign_up(site.address)
    expected = _undisturbed(site, people)
    table.say(table.head())
    outcomes = []
    for fault in chosen:
        outcome = _try(site, fault, people, expected)
        outcomes.append(outcome)
        table.say(table.row(outcome.fault, [outcome]))
        for text in (*outcome.lost, *outcome.stuck):
            table.say(f"    {text}")
    table.say(table.row(f"{len(outcomes)} faults", outcomes, mark="**"))
    return outcomes


def _undisturbed(site: Site, people: "list[Person]") -> "Board":
    """The leaderboard of the same captions where nothing goes wrong."""
    from tests.chaos.invariants import board_of, losses, settle
    from tests.chaos.programs import SiteBroken
    from tests.chaos.visitors import Trial

    trial = Trial.begin("undisturbed", people)
    trial.submit()
    if wrong := settle(site, trial) or losses(trial, {}):
        raise SiteBroken(f"Without a fault: {wrong}")
    return board_of(trial)


def _try(site: Site, fault: "Fault", people: "list[Person]", expected: "Board") -> "Outcome":
    from earmark.client.command_line import ClientError
    from tests.chaos.faults.registry import CannotTry
    from tests.chaos.invariants import Outcome, losses, settle
    from tests.chaos.programs import SiteBroken
    from tests.chaos.visitors import Trial

    began = time.monotonic()
    outcome, trial = Outcome(fault.sentence), Trial.begin(fault.name, people)
    try:
        fault.act(site, trial)
    except CannotTry as error:
        outcome.fault += f" (not tried: {error})"
    except (SiteBroken, ClientError) as error:
        outcome.stuck.append(f"{type(error).__name__}: {error}")
    finally:
        site.let_go()
    outcome.stuck += settle(site, trial, seconds=BOUND_SECONDS)
    outcome.tried = len(trial.accepted)
    outcome.lost += losses(trial, expected)
    outcome.seconds = time.monotonic() - began
    return outcome


if __name__ == "__main__":
    sys.exit(main())
