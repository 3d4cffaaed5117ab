"""Every kind of finding by name: a module of ``kinds`` that describes itself as ``KIND``."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

from scoring.datasets.findings import kinds
from scoring.datasets.findings.finding import FindingKind, UnknownFindingKind


def _found_kinds() -> Iterator[FindingKind]:
    for module in pkgutil.iter_modules(kinds.__path__, f"{kinds.__name__}."):
        kind: FindingKind = importlib.import_module(module.name).KIND
        yield kind


KINDS: dict[str, FindingKind] = {kind.name: kind for kind in _found_kinds()}
DEFAULT_KINDS = tuple(name for name, kind in KINDS.items() if kind.default)
# For a caption that somebody is writing; the set's other captions are not parsed.
WRITING_KINDS = tuple(name for name, kind in KINDS.items() if kind.writing)


def kinds_named(names: Iterable[str]) -> tuple[FindingKind, ...]:
    """Kinds of these names, each once and in the registry's order; raises ``UnknownFindingKind``.

    "all" names every kind.
    """
    wanted = set(names)
    unknown = sorted(wanted - {*KINDS, "all"})
    if unknown:
        raise UnknownFindingKind(unknown[0], KINDS)
    return tuple(kind for name, kind in KINDS.items() if {name, "all"} & wanted)
