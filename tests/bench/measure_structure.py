"""Print the figures of docs/architecture.md about how the product is built.

    python -m tests.bench.measure_structure [--before CHECKOUT] [--write]
    python -m tests.bench.measure_structure --files "submit a system"

The figures stand beside those of another checkout, or beside those before that the document has.
``--write`` puts them into it; none may grow (``tests/docs/test_architecture.py``). ``--files``
lists the files of one page, each with the number of calls that lead to it.
"""

import argparse
import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.bench.output import say
from tests.bench.tables import table, tell, written
from tests.docs.source_tree import PACKAGES, Definition, SourceTree, Symbol

TABLE = "measure_structure: figures"
APPS = ("leaderboard", "annotation")

SMALL = 40
NEAR = 6
# The site is put together here: addresses, the root of the API, commands, settings.
TOGETHER = (
    "leaderboard.urls",
    "leaderboard.api.application",
    "leaderboard.management",
    "leaderboard.settings",
)
# The view function of each page, now and before: the first name that the checkout has is taken.
PAGES = {
    "submit a system": [
        "leaderboard.views.submissions.upload:submission_create",
        "leaderboard.views.submissions:submission_create",
    ],
    "rescore": [
        "leaderboard.views.organising.rescoring:rescoring",
        "leaderboard.views.manage.rescoring:rescoring",
    ],
    "words of a phase": [
        "leaderboard.views.words:phase_words",
    ],
    "save an answer": [
        "annotation.api.tasks:annotate",
    ],
    "compare two": [
        "leaderboard.views.analysis:compare",
    ],
    "reveal": [
        "leaderboard.views.organising.phases:reveal",
        "leaderboard.views.manage.freezing:reveal",
        "leaderboard.views.organising.phases:ranking",
    ],
    "disqualify": [
        "leaderboard.views.organising.submissions:submission_disqualify",
        "leaderboard.views.organising.submissions:submission_out",
        "leaderboard.views.manage.submissions:submission_out",
    ],
}


def main(arguments: list[str] | None = None) -> None:
    """Print one figure a line as the rows of a Markdown table, or the files of one page."""
    parser = argparse.ArgumentParser(description="How the product is built, in figures.")
    parser.add_argument("--before", type=Path, help="a checkout to compare this one with")
    parser.add_argument("--files", choices=PAGES, help="list the files of this page")
    parser.add_argument("--write", action="store_true", help="write into docs/architecture.md")
    options = parser.parse_args(arguments)
    tree = SourceTree()
    if options.files:
        files = sorted((n, name) for name, n in files_of_page(tree, options.files).items())
        say("\n".join(f"{calls:2} {name}" for calls, name in files))
        return
    now = dict(figures(tree))
    if options.before:
        before = dict(figures(SourceTree(options.before)))
    else:
        before = {what: then for what, then, _ in kept_rows()}
    rows = [[what, before[what], value] for what, value in now.items()]
    tell({TABLE: table(["", "26 November 2026", "now"], rows)}, write=options.write)


def kept_rows() -> list[list[str]]:
    """Rows of the document's table: what was measured, its value before and now."""
    kept = next(text for _, name, text in written() if name == TABLE)
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in kept.splitlines()[2:]]


def figures(tree: SourceTree) -> Iterator[tuple[str, str]]:
    """What is measured and its value, in the order of the document's table."""
    modules = tree.modules.values()
    importers = Counter(target for targets in tree.arrows.values() for target in targets)
    classes = Counter(name for module in modules for name in module.classes)
    yield "product modules", f"{len(modules):,}"
    yield "product lines", f"{sum(module.lines for module in modules):,}"
    yield "lines of tests without measuring programs", f"{lines_of_tests(tree.root):,}"
    yield f"modules under {SMALL} lines", str(sum(module.lines < SMALL for module in modules))
    yield "modules with one importer", str(sum(importers[name] == 1 for name in tree.modules))
    yield "class names defined more than once", str(sum(n > 1 for n in classes.values()))
    yield "dataclasses, those made at one place", ", ".join(map(str, dataclasses_of(tree)))
    yield "classes of the API's schemas", str(subclasses(tree, "Schema"))
    yield "exception classes of the two apps", str(subclasses(tree, "Exception", APPS))
    yield "operations of the API", str(operations(tree))
    yield "imports that run upward", str(len(upward_imports(tree)))
    yield "import cycles of files", str(len(import_cycles(tree.arrows)))
    for page in PAGES:
        files = files_of_page(tree, page)
        near = sum(calls <= NEAR for calls in files.values())
        yield f'files of "{page}": within {NEAR} calls, in all', f"{near}, {len(files)}"


def lines_of_tests(root: Path) -> int:
    """Lines of Python below tests/, without the programs that measure."""
    files = (root / "tests").rglob("*.py")
    return sum(one.read_text("utf-8").count("\n") for one in files if "bench" not in one.parts)


def dataclasses_of(tree: SourceTree) -> tuple[int, int]:
    """Number of dataclasses, and of those that at most one place makes an object of."""
    names, made = set(), Counter[str]()
    for module in tree.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(decorator).startswith("dataclass") for decorator in node.decorator_list
            ):
                names.add(node.name)
            elif isinstance(node, ast.Call):
                # ``map(Name, ...)`` and ``partial(Name)`` make objects, too.
                for part in (node.func, *node.args):
                    if isinstance(part, ast.Name | ast.Attribute):
                        made[part.id if isinstance(part, ast.Name) else part.attr] += 1
    return len(names), sum(made[name] <= 1 for name in names)


