"""Draw docs/images/architecture.svg from the imports of the product.

    python -m tests.docs.draw_architecture

Boxes are the layers that the import contracts of pyproject.toml name, with the rooms in them. An
arrow from one row of layers to another stands for all imports between the two; the more there
are, the stronger it is. A test fails when the picture is no longer that of the code.
"""

import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from tests.docs.source_tree import ROOT, SourceTree

PICTURE = Path("docs") / "images" / "architecture.svg"
SAYS = {
    "leaderboard": "the site and the challenge app",
    "annotation": "the labelling app",
    "earmark": "the metrics library and the command line",
}
ABOVE, BELOW = "above the layers", "below the layers"
STRENGTHS = (
    (100, 3.6, "100 imports or more"),
    (10, 2.0, "10 to 99 imports"),
    (1, 1.0, "fewer than 10 imports"),
)
WIDTH, GUTTER, BETWEEN, TOP = 1180, 86, 56, 76
COLUMN = {"leaderboard": 0.58, "annotation": 0.42}
LINE, LETTER, BOLD = 15, 6.5, 8.2
STYLE = """
  svg { --ink: #1c2330; --soft: #5c6675; --line: #c3c9d2; --box: #f5f6f8; --paper: #ffffff;
        --arrow: #33639a; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e4e7ec; --soft: #9aa4b2; --line: #465061; --box: #1e2531; --paper: #12161d;
          --arrow: #7fb0e8; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .name { font-size: 13px; font-weight: 600; fill: var(--ink); }
  .title { font-size: 16px; font-weight: 600; fill: var(--ink); }
  rect { fill: var(--box); stroke: var(--line); rx: 4px; }
  path { fill: none; stroke: var(--arrow); stroke-opacity: .5; }
  marker path { fill: var(--arrow); stroke: none; }
"""

Row = tuple[str, int]
"""A package and the height of a row of its layers, 0 at the top."""


@dataclass(frozen=True)
class Layer:
    """A layer of a package: its name and the rooms in it."""

    name: str
    rooms: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """A rectangle of the picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower edge."""
        return self.y + self.height


class Architecture:
    """The rows of layers of each package and the imports between them."""

    def __init__(self, tree: SourceTree) -> None:
        """Read the contracts of the checkout."""
        self.tree = tree
        project = tomllib.loads((tree.root / "pyproject.toml").read_text(encoding="utf-8"))
        self._contracts = {
            contract["containers"][0]: contract["layers"]
            for contract in project["tool"]["importlinter"]["contracts"]
            if contract["type"] == "layers" and len(contract.get("containers", ())) == 1
        }

    @cached_property
    def rows(self) -> dict[Row, list[Layer]]:
        """Layers by row; above and below those of the contract, what no contract names."""
        rows: dict[Row, list[Layer]] = {}
        for package in SAYS:
            found = [*self._contracted(package)]
            above, below = self._others(package, {layer.name for row in found for layer in row})
            if above:
                found.insert(0, [Layer(ABOVE, above)])
            if below:
                found.append([Layer(BELOW, below)])
            rows |= {(package, height): row for height, row in enumerate(found)}
        return rows

    @cached_property
    def imports(self) -> Counter[tuple[Row, Row]]:
        """How many imports run from one row to another."""
        places = {
            f"{package}.{room}": (package, height)
            for (package, height), row in self.rows.items()
            for layer in row
            for room in (layer.rooms if layer.name in {ABOVE, BELOW} else [layer.name])
        }
        counts: Counter[tuple[Row, Row]] = Counter()
        for source, targets in self.tree.arrows.items():
            for target in targets:
                a, b = places.get(_room(source)), places.get(_room(target))
                if a and b and a != b:
                    counts[a, b] += 1
        return counts

    def _contracted(self, package: str) -> Iterator[list[Layer]]:
        for line in self._contracts[package]:
            names = sorted(part.strip(" ()") for part in re.split("[|:]", line))
            row = [
                Layer(name, self._within(f"{package}.{name}"))
                for name in names
                if f"{package}.{name}" in self.tree.modules
            ]
            if row:
                yield row

    def _within(self, folder: str) -> tuple[str, ...]:
        depth = folder.count(".") + 1
        inside = (name.split(".") for name in self.tree.modules if name.startswith(f"{folder}."))
        return tuple(sorted({parts[depth] for parts in inside}))

    def _others(self, package: str, layers: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Rooms that no contract names: those that no layer imports, and those that one does."""
        contracted = {f"{package}.{name}" for name in layers}
        used = {
            _room(target)
            for source, targets in self.tree.arrows.items()
            if _room(source) in contracted
            for target in targets
        }
        names = self._within(package)
        rest = [name for name in names if name not in layers]
        above = tuple(name for name in rest if f"{package}.{name}" not in used)
        return above, tuple(name for name in rest if f"{package}.{name}" in used)


def main() -> None:
    """Write the picture of this checkout."""
    (ROOT / PICTURE).write_text(picture(SourceTree()), encoding="utf-8")
    sys.stdout.write(f"{PICTURE}\n")


def picture(tree: SourceTree) -> str:
    """The picture as SVG, the same for the same imports."""
    architecture = Architecture(tree)
    rows: dict[Row, Box] = {}
    drawn: list[str] = []
    left = float(GUTTER)
    for package, share in COLUMN.items():
        width = (WIDTH - 2 * GUTTER - BETWEEN) * share
        drawn += _package(architecture, package, Box(left, TOP, width, 0), rows)
        left += width + BETWEEN
    floor = max(box.bottom for box in rows.values())
    library = Box(GUTTER, floor + 66, WIDTH - 2 * GUTTER, 0)
    drawn += _package(architecture, "earmark", library, rows)
    arrows = [*_arrows(architecture, rows), *_arrows_to_library(architecture, rows, floor)]
    height = max(box.bottom for box in rows.values()) + 20
    return _document([*arrows, *drawn], height)


def _package(
    architecture: Architecture, package: str, place: Box, rows: dict[Row, Box]
) -> Iterator[str]:
    """Draw the rows of a package below each other and note where each stands."""
    yield (
        f'<text x="{place.x:.0f}" y="{place.y - 13:.0f}">'
        f'<tspan class="title">{package}/</tspan>  {escape(SAYS[package])}</text>'
    )
    top = place.y
    for row, layers in architecture.rows.items():
        if row[0] != package:
            continue
        boxes = _widths(layers, Box(place.x, top, place.width, 0))
        texts = [
            textwrap.wrap(" · ".join(layer.rooms), max(int((box.width - 18) / LETTER), 12))
            for layer, box in zip(layers, boxes, strict=True)
        ]
        height = 30 + LINE * max(len(text) for text in texts)
        for layer, box, text in zip(layers, boxes, texts, strict=True):
            yield from _layer(layer.name, Box(box.x, top, box.width, height), text)
        rows[row] = Box(place.x, top, place.width, height)
        top += height + 18


def _widths(layers: list[Layer], row: Box) -> list[Box]:
    """Share a row's width among its layers: each fits its name, more rooms get more."""
    least = [
        max([BOLD * len(layer.name), *(LETTER * 1.1 * len(room) for room in layer.rooms)]) + 20
        for layer in layers
    ]
    weights = [len(" · ".join(layer.rooms)) + 1 for layer in layers]
    spare = row.width - 8 * (len(layers) - 1) - sum(least)
    boxes, x = [], row.x
    for small, weight in zip(least, weights, strict=True):
        width = small + spare * weight / sum(weights)
        boxes.append(Box(x, row.y, width, 0))
        x += width + 8
    return boxes


def _layer(name: str, box: Box, text: list[str]) -> Iterator[str]:
    yield (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}"/>'
    )
    yield f'<text class="name" x="{box.x + 9:.0f}" y="{box.y + 19:.0f}">{escape(name)}</text>'
    for number, line in enumerate(text, 1):
        y = box.y + 21 + LINE * number
        yield f'<text x="{box.x + 9:.0f}" y="{y:.0f}">{escape(line)}</text>'


