"""The product's modules, what they define and what they import, read from the source files.

Standard library alone and nothing of the product: the same code measures another checkout.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGES = ("earmark", "leaderboard", "annotation")
ROOT = Path(__file__).resolve().parents[2]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
Symbol = tuple[str, str]
"""A module and the name of something that it defines."""


@dataclass(frozen=True)
class Module:
    """One source file of the product."""

    name: str
    path: Path
    lines: int
    tree: ast.Module

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """What the module defines at its top level, by name."""
        found: dict[str, Definition] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            found[part.id] = node
        return found

    @cached_property
    def imports(self) -> list[tuple[str, str, str]]:
        """Imports anywhere in the file: local name, module, name in it ("" for the module)."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found += [(a.asname or a.name, node.module, a.name) for a in node.names]
            elif isinstance(node, ast.Import):
                found += [(a.asname or a.name, a.name, "") for a in node.names]
        return found

    @property
    def classes(self) -> Iterator[str]:
        """Names of all classes of the file, nested ones too, without Django's Meta and Command."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name not in {"Meta", "Command"}:
                yield node.name


class SourceTree:
    """All modules of a checkout but migrations, and the imports between them."""

    def __init__(self, root: Path = ROOT) -> None:
        """Read every file below the product's packages."""
        self.root = root
        self.modules = {module.name: module for module in _modules(root)}

    def module_of(self, dotted: str) -> str | None:
        """Name of the module that a dotted name is or stands in; None outside the product."""
        while dotted:
            if dotted in self.modules:
                return dotted
            dotted = dotted.rpartition(".")[0]
        return None

    @cached_property
    def arrows(self) -> dict[str, set[str]]:
        """For each module the product's modules that it imports, itself left out."""
        arrows: dict[str, set[str]] = {}
        for name, module in self.modules.items():
            dotted = (f"{source}.{part}".rstrip(".") for _, source, part in module.imports)
            arrows[name] = {found for d in dotted if (found := self.module_of(d))} - {name}
        return arrows

    def resolve(self, module: str, name: str) -> Symbol | None:
        """Where a name of a module is defined: a symbol, or ("module", "") for a module."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            if module not in self.modules:
                return None
            if name in self.modules[module].definitions:
                return (module, name)
            found = next((i for i in self.modules[module].imports if i[0] == name), None)
            if found is None:
                return (f"{module}.{name}", "") if f"{module}.{name}" in self.modules else None
            _, module, name = found
            if f"{module}.{name}".rstrip(".") in self.modules:
                return (f"{module}.{name}".rstrip("."), "")
        return None


def _modules(root: Path) -> Iterator[Module]:
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            dotted = ".".join(path.relative_to(root).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            yield Module(dotted.removesuffix(".__init__"), path, text.count("\n"), ast.parse(text))
