"""Workers say that they are there."""

from datetime import datetime, timedelta

from leaderboard.models import WorkerProcess

FORGOTTEN_AFTER = timedelta(days=1)


def worker_seen(*, name: str, queues: list[str], now: datetime) -> None:
    """Note that a worker serves these queues now; those not heard of for a day are forgotten."""
    WorkerProcess.objects.update_or_create(name=name, defaults={"queues": queues, "seen_at": now})
    WorkerProcess.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
