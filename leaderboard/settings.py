"""Settings, all by environment, with defaults that run on one machine.

The table of variables is in the README. Without any of them Earmark uses
SQLite and a file-system broker below ``var/``.
"""

import json
import os
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import environ
import plotly
from csp.constants import NONE, SELF

from leaderboard.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
if (BASE_DIR / ".env").is_file():
    env.read_env(BASE_DIR / ".env")

# torch's threads wait for each other asleep. Awake, as they would by default, they take several
# times as long where other processes want the same cores. Read when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

VAR_DIR = Path(env.str("EARMARK_VAR", default=str(BASE_DIR / "var")))
# The database, mail with its links and uploads lie there: none of other users' business.
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

# -- Where the site is ------------------------------------------------------
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
_site = urlsplit(SITE_URL)
_https = _site.scheme == "https"
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key(VAR_DIR / "secret_key")
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=[_site.hostname or "127.0.0.1", "127.0.0.1", "localhost"]
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]
SITE_NAME = env.str("SITE_NAME", default="Earmark")

INSTALLED_APPS = [
    "leaderboard",
    "annotation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "django_htmx",
    "csp",
    "ninja",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "leaderboard.middleware.BusyMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.context.site",
            ],
        },
    },
]

# -- Data -------------------------------------------------------------------
DATABASES = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'earmark.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE takes the write lock when a transaction starts, so that two writers
    # wait for each other instead of one failing half way.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": env.cache_url("CACHE_URL", default="locmemcache://"),
    # Parts of pages (kept.py), up to 100 kB each, in the memory of each web process.
    "parts": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "parts",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

# -- Jobs -------------------------------------------------------------------
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost/")
if CELERY_BROKER_URL.startswith("filesystem:"):
    _queue, _control = VAR_DIR / "broker" / "queue", VAR_DIR / "broker" / "control"
    for _folder in (_queue, _control):
        _folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_queue),
        "data_folder_out": str(_queue),
        "control_folder": str(_control),
        "polling_interval": 0.2,
    }
elif CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    # A broker that takes connections and then says nothing would hold an upload, which
    # is stored already, for ever; so the message is left to the sweep.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 5, "socket_timeout": 10}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "cpu"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_TIMEZONE = "UTC"

# How long captions stay with an annotator who is not heard of.
ANNOTATION_LEASE = timedelta(minutes=env.float("EARMARK_ANNOTATION_LEASE_MINUTES", default=30))
LEASE = timedelta(seconds=env.float("EARMARK_LEASE_SECONDS", default=60))
TIME_LIMIT = timedelta(seconds=env.float("EARMARK_TIME_LIMIT_SECONDS", default=1800))
SWEEP_EVERY = timedelta(seconds=env.float("EARMARK_SWEEP_SECONDS", default=20))
# A queued evaluation that no worker took is sent again after this long, in case its
# message went down with a worker; a second delivery is harmless, because only one
# attempt can take the row.
REQUEUE_AFTER = timedelta(seconds=env.float("EARMARK_REQUEUE_SECONDS", default=60))
CELERY_BEAT_SCHEDULE = {
    "evaluations-sweep": {
        "task": "leaderboard.tasks.evaluations_sweep",
        "schedule": SWEEP_EVERY,
        "options": {"expires": max(1, SWEEP_EVERY.total_seconds())},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")

# -- Scoring ----------------------------------------------------------------
SCORING_CACHE_DIR = Path(env.str("EARMARK_CACHE", default=str(VAR_DIR / "cache")))
SCORING_DEVICE = env.str("EARMARK_DEVICE", default="auto")
# Per metric family, the parameters that an installation changes, for example
# {"sbert": {"encoder": "/models/paraphrase-TinyBERT-L6-v2"}}.
SCORING_PARAMETERS: dict[str, dict[str, object]] = json.loads(
    env.str("EARMARK_METRICS", default="") or "{}"
)
# What is kept of why the clips of a system have their scores, compressed, per metric family.
MAX_DETAILS_BYTES = env.int("EARMARK_MAX_DETAILS_BYTES", default=20_000_000)
MAX_UPLOAD_BYTES = env.int("EARMARK_MAX_UPLOAD_BYTES", default=5_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD_BYTES
# No form has more than one file.
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_HANDLERS = [
    "leaderboard.forms.uploads.CappedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# -- Accounts ---------------------------------------------------------------
AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "leaderboard:home"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("EARMARK_EMAIL_VERIFICATION", default="optional")
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USERNAME_MIN_LENGTH = 2
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)
# Without a mail server, messages are written below var/ and can be read there.
vars().update(env.email_url("EMAIL_URL", default=f"filemail:///{VAR_DIR / 'mail'}"))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"Earmark <noreply@{_site.hostname}>")

# -- Security ---------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = _https and env.bool("SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _https
if env.bool("BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "media-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
# The cache of the embedded default lives in one process, which is all that serves
# pages there; the full set-up names a shared one in CACHE_URL.
SILENCED_SYSTEM_CHECKS = ["django_ratelimit.E003", "django_ratelimit.W001"]
RATELIMIT_ENABLE = env.bool("RATELIMIT_ENABLE", default=True)
# Requests to the API per person, or per address of those who are not known; and
# uploads and retries per person.
API_RATE = env.str("EARMARK_API_RATE", default="600/m")
API_UPLOAD_RATE = env.str("EARMARK_API_UPLOAD_RATE", default="30/m")
# Pages of analysis that are not kept yet, for one visitor; each costs up to two seconds.
PARTS_RATE = env.str("EARMARK_PARTS_RATE", default="30/m")
# Captions on which one person, or one address, may try the metrics; each costs up to a second.
TRY_RATE = env.str("EARMARK_TRY_RATE", default="20/m")

# -- Static files, language, logs ---------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("vendor/plotly", Path(plotly.__file__).parent / "package_data"),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {"sentence_transformers": {"level": "WARNING"}},
}
