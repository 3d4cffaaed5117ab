"""Protect that page, API and client do the same: one package, three ways, the same scores."""

import csv
import html
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission, TeamRole
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.people.accounts import token_create
from scoring.captions import References, read_references
from tests.factories import PhaseFactory, TeamFactory, UserFactory, join, reference_set
from tests.leaderboard.packages.files import package
from tests.real_data import ROOT

CLIPS = 8

pytestmark = pytest.mark.django_db(transaction=True)


def real_captions(folder: Path, references: References) -> bytes:
    """Cut a system of DCASE to a few clips, with the names as its file writes them."""
    text = (folder / "systems" / "dcase2023_baseline.csv").read_text(encoding="utf-8-sig")
    rows = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text[:100] else ",")
    header = next(rows)
    wanted = {clip.file_name for clip in references.clips}
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(row for row in rows if html.unescape(row[0]).strip() in wanted)
    return out.getvalue().encode()


def some_references(folder: Path) -> References:
    data = (folder / "clotho" / "clotho_captions_evaluation.csv").read_bytes()
    found = read_references(data).value
    assert found is not None
    return References(found.clips[:CLIPS])


@contextmanager
def scoring() -> Iterator[None]:
    """Do a worker's job beside: attempt what waits, with the function that workers run."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.2):
            waiting = Evaluation.objects.filter(state=EvaluationState.PENDING)
            for pk in list(waiting.values_list("pk", flat=True)):
                evaluation_attempt(evaluation_id=pk)
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def by_page(user_client: Client, phase: tuple[str, str], team: int, data: bytes) -> None:
    address = reverse("leaderboard:submission-create", args=phase)
    entry = {"team": team, "system_name": "", "file": SimpleUploadedFile("p.zip", data)}
    assert user_client.post(address, entry).status_code == 302


def by_api(token: str, phase: tuple[str, str], data: bytes) -> None:
    client = Client(headers={"Authorization": f"Bearer {token}"})
    address = "/api/v1/phases/{}/{}/submissions".format(*phase)
    answer = client.post(address, {"file": SimpleUploadedFile("p.zip", data)})
    assert answer.status_code == 201, answer.content


def by_client(url: str, token: str, phase: tuple[str, str], file: Path) -> dict[str, object]:
    """Run the client as a person does, and wait for the scores."""
    command = ("submit", str(file), "--phase", "/".join(phase), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard.client", *command],
        cwd=ROOT,
        env={**os.environ, "EARMARK_URL": url, "EARMARK_TOKEN": token, "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def results(submission: Submission) -> dict[str, tuple[float | None, bytes]]:
    rows = MetricResult.objects.filter(submission=submission)
    return {row.metric: (row.value, bytes(row.per_clip)) for row in rows}


def test_a_real_package_gives_the_same_by_page_api_and_client(
    live_server: LiveServer, shared_data: Path, tmp_path: Path
) -> None:
    references = some_references(shared_data)
    phase = PhaseFactory.create(reference_set=reference_set(references))
    user, team = UserFactory.create(), TeamFactory.create()
    join(team, user, TeamRole.OWNER)
    token, where = token_create(user=user, name="t")[1], (phase.challenge.slug, phase.slug)
    data = package(csv=real_captions(shared_data, references))
    file = tmp_path / "package.zip"
    file.write_bytes(data)
    browser = Client()
    browser.force_login(user)
    with scoring():
        by_page(browser, where, team.pk, data)
        by_api(token, where, data)
        told = by_client(live_server.url, token, where, file)
    first, second, third = Submission.objects.order_by("pk")
    assert told["id"] == third.public_id
    assert told["state"] == "scored", told["families"]
    for submission in (second, third):
        assert results(submission) == results(first)
        for name in ("system_name", "label", "metadata", "file_id", "file_name", "report_id"):
            assert getattr(submission, name) == getattr(first, name), name
    assert set(results(first)) == set(told["metrics"])  # type: ignore[call-overload]
