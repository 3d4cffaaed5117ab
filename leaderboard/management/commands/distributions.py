"""Print how the clips of a phase's systems are spread, as the page shows it."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.management.terminal import phase_named
from leaderboard.models import MetricResult
from leaderboard.selectors.analysis.distributions import (
    MetricSpread,
    SystemSpread,
    event_counts,
    spreads_of,
)
from leaderboard.selectors.submissions.system_report import systems_of, unranked_systems
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from scoring.registry import METRICS


class Command(BaseCommand):
    """Write Markdown tables: one for each metric, one of sound events."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the phase and the metrics."""
        parser.add_argument("phase", metavar="CHALLENGE/PHASE")
        parser.add_argument(
            "metrics", nargs="*", metavar="METRIC", default=["cb_score"], help="Default: cb_score."
        )

    def handle(self, *_args: Any, phase: str, metrics: list[str], **_options: Any) -> None:
        """Print every table."""
        unknown = [name for name in metrics if name not in METRICS]
        if unknown:
            known = ", ".join(METRICS)
            raise CommandError(f"There is no metric {unknown[0]}. Choose from: {known}.")
        chosen = phase_named(phase)
        systems = [*systems_of(chosen), *unranked_systems(chosen)]
        if not systems:
            raise CommandError(f"No system of {phase} has been scored yet.")
        for metric in spreads_of(systems, [METRICS[name] for name in metrics]):
            self._metric(metric)
        self._events(systems)

    def _metric(self, metric: MetricSpread) -> None:
        info = metric.info
        self.stdout.write(f"\n{info.label} (`{info.name}`)\n")
        self.stdout.write("| system | mean | 95 % interval | median | at 0 | at 1 | clips |")
        self.stdout.write("|---|---|---|---|---|---|---|")
        for spread in metric.spreads:
            self.stdout.write(_line(spread, info.name, info.decimals or 1))

    def _events(self, systems: Sequence[AnySubmission]) -> None:
        rows = [(system, event_counts(system)) for system in systems]
        counted = [(system, shares) for system, shares in rows if shares]
        if not counted:
            return
        self.stdout.write("\nSound events per caption\n")
        self.stdout.write("| system | none | one | two | three or more |")
        self.stdout.write("|---|---|---|---|---|")
        for system, shares in counted:
            few = [*shares[:3], *[0.0] * (3 - len(shares[:3]))]
            cells = [f"{share:.1%}" for share in (*few, sum(shares[3:]))]
            self.stdout.write(f"| {system.system_name} | {' | '.join(cells)} |")


def _line(spread: SystemSpread, metric: str, places: int) -> str:
    shown = spread.distribution
    result = MetricResult.objects.get(
        submission=spread.system.pk, metric=metric, evaluation__published=True
    )
    low, high = result.low, result.high
    interval = "" if low is None or high is None else f"{low:.{places}f} to {high:.{places}f}"
    at_one = "" if shown.at_one is None else f"{shown.at_one:.1%}"
    cells = (
        spread.system.system_name,
        f"{shown.mean:.{places}f}",
        interval,
        f"{shown.median:.{places}f}",
        f"{shown.at_zero:.1%}",
        at_one,
        f"{shown.clips:,}",
    )
    return f"| {' | '.join(cells)} |"
