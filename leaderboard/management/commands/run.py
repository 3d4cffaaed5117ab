"""Start the web server and a worker, as Procfile says; Ctrl+C stops both."""

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

_APP = Path(__file__).resolve().parents[2]
HELP = __doc__


class Command(BaseCommand):
    """Become honcho, which starts what Procfile names and stops all when one ends."""

    help = HELP
    # `prepare` and the processes that this becomes look for themselves.
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Start; does not return."""
        programs = Path(sys.executable).parent
        gunicorn = f"--config '{_file('gunicorn.conf.py')}'"
        environment = {
            **os.environ,
            # Killed, honcho stops nothing that it has started.
            "EARMARK_PARENTS": ",".join(
                [*filter(None, [os.environ.get("EARMARK_PARENTS")]), str(os.getpid())]
            ),
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "GUNICORN_CMD_ARGS": f"{gunicorn} {os.environ.get('GUNICORN_CMD_ARGS', '')}",
        }
        # What asks language models is not started where there are none.
        names = ["web", "worker", "maintenance", *(["outside"] if settings.LANGUAGE_MODELS else [])]
        procfile = str(_file("Procfile"))
        honcho = [str(programs / "honcho"), "--no-prefix", "-f", procfile, "start", *names]
        os.execve(honcho[0], honcho, environment)  # noqa: S606


def _file(name: str) -> Path:
    """A file of the project's root; the wheel has it inside the app."""
    installed = _APP / name
    return installed if installed.is_file() else _APP.parent / name
