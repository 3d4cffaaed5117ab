"""docs/guides/adding-a-metric.md, followed word for word in a copy of the project."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "adding-a-metric.md").read_text(encoding="utf-8")
PAGES = "tests/leaderboard/metrics/new_metric_pages.py"
# Folders that the guide writes to; everything else is the project's own, by links.
COPIED = ("earmark", "earmark/metrics", "tests", "tests/earmark")
# A file with its name above it, or commands.
BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./-]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def linked_copy(folder: Path) -> Path:
    """Make a copy of the project of links, with folders of its own where something is added."""
    for name in ("", *COPIED):
        (folder / name).mkdir(exist_ok=True)
        for path in (ROOT / name).iterdir():
            place = path.relative_to(ROOT).as_posix()
            if place not in COPIED and path.name not in {".git", "var", "__pycache__"}:
                (folder / place).symlink_to(path)
    return folder


def follow(part: str, project: Path, environment: dict[str, str]) -> str:
    """Write the files of a part of the guide and run its commands; what they print."""
    printed = ""
    for block in BLOCK.finditer(part):
        if block["path"]:
            path = project / block["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "sh" and "--document" not in block["text"]:
            printed += ran(["bash", "-euc", block["text"]], project, environment)
    return printed


def ran(command: list[str], project: Path, environment: dict[str, str]) -> str:
    run = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_the_guide_adds_a_metric_in_a_folder_and_as_a_package(tmp_path: Path) -> None:
    project, site = linked_copy(tmp_path / "project"), tmp_path / "site"
    environment = {
        key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "CACHE_URL"}
    } | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{project}{os.pathsep}{site}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_TARGET": str(site),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "EARMARK_VAR": str(tmp_path / "var"),
    }
    pages = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", PAGES]
    folder, package = GUIDE.split("\n## A package of your own instead\n")

    printed = follow(folder, project, environment)
    assert "1 passed" in printed
    assert "length_ratio  Length ratio, 0 to any number" in printed
    assert "no issues" in printed

    assert not list(site.glob("*"))
    printed = follow(package, project, environment)
    assert not (project / "earmark" / "metrics" / "length_ratio").exists()
    assert "length_ratio  Length ratio, 0 to any number" in printed
    assert "no issues" in printed
    assert "1 passed" in ran(pages, project, environment)
    (site / "earmark_length_ratio" / "__init__.py").write_text("FAMILY = None\n")
    told = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "earmark-length-ratio: length_ratio = earmark_length_ratio:FAMILY" in told.stderr
    assert "FAMILY is NoneType" in told.stderr