def subclasses(tree: SourceTree, root: str, packages: tuple[str, ...] = PACKAGES) -> int:
    """Classes that inherit from one named ``root``, directly or not, by the names in the source.

    For ``Exception`` what other packages name as exceptions counts as one, too.
    """
    bases: dict[str, set[str]] = {}
    for name, module in tree.modules.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and name.startswith(packages):
                parents = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                bases.setdefault(node.name, set()).update(parents)
    ends = r"Exception|Error|Denied|Http404" if root == "Exception" else re.escape(root)
    named = {parent for parents in bases.values() for parent in parents} - set(bases)
    below, before = {name for name in named if re.search(f"({ends})$", name)}, 0
    outside = len(below)
    while len(below) > before:
        before = len(below)
        below |= {name for name, parents in bases.items() if parents & below}
    return len(below) - outside


def operations(tree: SourceTree) -> int:
    """Functions that a router of the API answers with."""
    return sum(
        bool(
            re.match(r"\w*(?:router|api)\.(?:get|post|put|patch|delete)\(", ast.unparse(decorator))
        )
        for name, module in tree.modules.items()
        if ".api" in name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    )


def upward_imports(tree: SourceTree) -> set[tuple[str, str]]:
    """Imports from a lower to a higher layer of an app, or from a package to one above it.

    The layers are those of the checkout's own import contracts (pyproject.toml). The order of the
    packages is ``PACKAGES``; the places that put the site together may name all of them.
    """
    project = tomllib.loads((tree.root / "pyproject.toml").read_text(encoding="utf-8"))
    found = {
        (source, target)
        for source, targets in tree.arrows.items()
        for target in targets
        if PACKAGES.index(source.split(".")[0]) < PACKAGES.index(target.split(".")[0])
        and not source.startswith(TOGETHER)
    }
    for contract in project["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            for container in contract.get("containers", [""]):
                found |= _against_layers(tree, container, contract["layers"])
    return found


def _against_layers(tree: SourceTree, container: str, layers: list[str]) -> set[tuple[str, str]]:
    floors = {
        f"{container}.{part.strip(' ()')}".lstrip("."): -height
        for height, layer in enumerate(layers)
        for part in re.split("[|:]", layer)
    }

    def floor(module: str) -> int | None:
        while module:
            if module in floors:
                return floors[module]
            module = module.rpartition(".")[0]
        return None

    return {
        (source, target)
        for source, targets in tree.arrows.items()
        for target in targets
        if (low := floor(source)) is not None and (high := floor(target)) is not None and low < high
    }


def import_cycles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """Groups of two or more modules that import each other, directly or through others."""
    order: list[str] = []
    seen: set[str] = set()
    for start in arrows:
        _visit(start, arrows, seen, order)
    reverse: dict[str, set[str]] = {name: set() for name in arrows}
    for source, targets in arrows.items():
        for target in targets:
            reverse[target].add(source)
    groups, taken = [], set[str]()
    for start in reversed(order):
        group: list[str] = []
        _visit(start, reverse, taken, group)
        if len(group) > 1:
            groups.append(set(group))
    return groups


def _visit(start: str, arrows: dict[str, set[str]], seen: set[str], order: list[str]) -> None:
    """Append what can be reached and was not seen, each after what it leads to."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(sorted(arrows[start])))]
    while path:
        name, rest = path[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            order.append(name)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(sorted(arrows[following]))))


def files_of_page(tree: SourceTree, page: str) -> dict[str, int]:
    """Modules that somebody who follows a page's code opens, with the calls that lead there.

    Begins at the view function. Whatever a function, class or constant names and the product
    defines at the top level of a module counts as called and is followed in turn; annotations
    do not count. Methods of objects are followed only with their class where it is named, and
    templates not at all, so that the number is a lower bound.
    """
    calls = {_view(tree, page): 0}
    front = list(calls)
    while front:
        reached = []
        for symbol in front:
            for used in sorted(_named(tree, symbol)):
                if used not in calls:
                    calls[used] = calls[symbol] + 1
                    reached.append(used)
        front = reached
    files: dict[str, int] = {}
    for (module, _), count in calls.items():
        files[module] = min(count, files.get(module, count))
    return files


def _view(tree: SourceTree, page: str) -> Symbol:
    for place in PAGES[page]:
        module, name = place.split(":")
        if module in tree.modules and name in tree.modules[module].definitions:
            return (module, name)
    raise LookupError(f"no view of {page}: name the view's present place in PAGES")


def _named(tree: SourceTree, symbol: Symbol) -> set[Symbol]:
    """What a definition names that the product defines, annotations left out."""
    module, name = symbol
    node = tree.modules[module].definitions[name]
    skipped = {id(part) for annotation in _annotations(node) for part in ast.walk(annotation)}
    found = set()
    for part in ast.walk(node):
        if id(part) not in skipped and isinstance(part, ast.Name | ast.Attribute):
            target = _target(tree, module, part)
            if target and target[1]:
                found.add(target)
    return found


def _annotations(node: Definition) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*part.args.posonlyargs, *part.args.args, *part.args.kwonlyargs]
            yield from (a.annotation for a in arguments if a.annotation)
            if part.returns:
                yield part.returns
        elif isinstance(part, ast.AnnAssign):
            yield part.annotation


def _target(tree: SourceTree, module: str, node: ast.expr) -> Symbol | None:
    if isinstance(node, ast.Name):
        return tree.resolve(module, node.id)
    if isinstance(node, ast.Attribute):
        base = _target(tree, module, node.value)
        return base if base is None or base[1] else tree.resolve(base[0], node.attr)
    return None


if __name__ == "__main__":
    main()
