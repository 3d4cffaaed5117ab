"""The site under load: that of tests.chaos, with all metrics, real limits of time, any workers."""

import os
from pathlib import Path

from tests.chaos.programs import Program
from tests.chaos.site import Site

PAGE = os.sysconf("SC_PAGE_SIZE")


class LoadedSite(Site):
    """PostgreSQL, broker, cache, two web processes, maintenance, and as many workers as asked."""

    def __init__(self, folder: Path, workers: int) -> None:
        super().__init__(folder)
        self.worker_names = tuple(f"worker-{number + 1}" for number in range(workers))

    def environment(self) -> dict[str, str]:
        """As it is deployed, but without limits of how much one person may ask."""
        hastened = {"EARMARK_LEASE_SECONDS", "EARMARK_SWEEP_SECONDS", "EARMARK_REQUEUE_SECONDS"}
        hastened |= {"EARMARK_TIME_LIMIT_SECONDS", "EARMARK_METRICS", "EARMARK_CHAOS"}
        own = super().environment().items()
        return {
            **{name: value for name, value in own if name not in hastened},
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "RATELIMIT_ENABLE": "false",
            # One core each: workers beside each other gain nothing from threads.
            "OMP_NUM_THREADS": "1",
        }

    def memory(self) -> dict[str, float]:
        """Resident memory of each kind of program with its children, in MB."""
        used: dict[str, float] = {}
        for name, program in self.programs.items():
            kind = name.partition("-")[0]
            used[kind] = used.get(kind, 0.0) + sum(map(_resident, _family(program))) / 1e6
        return used


def _family(program: Program) -> list[int]:
    return [program.pid, *program.children()]


def _resident(pid: int) -> int:
    """Memory of a process that no other shares, in bytes; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * PAGE
