"""The kinds of work that there are: the folders beside this file."""

from functools import cache
from importlib import import_module
from pathlib import Path

from annotation.kinds.work_kind import WorkKind


@cache
def work_kinds() -> dict[str, WorkKind]:
    """Every kind by its name, label words first and the others in the order of their titles."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    kinds: list[WorkKind] = [import_module(f"annotation.kinds.{folder}").KIND for folder in folders]
    kinds.sort(key=lambda kind: (not kind.has_labels, kind.title))
    return {kind.name: kind for kind in kinds}


def kind_named(name: str) -> WorkKind:
    """The kind of a project; raises ``LookupError`` where its folder is missing here."""
    try:
        return work_kinds()[name]
    except KeyError as error:
        known = ", ".join(work_kinds())
        raise LookupError(f'There is no kind of work "{name}" here. Known: {known}.') from error
