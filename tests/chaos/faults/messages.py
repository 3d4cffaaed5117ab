"""Messages that come more than once, in disorder, or are none; and many of them."""

import random

from leaderboard import tasks
from leaderboard.celery import app
from leaderboard.models import EvaluationState
from tests.chaos.faults.registry import fault
from tests.chaos.programs import until
from tests.chaos.site import BOUND_SECONDS, LEASE_SECONDS, SWEEP_SECONDS, Site
from tests.chaos.visitors import NAMES, Trial, systems


@fault("Each message comes three times, in any order, also once all is scored", short=True)
def messages_doubled(site: Site, trial: Trial) -> None:
    with site.frozen(*site.workers):
        trial.submit()
        ids = [*trial.evaluations.values_list("pk", flat=True)] * 3
        random.Random(1).shuffle(ids)
        for pk in ids:
            tasks.evaluations_enqueue([pk])
    until(trial.ended, seconds=BOUND_SECONDS, what="all is scored")
    tasks.evaluations_enqueue(ids[:20])


@fault("Messages of work that there never was, and such that are no messages")
def messages_strange(site: Site, trial: Trial) -> None:
    for name, args in (
        ("evaluation_run", [10**9]),
        ("evaluation_run", ["no number"]),
        ("evaluation_run", []),
        ("gone", []),
    ):
        app.send_task(f"leaderboard.tasks.{name}", args=args, queue="cpu")
    for queue in ("cpu", "gpu", "maintenance"):
        site.broker.lpush(queue, b"no message", b'{"body": "", "headers": {}}', b"\xff\x00")
    trial.submit()


@fault("A worker is killed in a backlog of 200; its work is taken back in time", short=True)
def long_backlog(site: Site, trial: Trial) -> None:
    site.ask_to_stop_at("half")
    trial.submit(*NAMES, *systems(37))
    process = site.stopped_at("half")
    lost = trial.evaluations.get(worker__endswith=f":{process}", state=EvaluationState.RUNNING)
    with site.frozen(*site.workers):
        site.program_of(process).kill()
        site.let_go()
        until(
            lambda: trial.evaluations.get(pk=lost.pk).state == EvaluationState.PENDING,
            seconds=LEASE_SECONDS + 20 * SWEEP_SECONDS,
            what="it is taken back while all others wait",
        )
