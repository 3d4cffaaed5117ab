"""The name that ``earmark`` had in version 0.1: its modules under their earlier names.

For programs that were written then, beside a checkout; new ones ``import earmark``.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import earmark


def __getattr__(name: str) -> Any:
    return getattr(earmark, name)


class _Earlier(MetaPathFinder, Loader):
    """Finds ``scoring.x`` as the very module ``earmark.x``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        ours = fullname.startswith(f"{__name__}.") and fullname != f"{__name__}.__main__"
        return ModuleSpec(fullname, self) if ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"earmark{spec.name.removeprefix(__name__)}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system wrote the earlier name there.
        module.__spec__ = module.__spec__ and module.__spec__.loader_state


# Before the finder of files, which would load each file once more.
sys.meta_path.insert(0, _Earlier())
