"""The models and settings that papers computed their numbers with, by the path of a folder."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from earmark.errors import ResourceMissing

PRESETS = Path(__file__).with_name("resources") / "benchmark" / "as_published.toml"


class OriginalsMissing(ResourceMissing):
    """Models of papers that are not in the folder where they should be."""

    def __init__(self, folder: Path, missing: Mapping[str, str]) -> None:
        listed = "; ".join(f"{name} ({source})" for name, source in missing.items())
        super().__init__(f"{folder} lacks models that the papers used: {listed}. Put them there.")


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """By metric family the parameters of the paper, models by name."""
    families: dict[str, dict[str, Any]] = _read()["family"]
    return families


def models_of(family: str) -> tuple[str, ...]:
    """Names of the models of a family's paper; none where the family has the paper's own."""
    models = _read()["model"]
    return tuple(value for value in presets().get(family, {}).values() if value in models)


def as_published(folder: Path, families: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Parameters of those families that a paper computed otherwise; models are in ``folder``.

    Raises ``OriginalsMissing`` with all models that are wanted and not there.
    """
    models: dict[str, str] = _read()["model"]
    wanted = {family: presets()[family] for family in families if family in presets()}
    used = [value for own in wanted.values() for value in own.values() if value in models]
    missing = {name: models[name] for name in used if not (folder / name).exists()}
    if missing:
        raise OriginalsMissing(folder, missing)
    return {
        family: {
            name: str(folder / value) if value in models else value for name, value in own.items()
        }
        for family, own in wanted.items()
    }


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(PRESETS.read_text(encoding="utf-8"))
