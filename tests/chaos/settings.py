"""Settings of the site on which faults are tried: the project's own, small and quick.

Five metric families instead of all, one of which loads a model, so that a submission takes about
a second.
"""

from earmark.registry import FAMILIES, METRICS

_KEPT = {"bleu", "rouge_l", "cider_d", "vocab", "sbert"}
for _name in [name for name in FAMILIES if name not in _KEPT]:
    del FAMILIES[_name]
for _name in [name for name, info in METRICS.items() if info.family not in FAMILIES]:
    del METRICS[_name]

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import CELERY_BEAT_SCHEDULE as _SCHEDULE  # noqa: E402
from leaderboard.settings import INSTALLED_APPS as _APPS  # noqa: E402

INSTALLED_APPS = [*_APPS, "tests.chaos.hooks.HooksConfig"]
# Labellers belong to a family that is left out.
CELERY_BEAT_SCHEDULE = {
    name: entry
    for name, entry in _SCHEDULE.items()
    if "label" not in name and "reference_words" not in name
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
