"""What every line of the log says besides its message: request, person and job."""

import json
import logging
from contextvars import ContextVar
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
# The request itself, which learns later who sent it.
request: ContextVar[Any] = ContextVar("request", default=None)
job: ContextVar[str] = ContextVar("job", default="")


def _context() -> dict[str, str]:
    """Ids alone; a person is named by the key, since names are nobody's business in a log."""
    sender = getattr(request.get(), "auth", None) or getattr(request.get(), "_cached_user", None)
    key = getattr(sender, "pk", None)
    known = {"request": request_id.get(), "person": str(key or ""), "job": job.get()}
    return {name: value for name, value in known.items() if value}


class ContextFilter(logging.Filter):
    """Adds request, person and job to each record, as fields and as one text.

    Of what Django refuses (a forged host, too many fields) the message is told, as a warning:
    with tracebacks, anyone could fill the log and have every alarm ring.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        if record.name.startswith("django.security."):
            record.exc_info = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.context = context = _context()
        record.where = "".join(f" {name}={value}" for name, value in context.items())
        return True


class JsonFormatter(logging.Formatter):
    """One JSON object for each line, as programs that collect logs read it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON; ``error`` has the traceback where there is one."""
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "context", {}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
