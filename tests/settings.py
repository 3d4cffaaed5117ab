"""Settings of the tests: the project's own, with places that belong to this run alone."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_VAR = tempfile.mkdtemp(prefix="earmark-test-")
atexit.register(shutil.rmtree, _VAR, ignore_errors=True)
os.environ["EARMARK_VAR"] = _VAR
# Servers and workers that tests start end with them, however these end.
os.environ["EARMARK_PARENTS"] = str(os.getpid())
# What was prepared for the references of the tests is the same in every run.
os.environ.setdefault("EARMARK_CACHE", str(_ROOT / "var" / "test-cache"))
# Parallel test processes share a Redis server and neither queues nor counts.
_number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
for _variable, _first in (("CELERY_BROKER_URL", 2), ("CACHE_URL", 33)):
    _url = os.environ.get(_variable, "")
    if _url.startswith("redis"):
        os.environ[_variable] = f"{_url.rpartition('/')[0]}/{_first + _number}"

from leaderboard.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
