"""Settings, all by environment, with defaults that run on one machine.

The variables are listed in docs/reference/settings.md. Without any of them Earmark uses
SQLite and a file-system broker below ``var/``.
"""

import json
import os
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

import environ
import plotly
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard.outside_models import clap_models, language_models
from leaderboard.secret import secret_key
from leaderboard.web.social_providers import social_apps, social_providers

BASE_DIR = Path(__file__).resolve().parent.parent
# Installed from a wheel, the site keeps what it stores in the folder that it is started in, and
# templates and static files are inside the app, where Django looks by itself.
_checkout = (BASE_DIR / "manage.py").is_file()
_home = BASE_DIR if _checkout else Path.cwd()
env = environ.Env()
if (_home / ".env").is_file():
    env.read_env(_home / ".env")

# torch's threads wait for each other asleep. Awake, as they would by default, they take several
# times as long where other processes want the same cores. Read when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

VAR_DIR = Path(env.str("EARMARK_VAR", default=str(_home / "var")))
# The database, mail with its links and uploads lie there: none of other users' business.
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

# -- Where the site is ------------------------------------------------------
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
_site = urlsplit(SITE_URL)
_https = _site.scheme == "https"
DEBUG = env.bool("DEBUG", default=False)
_key = env.str("SECRET_KEY", default="")
# None where the environment has the key.
SECRET_KEY_FILE = None if _key else VAR_DIR / "secret_key"
SECRET_KEY = _key or secret_key(VAR_DIR / "secret_key")
# What sessions were signed, and second factors encrypted, with before it was changed.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=[_site.hostname or "127.0.0.1", "127.0.0.1", "localhost"]
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]
CSRF_FAILURE_VIEW = "leaderboard.views.pages.form_refused"
SITE_NAME = env.str("SITE_NAME", default="Earmark")
# Where "Contact" at the foot of each page leads: a page, or a mail address.
SITE_CONTACT = env.str("SITE_CONTACT", default="")
if "@" in SITE_CONTACT and ":" not in SITE_CONTACT:
    SITE_CONTACT = f"mailto:{SITE_CONTACT}"
# Accounts elsewhere with which people may log in; without any, no page speaks of it.
SOCIALACCOUNT_PROVIDERS = social_providers(env.str("EARMARK_SOCIAL", default=""))

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
    "allauth.mfa",
    "allauth.socialaccount",
    *social_apps(SOCIALACCOUNT_PROVIDERS),
    "django_htmx",
    "csp",
    "ninja",
]

MIDDLEWARE = [
    "leaderboard.web.middleware.ArrivalMiddleware",
    "leaderboard.web.request_counts.RequestCountsMiddleware",
    "leaderboard.web.middleware.AccessLogMiddleware",
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
    "leaderboard.web.middleware.PrivateMiddleware",
    "leaderboard.web.middleware.LeavingMiddleware",
    "leaderboard.web.middleware.BusyMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"] if _checkout else [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.web.middleware.site",
            ],
        },
    },
]

FORM_RENDERER = "leaderboard.web.form_renderer.FormRenderer"

# The project's documents, which the site shows at /docs/.
DOCUMENTS_DIR = BASE_DIR / "docs" if _checkout else Path(__file__).parent / "docs"

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
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# To open one takes longer than to answer from the cache, with SQLite, too; and the last one
# to be closed there writes the log back, for which others wait.
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_cache = env.cache_url("CACHE_URL", default="locmemcache://")
if _cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache":
    _cache["BACKEND"] = "leaderboard.web.resilient_cache.ResilientRedisCache"
CACHES = {
    "default": _cache,
    # Parts of pages (web/page_cache.py), up to 100 kB each, in the memory of each web process.
    "parts": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "parts",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
    # Whole pages (web/visitors_cache.py), up to 100 kB each, the same way.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 500},
    },
}
# Pages for visitors are made anew when something changes, and after so many seconds, since
# they tell of the clock, too; 0: for each request.
VISITORS_CACHE_SECONDS = env.int("EARMARK_VISITORS_CACHE_SECONDS", default=10)

