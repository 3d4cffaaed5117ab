"""The wheel of the very code that runs here: a score at home is then the server's.

It holds what ``pip wheel .`` puts into one; a test compares the two. It is written without the
build backend, so that a site can offer it from a checkout and from an installation alike.
"""

import base64
import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import earmark

NAME = f"earmark-{earmark.__version__}-py3-none-any.whl"
_ROOT = Path(__file__).resolve().parents[1]
_DIST_INFO = f"earmark-{earmark.__version__}.dist-info"
_WHEEL = "Wheel-Version: 1.0\nGenerator: earmark\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel_path(folder: Path) -> Path:
    """Path of the wheel below ``folder``, where it is written unless it is there already."""
    record = _record()
    path = folder / hashlib.sha256(record.encode()).hexdigest()[:16] / NAME
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.iterdir():
        if other != path.parent:
            shutil.rmtree(other, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        with ZipFile(file, "w", ZIP_DEFLATED) as wheel:
            for name, content in _members():
                wheel.writestr(_entry(name), content)
            wheel.writestr(_entry(f"{_DIST_INFO}/RECORD"), record)
        Path(file.name).chmod(0o644)
    Path(file.name).replace(path)
    return path


def _entry(name: str) -> ZipInfo:
    # No date of its own: the same code is the same wheel.
    entry = ZipInfo(name)
    entry.external_attr = 0o644 << 16
    entry.compress_type = ZIP_DEFLATED
    return entry


@cache
def _record() -> str:
    """The wheel's RECORD: every file with its hash and size."""
    lines = []
    for name, content in _members():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{_DIST_INFO}/RECORD,,\n"])


def _members() -> Iterator[tuple[str, bytes]]:
    """Every file of the wheel but RECORD, in a fixed order."""
    for path in sorted((_ROOT / "earmark").rglob("*")):
        parts = path.relative_to(_ROOT).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield "/".join(parts), path.read_bytes()
    project = _ROOT / "pyproject.toml"
    files = _project_files(project) if project.is_file() else _installed_files()
    for name, content in files:
        yield f"{_DIST_INFO}/{name}", content


def _installed_files() -> Iterator[tuple[str, bytes]]:
    """Metadata files of the installed distribution, without where it was installed from."""
    for file in distribution("earmark").files or ():
        name = "/".join(file.parts[1:])
        described = name in {"METADATA", "WHEEL", "entry_points.txt"} or name.startswith(
            "licenses/"
        )
        if described and file.parts[0] == _DIST_INFO:
            yield name, file.read_binary()


def _project_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Metadata files of a wheel, made from pyproject.toml."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    licences = [name for name in project["license-files"] if (_ROOT / name).is_file()]
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    yield "METADATA", _metadata(project, licences).encode()
    yield "WHEEL", _WHEEL.encode()
    yield "entry_points.txt", f"[console_scripts]\n{scripts}".encode()
    for name in licences:
        yield f"licenses/{name}", (_ROOT / name).read_bytes()


def _metadata(project: dict[str, Any], licences: list[str]) -> str:
    extras = project["optional-dependencies"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {earmark.__version__}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in licences),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
    ]
    for extra, needs in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {needed}; extra == '{extra}'" for needed in needs]
    readme = (_ROOT / project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])
