"""How gunicorn serves Earmark; every value can be overridden on its command line."""

import os
import socket
import struct

from gunicorn.arbiter import Arbiter

# Behind loopback by default: whoever opens it to a network says so.
bind = os.environ.get("BIND", f"127.0.0.1:{os.environ.get('PORT', '8000')}")
# One process keeps the in-memory cache (rate limits) whole; the full set-up, with
# a shared cache, raises WEB_CONCURRENCY.
workers = int(os.environ.get("WEB_CONCURRENCY", "1"))
threads = int(os.environ.get("WEB_THREADS", "8"))
worker_class = "gthread"
timeout = 60
# For how long a process that is told to stop goes on with what it has begun, such as an upload
# over a slow line. Shorter than the pause before docker-compose.yml has it killed.
graceful_timeout = 50
# Answers from the cache are hundreds a second; a site of one process is away while it starts anew.
max_requests = 500_000
max_requests_jitter = 50_000
preload_app = False
# Seconds for which a connection may neither send nor take anything. As many as there are threads
# that stall, be it to harm or because a player is paused, would leave nobody served.
STALLED = int(os.environ.get("WEB_STALLED_SECONDS", "30"))
loglevel = os.environ.get("GUNICORN_LOG_LEVEL", "warning")


def on_starting(server: Arbiter) -> None:
    """End when whatever supervises the server is gone; log in the form of the site."""
    from leaderboard.log_context import JsonFormatter
    from leaderboard.parent_watch import end_with

    if os.environ.get("LOG_FORMAT") == "json":
        for handler in server.log.error_log.handlers:
            handler.setFormatter(JsonFormatter())
    end_with(int(pid) for pid in os.environ.get("EARMARK_PARENTS", "").split(",") if pid)


def when_ready(server: Arbiter) -> None:
    """Let no connection stall, and say where the site is, last of all that is printed at start."""
    _limit_stalling(server)
    lines = ["", f"Earmark is ready at http://{bind}"]
    if os.environ.get("EARMARK_DEMO"):
        from leaderboard.demo import LOGINS

        lines += [f"  {login.what}: {login.username} / {login.password}" for login in LOGINS]
        lines += ["Stop it with Ctrl+C."]
    print("\n".join([*lines, ""]), flush=True)  # noqa: T201


def _limit_stalling(server: Arbiter) -> None:
    """Set the limit where connections are accepted, from which each of them has it."""
    for listener in server.LISTENERS:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", STALLED, 0))
