"""Disk, memory, models and clocks."""

import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from earmark.client.command_line import ClientError
from leaderboard.models import EvaluationState
from tests.chaos.faults.registry import CannotTry, fault
from tests.chaos.programs import SiteBroken, until
from tests.chaos.site import BOUND_SECONDS, LEASE_SECONDS, Site
from tests.chaos.visitors import Trial


@contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    """Put a small disk that is full in the place of a folder; that takes root."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotTry(f"no disk can be mounted: {done.stderr.strip()}")
    try:
        _fill(folder / "full")
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return


@fault("The disk of uploads is full; it is told, and later they are taken", short=True)
def disk_full_for_uploads(site: Site, trial: Trial) -> None:
    # Large enough that the web process puts it down on disk.
    report = b"%PDF-1.4" + b"x" * 3_000_000
    with _full_disk(site.var / "uploads"):
        trial.submit("Ada")
        try:
            trial.people[1].submit(trial.phase, "Ben", within=0, report=report)
        except ClientError as error:
            if "no room" not in str(error):
                raise SiteBroken(f"A full disk is told as: {error}") from error
    trial.submit("Ben", "Cleo", report=report)


@fault("The disk of the scorer's cache is full")
def disk_full_for_cache(site: Site, trial: Trial) -> None:
    with _full_disk(site.var / "cache"):
        trial.submit()
        until(trial.ended, seconds=BOUND_SECONDS, what="all is scored all the same")


@fault("The clock of one worker is an hour fast, and it is killed while it computes")
def clock_of_a_worker_fast(site: Site, trial: Trial) -> None:
    for worker in site.workers:
        site.move_clock(worker, 3600)
    site.ask_to_stop_at("half")
    trial.submit()
    site.program_of(site.stopped_at("half")).kill()


@fault("The clocks of the workers are an hour slow")
def clock_of_workers_slow(site: Site, trial: Trial) -> None:
    for worker in site.workers:
        site.move_clock(worker, -3600)
    _slowly(site, trial)


@fault("The clock of the maintenance process is an hour fast")
def clock_of_maintenance_fast(site: Site, trial: Trial) -> None:
    site.move_clock(site.programs["maintenance"], 3600)
    _slowly(site, trial)


def _slowly(site: Site, trial: Trial) -> None:
    """Hand in, and have one evaluation take longer than a lease; nobody may take it away."""
    site.ask_to_stop_at("half")
    trial.submit()
    site.stopped_at("half")
    time.sleep(2 * LEASE_SECONDS)
    site.wake()
    until(trial.ended, seconds=BOUND_SECONDS, what="all is scored")
    if taken := [*trial.evaluations.filter(attempts__gt=1)]:
        raise SiteBroken(f"{taken} were taken from a worker that was at work")


@fault("A model is gone when people hand in; it comes back and they try again", short=True)
def model_missing(site: Site, trial: Trial) -> None:
    gone = site.model.rename(site.model.with_name("model-gone"))
    try:
        trial.submit()
        until(trial.ended, seconds=BOUND_SECONDS, what="the others are scored")
    finally:
        gone.rename(site.model)
    _expect_failed(trial, "sbert")
    trial.retry()


@fault("A model is damaged while work waits; it is mended and people try again")
def model_damaged(site: Site, trial: Trial) -> None:
    weights = site.model / "model.safetensors"
    whole = weights.read_bytes()
    with site.frozen(*site.workers):
        trial.submit()
    try:
        weights.write_bytes(whole[: len(whole) // 2])
        # They have loaded it already.
        _restart_workers(site)
        until(trial.ended, seconds=BOUND_SECONDS, what="the others are scored")
    finally:
        weights.write_bytes(whole)
    _expect_failed(trial, "sbert")
    trial.retry()


def _expect_failed(trial: Trial, family: str) -> None:
    """The family failed with a reason, in each submission, and everything else is scored."""
    failed = trial.evaluations.filter(state=EvaluationState.FAILED).exclude(reason="")
    if {*failed.values_list("family", flat=True)} != {family}:
        raise SiteBroken(f"{[*failed]} failed where {family} should have")


@fault("Memory is gone: workers may take no more; they get it back and people try again")
def memory_gone(site: Site, trial: Trial) -> None:
    _restart_workers(site)
    for worker in site.workers:
        until(worker.children, seconds=60, what="it has processes")
        for pid in (worker.pid, *worker.children()):
            resource.prlimit(pid, resource.RLIMIT_AS, (_memory_of(pid) + 8_000_000,) * 2)
    trial.submit()
    until(trial.ended, seconds=BOUND_SECONDS, what="all is scored or failed")
    _expect_failed(trial, "sbert")
    _restart_workers(site)
    trial.retry()


def _restart_workers(site: Site) -> None:
    for worker in site.workers:
        worker.kill()
        worker.start()


def _memory_of(pid: int) -> int:
    """Address space of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()