# -- Jobs -------------------------------------------------------------------
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost/")
if CELERY_BROKER_URL.startswith("filesystem:"):
    _queue, _control = VAR_DIR / "broker" / "queue", VAR_DIR / "broker" / "control"
    for _folder in (_queue, _control):
        _folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT = "leaderboard.broker:Transport"
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
CELERY_WORKER_POOL = "leaderboard.worker_pool:TaskPool"
# On a busy machine a process may take a while to say that it is there; else it is killed.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60.0
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_TIMEZONE = "UTC"

# Processes without which this one is not wanted any more: whatever supervises it.
PARENTS = [int(pid) for pid in env.list("EARMARK_PARENTS", default=[])]

# How long captions stay with an annotator who is not heard of.
ANNOTATION_LEASE = timedelta(minutes=env.float("EARMARK_ANNOTATION_LEASE_MINUTES", default=30))
LEASE = timedelta(seconds=env.float("EARMARK_LEASE_SECONDS", default=60))
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # Who is frozen or cut off within a transaction holds its rows, on which sweeps would wait
    # for ever: the database ends it after as long as it may say nothing of its work.
    DATABASES["default"].setdefault("OPTIONS", {})["options"] = (
        f"-c idle_in_transaction_session_timeout={LEASE.total_seconds() * 1000:.0f}"
    )
