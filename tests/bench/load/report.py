"""The tables of a run under load."""

import argparse
from typing import TYPE_CHECKING

from earmark.registry import standard_families
from leaderboard.models import Evaluation, EvaluationState
from tests.bench.bench_annotators import Log
from tests.bench.load.crowd import times
from tests.bench.output import say

if TYPE_CHECKING:
    from tests.bench.load.__main__ import Observed


def tell(
    options: argparse.Namespace, workers: int, observed: "Observed", log: Log, accepted: int
) -> int:
    """Print what was measured; returns 1 where something was lost or answered with an error."""
    seconds, ended = observed.done[-1]
    families = len(standard_families())
    rate = ended / families / seconds * 3600
    say(f"\n{workers} workers, {options.clips:,} clips, {seconds:.0f} s")
    say(f"  handed in      {accepted} systems in {observed.burst_seconds:.0f} s")
    say(f"  scored         {ended / families:.1f} systems ({ended} of {accepted * families} jobs)")
    say(f"  throughput     {rate:.0f} systems an hour; all in {accepted / max(rate, 1e-9):.1f} h")
    say(f"  waiting        at most {max(observed.waiting)} jobs, oldest {max(observed.ages):.0f} s")
    say(f"  {'requests':14} {'number':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}")
    for kind, count, *percentiles in times(log):
        say(f"  {kind:14} {count:8,} " + " ".join(f"{value:8.0f}" for value in percentiles))
    say(f"  answers        {dict(sorted(log.codes.items()))}; annotators: {dict(log.events)}")
    say(f"  {'memory, MB':14} {'first':>8} {'middle':>8} {'last':>8} {'most':>8}")
    for kind in observed.memory[-1]:
        series = [looked.get(kind, 0.0) for looked in observed.memory]
        values = (series[0], series[len(series) // 2], series[-1], max(series))
        say(f"  {kind:14} " + " ".join(f"{value:8.0f}" for value in values))
    return int(_lost(accepted) or any(code >= 500 and code != 503 for code in log.codes))


def _lost(accepted: int) -> bool:
    """Whether an accepted system lacks the evaluation of a family, or one has failed."""
    stored = Evaluation.objects.count()
    failed = Evaluation.objects.filter(state=EvaluationState.FAILED)
    lost = accepted * len(standard_families()) - stored
    say(f"  lost           {lost} jobs; failed {failed.count()}")
    return bool(lost) or failed.exists()
