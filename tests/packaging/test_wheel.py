"""Both wheels: built, installed, used without Django and as a site, which offers the one again."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import earmark
from leaderboard.wheel import NAME, wheel_path
from tests.packaging.test_dependencies import PROJECT
from tests.real_data import ROOT

SITE_ONLY = ("django", "celery", "kombu", "ninja", "allauth", "redis", "plotly", "psycopg")
BLOCK = f"import sys\nsys.modules.update(dict.fromkeys({SITE_ONLY!r}))\n"
REFERENCES = "file_name,caption_1,caption_2\ndog.wav,A dog barks.,A dog is barking.\n"
CANDIDATES = "file_name,caption_predicted\ndog.wav,a dog barks\n"
SITE = """
import django, json
django.setup()
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import get_template
from pathlib import Path
from leaderboard.management.commands.run import _file
from leaderboard.wheel import wheel_path
found = [get_template("base.html").origin.name, finders.find("css/base.css")]
found += [get_template("account/login.html").origin.name, _file("Procfile")]
found += [_file("gunicorn.conf.py"), settings.VAR_DIR, wheel_path(Path("wheel").absolute())]
print(json.dumps([str(path) for path in found]))
"""


def pip(*arguments: str) -> None:
    quiet = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", arguments[0], *quiet, *arguments[1:]]
    subprocess.run(command, cwd=ROOT, check=True)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Paths of the wheels that pip builds: of the library, and of the site."""
    folder = tmp_path_factory.mktemp("built")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), ".", "./leaderboard")
    library, site = sorted(folder.iterdir())
    return library, site


@pytest.fixture(scope="module")
def built(wheels: tuple[Path, Path]) -> Path:
    return wheels[0]


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the library was installed into."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--target", str(folder), str(built))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "references.csv").write_text(REFERENCES)
    (tmp_path / "captions.csv").write_text(CANDIDATES)
    return "--references=references.csv", "--candidates=captions.csv"


def run_earmark(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in an interpreter that has no Django."""
    (folder / "sitecustomize.py").write_text(BLOCK)
    return subprocess.run(
        [sys.executable, str(installed / "bin" / "earmark"), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
    )


def contents(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with ZipFile(wheel) as opened:
        for name in opened.namelist():
            yield name, opened.read(name)


def metadata(wheel: Path) -> dict[str, object]:
    """What a wheel says of itself, free of how that is written."""
    text = next(data for name, data in contents(wheel) if name.endswith("/METADATA")).decode()
    found = Parser().parsestr(text)
    fields = ("Name", "Version", "Summary", "Requires-Python", "License-Expression")
    return {
        **{field: found[field] for field in fields},
        "files": sorted(found.get_all("License-File", [])),
        "extras": found.get_all("Provides-Extra", []),
        "needs": sorted(
            str(needed).lower() for needed in map(Requirement, found.get_all("Requires-Dist", []))
        ),
        "text": str(found.get_payload()).strip(),
    }


def test_both_are_of_the_same_version(wheels: tuple[Path, Path]) -> None:
    library, site = wheels
    assert library.name == NAME == f"earmark-{earmark.__version__}-py3-none-any.whl"
    assert site.name == f"earmark_server-{earmark.__version__}-py3-none-any.whl"
    extras = ",".join(sorted(PROJECT["optional-dependencies"]))
    assert metadata(site)["needs"] == [f"earmark[{extras}]=={earmark.__version__}"]


def test_the_wheel_of_the_site_is_the_one_that_pip_builds(built: Path, tmp_path: Path) -> None:
    own = wheel_path(tmp_path)
    written = ("/METADATA", "/WHEEL", "/RECORD")  # by another program, in its own order
    ours, theirs = dict(contents(own)), dict(contents(built))
    assert ours.keys() == theirs.keys()
    assert [
        name for name in ours if ours[name] != theirs[name] and not name.endswith(written)
    ] == []
    assert metadata(own) == metadata(built)
    records = [
        sorted(
            line
            for line in files[f"earmark-{earmark.__version__}.dist-info/RECORD"].decode().split()
            if not line.split(",")[0].endswith(written)
        )
        for files in (ours, theirs)
    ]
    assert records[0] == records[1]


def test_the_wheel_of_the_site_is_written_once_and_again_where_it_is_gone(tmp_path: Path) -> None:
    path = wheel_path(tmp_path)
    first = path.read_bytes()
    path.write_bytes(b"as it is")
    assert wheel_path(tmp_path).read_bytes() == b"as it is"
    path.unlink()
    (tmp_path / "of-older-code").mkdir()
    assert wheel_path(tmp_path).read_bytes() == first
    assert [folder.name for folder in tmp_path.iterdir()] == [path.parent.name]


def test_nothing_of_this_machine_is_in_them(wheels: tuple[Path, Path]) -> None:
    packages = []
    for wheel in wheels:
        names = [name for name, _ in contents(wheel)]
        strange = [name for name in names if re.search(r"__pycache__|/\.|var/", name)]
        assert strange == []
        packages.append({name.split("/")[0] for name in names if ".dist-info/" not in name})
    assert packages == [{"earmark"}, {"leaderboard", "annotation"}]


def test_metrics_are_listed_without_django(installed: Path, tmp_path: Path) -> None:
    done = run_earmark(installed, tmp_path, "metrics", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) > 20
    assert done.stderr == ""


def test_captions_are_checked_and_scored_without_django(
    installed: Path, tmp_path: Path, files: tuple[str, str]
) -> None:
    done = run_earmark(installed, tmp_path, "validate", *files)
    assert done.returncode == 0, done.stderr
    done = run_earmark(
        installed, tmp_path, "score", *files, "--metrics=bleu_1,cider_d,vocab", "--json=-"
    )
    assert done.returncode == 0, done.stderr
    assert '"bleu_1"' in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--version",), 0, f"earmark {earmark.__version__}"),
        (("phases",), 2, "Run 'login --server https://...' first"),
        (("check", "none.csv", "--phase", "a/b", "--server", "http://127.0.0.1:9"), 2, "none.csv"),
        (
            ("submit", "captions.csv", "--phase=a/b", "--server=http://[::1"),
            2,
            "is not the address of a server",
        ),
        (("server", "check"), 2, "pip install earmark-server"),
        (("nothing",), 2, "invalid choice: 'nothing'"),
    ],
)
def test_participants_need_no_django(
    installed: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = run_earmark(installed, tmp_path, *arguments)
    assert said in done.stdout + done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_an_installed_site_finds_its_files_and_stores_where_it_is_started(
    wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    built, _ = wheels
    installed = tmp_path / "installed"
    pip("install", "--target", str(installed), *map(str, wheels))
    names = ("EARMARK_VAR", "EARMARK_CACHE", "DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", SITE],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    *found, var, wheel = json.loads(done.stdout)
    assert [path for path in found if not path.startswith(f"{installed}/leaderboard/")] == []
    assert var == str(tmp_path / "var")
    assert {name for name, _ in contents(Path(wheel))} == {name for name, _ in contents(built)}
    assert metadata(Path(wheel)) == metadata(built)
