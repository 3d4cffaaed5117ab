"""Look at all that the site needs, and say how to mend what it lacks; status 1 where it does."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core import checks
from django.core.mail import get_connection
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError
from django.db.models import F
from django.db.models.functions import Abs

from earmark import pipeline
from earmark.captions import Candidates, References
from earmark.captions.faults import count_of
from earmark.errors import ScoringError
from earmark.models.clap import embed_texts, find_clap
from earmark.registry import standard_families
from earmark.workspace import Workspace
from leaderboard.models import Labeller
from leaderboard.outside_models import KeyMissing, LanguageModelServer
from leaderboard.scorer import family_arguments, family_signature
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.evaluations.readiness import (
    ReadinessCheck,
    check_of,
    clock_offset,
    readiness,
    workers_seen,
)
from leaderboard.selectors.labellers.files import fault_of
from leaderboard.selectors.operations.migrations import migrations_lacking
from leaderboard.services.outside.asking import key_refused, status_of
from leaderboard.web.account_adapters import FACTOR_KEY, MfaAdapter, SecondFactorUnreadable

# Deadlines are judged by the clock of the machine that takes the upload.
CLOCK_TOLERANCE = timedelta(seconds=5)
LEAST_FREE_BYTES = 2_000_000_000
_CAPTIONS = ("a dog barks while rain falls", "people talk in a busy street")

Examination = Callable[[datetime], Iterator[ReadinessCheck]]


def examinations(*, models: bool) -> Iterator[ReadinessCheck]:
    """Each check when it is done, of more than ``/readyz`` asks, and what mends what is lacking.

    ``models`` loads every model, and computes with it as a worker does, which takes a minute.
    """
    now = datetime.now().astimezone()
    parts: list[Examination] = [_settings, _second_factors, _tables, _services, _clocks]
    parts += [_folders, _mail]
    if models:
        parts += [_metrics, _labellers, _language_models, _clap_models]
    for part in parts:
        try:
            yield from part(now)
        except DatabaseError:  # which is told where the database is asked
            yield ReadinessCheck(
                part.__name__.strip("_"), False, "This cannot be checked because of the database."
            )


def _check(name: str, detail: str, mending: str = "") -> ReadinessCheck:
    return ReadinessCheck(name, not mending, detail, mending)


def _settings(_now: datetime) -> Iterator[ReadinessCheck]:
    public = settings.SITE_URL.startswith("https:")
    messages = checks.run_checks(include_deployment_checks=public)
    warnings = [one for one in messages if one.level >= checks.WARNING and not one.is_silenced()]
    for one in warnings:
        yield ReadinessCheck(f"settings {one.id}", False, str(one.msg), one.hint or "")
    if not warnings:
        scope = "of a public site" if public else f"of a site at {settings.SITE_URL}"
        yield _check("settings", f"They are {scope}; all are valid.")


def _services(now: datetime) -> Iterator[ReadinessCheck]:
    yield from readiness(now=now)


def _tables(_now: datetime) -> Iterator[ReadinessCheck]:
    if lacking := len(migrations_lacking()):
        detail = f"They are {count_of(lacking, 'migration')} behind this version."
        yield _check("tables", detail, "Make a backup, then run manage.py migrate.")
    else:
        yield _check("tables", "They match this version.")


def _clocks(now: datetime) -> Iterator[ReadinessCheck]:
    offsets = {"this machine": clock_offset().total_seconds()}
    slowest = workers_seen(now).annotate(off=Abs("clock_offset")).order_by(F("off").desc()).first()
    if slowest is not None:
        offsets[slowest.name] = slowest.clock_offset
    for name, seconds in offsets.items():
        far = abs(seconds) > CLOCK_TOLERANCE.total_seconds()
        mending = "Synchronise the clocks of both machines with NTP." if far else ""
        detail = f"It is {seconds:+.1f} s off that of the database."
        yield _check(f"clock of {name}", detail, mending)


def _folders(_now: datetime) -> Iterator[ReadinessCheck]:
    for setting, name in (
        ("EARMARK_VAR", "VAR_DIR"),
        ("EARMARK_CACHE", "SCORING_CACHE_DIR"),
        ("EARMARK_AUDIO", "AUDIO_DIR"),
        ("EARMARK_LABELLERS", "LABELLERS_DIR"),
        ("EARMARK_TRAININGS", "TRAININGS_DIR"),
    ):
        wanted = Path(getattr(settings, name))
        # It is made when something is first kept there.
        folder = next(place for place in (wanted, *wanted.parents) if place.is_dir())
        disk = shutil.disk_usage(folder)
        detail = f"{wanted}: {disk.free / 1e9:,.1f} of {disk.total / 1e9:,.1f} GB are free"
        mending = ""
        if not os.access(folder, os.W_OK | os.X_OK):
            detail += ", nothing can be written"
            mending = f"Give the user with id {os.getuid()} the right to write."
        elif disk.free < LEAST_FREE_BYTES:
            mending = f"Make room for {LEAST_FREE_BYTES / 1e9:.0f} GB, or move {setting}."
        yield _check(f"folder {setting}", f"{detail}.", mending)


def _mail(_now: datetime) -> Iterator[ReadinessCheck]:
    if "smtp" not in settings.EMAIL_BACKEND:
        # Of a public site this is a fault of its settings.
        yield _check("mail", "No mail server is set (EMAIL_URL), so mails reach nobody.")
        return

    def asked() -> str:
        with get_connection():
            return "The server accepts mail."

    yield check_of("mail", asked, "EMAIL_URL")


def _second_factors(_now: datetime) -> Iterator[ReadinessCheck]:
    """Whether the codes of authenticator apps can be checked with the keys of the site."""
    try:
        for app in Authenticator.objects.filter(type=Authenticator.Type.TOTP):
            MfaAdapter().decrypt(app.data["secret"])
    except SecondFactorUnreadable:
        detail = "Codes of authenticator apps were encrypted with another SECRET_KEY."
        yield _check("second factors", detail, FACTOR_KEY)
    else:
        yield _check("second factors", "SECRET_KEY opens all that are stored.")


def _metrics(_now: datetime) -> Iterator[ReadinessCheck]:
    references = References.build((text, [text, text]) for text in _CAPTIONS)
    candidates = Candidates.single(list(_CAPTIONS))
    # Nothing that was kept before stands in for a model that is gone.
    workspace = Workspace(
        cache_dir=settings.SCORING_CACHE_DIR, cache_bytes=0, device=settings.SCORING_DEVICE
    )
    for name in standard_families():
        began = time.monotonic()
        try:
            signature = family_signature(name, references)
            pipeline.score_family(name, candidates, references, workspace, **family_arguments(name))
        except (ScoringError, ImportError, OSError, RuntimeError, ValueError) as error:
            yield _check(
                f"metric {family_label(name)}",
                str(error),
                "Put its files back where EARMARK_METRICS names them, or install "
                "requirements.txt again.",
            )
            continue
        seconds = time.monotonic() - began
        yield _check(f"metric {family_label(name)}", f"{signature}, {seconds:.1f} s")


def _labellers(_now: datetime) -> Iterator[ReadinessCheck]:
    for labeller in Labeller.objects.order_by("identity"):
        detail, mending = "Unchanged since it was stored.", ""
        if fault := fault_of(labeller.sha256):
            detail = f"Its files have changed since they were stored: {fault}."
            mending = "Restore them from a backup, or upload the labeller again."
        yield _check(f"labeller {labeller.identity}", detail, mending)


def _language_models(_now: datetime) -> Iterator[ReadinessCheck]:
    for name, server in settings.LANGUAGE_MODELS.items():
        yield _check(f"language model {name}", *_asked(server))


def _asked(server: LanguageModelServer) -> tuple[str, str]:
    """What is found of a server, and what mends it."""
    entry = f"{server.name!r} in EARMARK_LANGUAGE_MODELS"
    try:
        status = status_of(server)
    except KeyMissing as error:
        return str(error), f"See where {entry} says that its key is."
    if key_refused(status):
        return f"{server.host} refuses the key ({status}).", f"Replace the key of {entry}."
    if not status:
        return (
            f"{server.host} does not answer.",
            f"See whether the address of {entry} is right, and may be reached from this machine.",
        )
    if status >= 500:
        return f"{server.host} answers with an error ({status}).", "Ask whoever runs that server."
    # Not every server lists its models.
    return f"{server.host} answers ({status}); nothing was computed, as that may cost money.", ""


def _clap_models(_now: datetime) -> Iterator[ReadinessCheck]:
    for name, folder in settings.CLAP_MODELS.items():
        try:
            clap = find_clap(folder)
            embed_texts(clap, _CAPTIONS, device=settings.SCORING_DEVICE)
        except (ScoringError, ImportError, OSError, RuntimeError, ValueError) as error:
            mending = f"Put the model where {name!r} in EARMARK_CLAP_MODELS says."
            yield _check(f"CLAP model {name}", str(error), mending)
            continue
        yield _check(f"CLAP model {name}", clap.identity)


HELP = __doc__


class Command(BaseCommand):
    """Settings, database, cache, queues, workers, clocks, disks, mail, models with hashes."""

    help = HELP
    # They are part of what is told.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --json and --quick."""
        parser.add_argument("--json", action="store_true", help="One JSON object for each check.")
        parser.add_argument("--quick", action="store_true", help="Do not load models.")

    def handle(self, *_args: Any, quick: bool, **options: Any) -> None:
        """Write each check when it is done."""
        faults = 0
        for check in examinations(models=not quick):
            faults += not check.ok
            if options["json"]:
                self.stdout.write(json.dumps(asdict(check)))
                continue
            line = f"{'ok   ' if check.ok else 'FAULT'} {check.name}: {check.detail}"
            self.stdout.write(line if check.ok else self.style.ERROR(line))
            if check.mending:
                self.stdout.write(f"      {check.mending}")
            self.stdout.flush()
        if faults:
            sys.exit(1)
        if not options["json"]:
            self.stdout.write("No problems found.")
