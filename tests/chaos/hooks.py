"""Steps at which a process of the site stops until it is killed or let go, and its clock.

The product knows nothing of it: an app that only the settings of this package name puts a wait
around functions of the product when a process starts. A step whose function is gone is an error
at start, so that none silently stops being tried.
"""

import functools
import importlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.utils import timezone

# Nobody waits longer, be the one who asked for it gone.
LONGEST = 180.0
PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Step:
    """A moment in the life of a submission: before or after a call of a function."""

    name: str
    sentence: str
    target: str
    after: bool = False
    when: Callable[..., bool] = lambda *_args, **_options: True


def half_done(_progress: Any, _family: str, done: int, total: int) -> bool:
    """Whether half of the clips are done."""
    return 2 * done >= total


_STATES = "leaderboard.services.evaluations.states"
_ATTEMPTS = "leaderboard.services.evaluations.attempts"

# In the order of a submission's life. The first four are in a web process, the mail in the
# maintenance process, all others in a worker.
STEPS = {
    step.name: step
    for step in (
        Step("read", "its file is being read", "leaderboard.api.submissions:submission_accept"),
        Step(
            "stored",
            "it is stored and no message is sent",
            "leaderboard.tasks:evaluations_enqueue",
        ),
        Step(
            "sent",
            "its messages are sent and this is not noted",
            "leaderboard.tasks:states.evaluations_mark_enqueued",
        ),
        Step(
            "answered",
            "all is done but the answer",
            "leaderboard.api.submissions:submission_summary",
        ),
        Step(
            "taken",
            "a message is taken and nothing claimed",
            f"{_ATTEMPTS}:evaluation_claim",
        ),
        Step("claimed", "an evaluation is claimed", f"{_ATTEMPTS}:_scores"),
        Step(
            "half",
            "half of the clips are scored",
            f"{_ATTEMPTS}:clips_note",
            when=half_done,
        ),
        Step("scored", "all clips are scored", f"{_ATTEMPTS}:evaluation_finish"),
        Step(
            "written",
            "the results are written and not committed",
            f"{_STATES}:scoring_notice_send",
        ),
        Step(
            "committed",
            "the results are committed",
            f"{_ATTEMPTS}:evaluation_finish",
            after=True,
        ),
        Step("told", "the notice is written", "leaderboard.tasks:notices_enqueue"),
        Step(
            "mailed",
            "the notice is being mailed",
            "leaderboard.services.people.notices:_message",
        ),
        Step(
            "ranked",
            "the ranks are being estimated",
            "leaderboard.services.ranking.rank_estimates:_draw_means",
        ),
    )
}


class HooksConfig(AppConfig):
    """Puts the waits in place in processes of the site, which EARMARK_CHAOS names a folder to."""

    name = "tests.chaos"
    label = "chaos"

    def ready(self) -> None:
        """Wrap what the steps name."""
        folder = os.environ.get("EARMARK_CHAOS")
        if folder is None:
            return
        for step in STEPS.values():
            _wrap(step, Path(folder))
        timezone.now = _moved_clock(Path(folder) / f"clock-{os.environ['EARMARK_CHAOS_PROGRAM']}")


def _wrap(step: Step, folder: Path) -> None:
    module, _, path = step.target.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    function = getattr(owner, name)

    @functools.wraps(function)
    def waiting(*args: Any, **options: Any) -> Any:
        if not step.after and step.when(*args, **options):
            _wait(step, folder)
        result = function(*args, **options)
        if step.after:
            _wait(step, folder)
        return result

    setattr(owner, name, waiting)


def _wait(step: Step, folder: Path) -> None:
    """Wait where somebody asked for it, one process for each time that it was asked."""
    mark = folder / f"{step.name}-{os.getpid()}.held"
    with suppress(FileNotFoundError):
        (folder / f"{step.name}.asked").rename(mark)
        end = time.monotonic() + LONGEST
        while mark.exists() and time.monotonic() < end:
            time.sleep(PAUSE)


def _moved_clock(path: Path) -> Callable[[], datetime]:
    """A clock that is off by the seconds that a file says, where it is there."""
    right = timezone.now

    def now() -> datetime:
        try:
            return right() + timedelta(seconds=float(path.read_text()))
        except (FileNotFoundError, ValueError):
            return right()

    return now