TIME_LIMIT = timedelta(seconds=env.float("EARMARK_TIME_LIMIT_SECONDS", default=1800))
# For how long a worker that is told to stop goes on with what it has begun, before others get it.
# ``make run`` kills after five seconds what has not stopped.
SHUTDOWN_AFTER = timedelta(seconds=env.float("EARMARK_SHUTDOWN_SECONDS", default=2))
SWEEP_EVERY = timedelta(seconds=env.float("EARMARK_SWEEP_SECONDS", default=20))
# Work that no worker took is sent again after this long where its queue is empty, in case
# its message went down with a worker or the broker; where messages wait, its own may be
# among them, and the pause is longer. A second delivery is harmless, because only one
# attempt can take the row.
REQUEUE_AFTER = timedelta(seconds=env.float("EARMARK_REQUEUE_SECONDS", default=60))
REQUEUE_AFTER_IN_BACKLOG = 60 * REQUEUE_AFTER
# How long a training may compute in all, and how long it keeps a worker before others get
# their turn (at the end of the epoch that is under way then, or in a long one within a minute).
TRAINING_LIMIT = timedelta(seconds=env.float("EARMARK_TRAINING_LIMIT_SECONDS", default=6 * 3600))
TRAINING_TURN = timedelta(seconds=env.float("EARMARK_TRAINING_TURN_SECONDS", default=30))
# To part captions that are alike takes a time that grows with the square of their number, in
# each turn before it is counted: 20,000 take 6 s of a processor.
TRAINING_CAPTIONS = env.int("EARMARK_TRAINING_CAPTIONS", default=20_000)
# What heals, tells and keeps time has a queue and a process of its own, so that no backlog
# of evaluations holds it up. It never expires: whoever was away does it on return.
MAINTENANCE_QUEUE = "maintenance"
# What takes seconds and somebody waits for. Workers of the default queue serve it, too, and take
# turns between their queues: it waits for what is under way, not for all that came before.
SHORT_QUEUE = "short"
CELERY_TASK_ROUTES = {
    "*_sweep": {"queue": MAINTENANCE_QUEUE},
    "leaderboard.tasks.notices_mail": {"queue": MAINTENANCE_QUEUE},
    "annotation.tasks.stages_feed": {"queue": MAINTENANCE_QUEUE},
    "annotation.tasks.items_rank": {"queue": SHORT_QUEUE},
    "annotation.tasks.suggestions_make": {"queue": SHORT_QUEUE},
    "leaderboard.tasks.standings_refresh": {"queue": SHORT_QUEUE},
}
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": periods * SWEEP_EVERY}
    for task, periods in {
        "leaderboard.tasks.jobs_sweep": 1,
        "leaderboard.tasks.notices_sweep": 1,
        "leaderboard.tasks.standings_sweep": 3,
        "leaderboard.tasks.reference_words_sweep": 3,
        "leaderboard.tasks.public_changes_sweep": 3,
        "annotation.tasks.labeller_sweep": 3,
        "annotation.tasks.stages_sweep": 15,
    }.items()
}
CELERY_BEAT_SCHEDULE["leaderboard.tasks.retention_sweep"] = {
    "task": "leaderboard.tasks.retention_sweep",
    "schedule": timedelta(hours=1),
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")

# -- Scoring ----------------------------------------------------------------
SCORING_CACHE_DIR = Path(env.str("EARMARK_CACHE", default=str(VAR_DIR / "cache")))
# Prepared references that are kept there; those used longest ago make room for new ones.
SCORING_CACHE_BYTES = env.int("EARMARK_CACHE_BYTES", default=1_000_000_000)
SCORING_DEVICE = env.str("EARMARK_DEVICE", default="auto")
# Per metric family, the parameters that an installation changes, for example
# {"sbert": {"encoder": "/models/paraphrase-TinyBERT-L6-v2"}}.
SCORING_PARAMETERS: dict[str, dict[str, object]] = json.loads(
    env.str("EARMARK_METRICS", default="") or "{}"
)
# Judges from elsewhere, by the names that organisers choose; without any, no page speaks of them.
LANGUAGE_MODELS = language_models(env.str("EARMARK_LANGUAGE_MODELS", default=""))
CLAP_MODELS = clap_models(env.str("EARMARK_CLAP_MODELS", default=""))
# Megabytes that one job may take beyond what its process had before; a process that has taken as
# much in all is replaced after its job. The drivers of GPUs reserve far more than they use.
JOB_MEMORY_MB = env.int("EARMARK_JOB_MEMORY_MB", default=0 if SCORING_DEVICE == "cuda" else 4000)
CELERY_WORKER_MAX_MEMORY_PER_CHILD = JOB_MEMORY_MB * 1000 or None
# What is kept of why the clips of a system have their scores, compressed, per metric family.
MAX_DETAILS_BYTES = env.int("EARMARK_MAX_DETAILS_BYTES", default=20_000_000)
MAX_UPLOAD_BYTES = env.int("EARMARK_MAX_UPLOAD_BYTES", default=5_000_000)
# As gunicorn.conf.py has it: how many threads a web process has to share between uploads and pages.
WEB_THREADS = env.int("WEB_THREADS", default=8)
# A file of references, which organisers upload.
MAX_REFERENCES_BYTES = env.int("EARMARK_MAX_REFERENCES_BYTES", default=20_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD_BYTES
# No form has more than one file.
DATA_UPLOAD_MAX_NUMBER_FILES = 5
# Beside what they become, since the system's own folder may be small, or memory.
FILE_UPLOAD_TEMP_DIR = str(VAR_DIR / "uploads")
Path(FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, exist_ok=True)
FILE_UPLOAD_HANDLERS = [
    "leaderboard.forms.uploads.CappedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "leaderboard.forms.uploads.DiskUpload",
]

# -- What goes after a while (services/retention.py) ---------------------------
KEEP_NOTICES = timedelta(days=env.float("EARMARK_KEEP_NOTICES_DAYS", default=180))
# Why clips have the scores of dry runs, and of scores that were published once.
KEEP_UNPUBLISHED_DETAILS = timedelta(
    days=env.float("EARMARK_KEEP_UNPUBLISHED_DETAILS_DAYS", default=90)
)

# -- Labellers of sound descriptors ------------------------------------------
# Web and workers must see the same folder.
LABELLERS_DIR = Path(env.str("EARMARK_LABELLERS", default=str(VAR_DIR / "labellers")))
# The two files of one together; a small head or low-rank updates have 1 to 5 MB.
MAX_LABELLER_BYTES = env.int("EARMARK_MAX_LABELLER_BYTES", default=600_000_000)
# Encoders that one can be trained on beside the packaged one: names that transformers knows,
# or folders, separated by commas.
BACKBONES = [name.strip() for name in env.list("EARMARK_BACKBONES", default=[]) if name.strip()]
# What trainings have computed so far, so that one whose worker is lost goes on.
TRAININGS_DIR = Path(env.str("EARMARK_TRAININGS", default=str(VAR_DIR / "trainings")))

# -- Recordings of the clips -------------------------------------------------
AUDIO_DIR = Path(env.str("EARMARK_AUDIO", default=str(VAR_DIR / "audio")))
# What the recordings of one archive may have together, unpacked; and the archive itself.
MAX_AUDIO_BYTES = env.int("EARMARK_MAX_AUDIO_BYTES", default=8_000_000_000)
# Whether the web server in front sends them: "x-accel-redirect:/recordings/" (nginx, an internal
# location whose alias is the folder) or "x-sendfile" (Apache, lighttpd). Empty: Earmark does.
AUDIO_SENDFILE = env.str("EARMARK_AUDIO_SENDFILE", default="")
# Whether organisers may name a server of a private network, as within an institute, from which
# visitors' browsers play. This server itself asks no address that anyone names.
PRIVATE_ADDRESSES = env.bool("EARMARK_PRIVATE_ADDRESSES", default=False)

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
ACCOUNT_USERNAME_VALIDATORS = "leaderboard.web.public_names.USER_NAME"
ACCOUNT_ADAPTER = "leaderboard.web.account_adapters.AccountAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"{SITE_NAME}: "
# Wrong passwords: from one address; for one name from one address or known device; and for
# one name from everywhere, which known devices and a new password are free of (AccountAdapter).
ACCOUNT_RATE_LIMITS = {
    "login_failed": "10/m/ip,5/5m/key",
    "login_failed_anywhere": "100/h/key",
}
# Whoever has an account is told by mail of every change that could lock them out of it.
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Another address, or an account elsewhere, can open the account for good: whoever adds one
# proves anew who they are, so that a forgotten log-in on a shared machine is not enough.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Second factors: an app that shows codes, a security key, and codes on paper for the day
# when both are lost.
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ADAPTER = "leaderboard.web.account_adapters.MfaAdapter"
MFA_TOTP_ISSUER = SITE_NAME
# A clock may be half a minute off.
MFA_TOTP_TOLERANCE = 1
# Where nobody's address is ever confirmed, nobody could have a second factor otherwise.
MFA_ALLOW_UNVERIFIED_EMAIL = ACCOUNT_EMAIL_VERIFICATION == "none"
# Browsers allow security keys without HTTPS on "localhost" alone.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not _https
SOCIALACCOUNT_ADAPTER = "leaderboard.web.account_adapters.SocialAdapter"
# Everyone sees the user name, so that a person chooses it and not the provider.
SOCIALACCOUNT_AUTO_SIGNUP = False
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)
# Without a mail server, messages are written below var/ and can be read there.
_mail_files = f"filemail:///{VAR_DIR / 'mail'}"
_mail = env.email_url("EMAIL_URL", default=_mail_files)
if _https and not DEBUG and "console" in _mail["EMAIL_BACKEND"]:
    # Links that set passwords do not stand in the log of a public site.
    _mail = env.email_url_config(_mail_files)
vars().update(_mail)
# A mail server that takes connections and then says nothing must not hold a worker.
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT", default=10)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"Earmark <noreply@{_site.hostname}>")

# Whether everyone with an account may make a challenge, or only who was given the right.
ANYONE_MAY_ORGANISE = env.bool("EARMARK_ANYONE_MAY_ORGANISE", default=False)

# -- Security ---------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = _https and env.bool("SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^prometheus$"]
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

# -- Who watches the site -------------------------------------------------------
# /prometheus is there for whoever has this token and comes from these networks; where
# neither is set, for nobody.
PROMETHEUS_TOKEN = env.str("EARMARK_PROMETHEUS_TOKEN", default="")
try:
    PROMETHEUS_NETWORKS = [
        ip_network(name.strip()) for name in env.list("EARMARK_PROMETHEUS_NETWORKS", default=[])
    ]
except ValueError as error:
    raise ImproperlyConfigured(
        f"EARMARK_PROMETHEUS_NETWORKS: {error}. Write networks as 10.0.0.0/8, separated by commas."
    ) from error
# Where the web processes of this machine add up their counts.
COUNTS_DIR = VAR_DIR / "counts"

# -- Static files, language, logs ---------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [
    *([BASE_DIR / "static"] if _checkout else []),
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
    "filters": {"context": {"()": "leaderboard.log_context.ContextFilter"}},
    "formatters": {
        "text": {"format": "{asctime} {levelname} {name}{where}: {message}", "style": "{"},
        "json": {"()": "leaderboard.log_context.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["context"],
            "formatter": env.str("LOG_FORMAT", default="text"),
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "sentence_transformers": {"level": "WARNING"},
        # It would log every question to a language model, with the address.
        "httpx": {"level": "WARNING"},
        # A refusal is a line of the access log; Django would add its traceback.
        "django.request": {"level": "ERROR"},
    },
}