def _arrows(architecture: Architecture, rows: dict[Row, Box]) -> Iterator[str]:
    """Curves beside a package from row to row, and across from app to app."""
    for (source, target), count in sorted(architecture.imports.items()):
        a, b = rows[source], rows[target]
        if source[0] == target[0]:
            yield _arrow(_beside(source[0], a, b), count)
        elif target[0] != "earmark":
            yield _arrow(_across(a, b), count)


def _arrows_to_library(
    architecture: Architecture, rows: dict[Row, Box], floor: float
) -> Iterator[str]:
    """One arrow from each app down to the library, for all imports of it."""
    for package in COLUMN:
        count = sum(
            number
            for (source, target), number in architecture.imports.items()
            if (source[0], target[0]) == (package, "earmark")
        )
        last = max(
            (box for row, box in rows.items() if row[0] == package), key=lambda box: box.bottom
        )
        x = last.x + last.width * 0.8
        yield _arrow(f"M{x:.0f} {last.bottom:.0f} V{floor + 58:.0f}", count)


def _beside(package: str, a: Box, b: Box) -> str:
    """A curve in the margin beside an app; the further it goes, the further out."""
    start, end = a.y + a.height * 0.6, b.y + b.height * 0.35
    side = 1 if package == "annotation" else -1
    x = a.right if side == 1 else a.x
    out = x + side * min(18 + abs(end - start) * 0.16, GUTTER - 6)
    return (
        f"M{x:.0f} {start:.0f} "
        f"C{out:.0f} {start:.0f} {out:.0f} {end:.0f} {x + side * 7:.0f} {end:.0f}"
    )


def _across(a: Box, b: Box) -> str:
    """A curve between the two apps, from inner edge to inner edge."""
    start, end = (a.x, b.right + 7) if a.x > b.x else (a.right, b.x - 7)
    middle = (start + end) / 2
    y, z = a.y + a.height / 2, b.y + b.height / 2
    return f"M{start:.0f} {y:.0f} C{middle:.0f} {y:.0f} {middle:.0f} {z:.0f} {end:.0f} {z:.0f}"


def _arrow(path: str, count: int) -> str:
    """A curve in one of three strengths, so that one import more seldom changes the picture."""
    weight, says = next(kind[1:] for kind in STRENGTHS if count >= kind[0])
    return (
        f'<path d="{path}" stroke-width="{weight}" marker-end="url(#head)">'
        f"<title>{says}</title></path>"
    )


def _room(module: str) -> str:
    """The folder or file directly below the package."""
    return ".".join(module.split(".")[:2])


def _document(parts: list[str], height: float) -> str:
    body = "\n".join(parts)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">
<title>The layers of Earmark and the imports between them</title>
<style>{STYLE}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<text class="title" x="{GUTTER}" y="28">How Earmark is built: an arrow says who imports whom</text>
{body}
</svg>
"""


if __name__ == "__main__":
    main()
