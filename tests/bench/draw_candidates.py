"""Draw docs/images/candidates.svg: what several candidates of a system bring, and wider beams.

    python -m tests.bench.draw_candidates FOLDER

The folder has what ``earmark score --details`` wrote: n_best.jsonl and samples.jsonl of files with
several candidates, and beam_1.jsonl, beam_2.jsonl and so on. docs/guides/starter-kit.md has the
commands.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from earmark.statistics import mean_and_interval
from tests.docs.source_tree import ROOT

PICTURE = Path("docs") / "images" / "candidates.svg"
BEAMS = (1, 2, 4, 8)
WIDTH, HEIGHT, LEFT, TOP, BETWEEN = 290, 190, 46, 58, 66
STYLE = """
  svg { --ink: #1c2330; --soft: #5c6675; --line: #c3c9d2; --paper: #ffffff;
        --first: #33639a; --second: #a4561b; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e4e7ec; --soft: #9aa4b2; --line: #465061; --paper: #12161d;
          --first: #7fb0e8; --second: #e6a36b; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--soft); }
  .title { font-size: 13px; font-weight: 600; fill: var(--ink); }
  path { fill: none; stroke-width: 1.5; }
  .axis { stroke: var(--line); }
  .first { stroke: var(--first); } .second { stroke: var(--second); stroke-dasharray: 5 3; }
"""

Clip = Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """One line of a panel: places, and mean with 95 % interval at each."""

    name: str
    places: Sequence[int]
    values: Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Panel:
    """A small plot with one or two lines."""

    title: str
    along: str
    lines: Sequence[Line]


def main() -> None:
    """Read the folder that the command line names, and draw."""
    folder = Path(sys.argv[1])
    (ROOT / PICTURE).write_text(picture(panels(folder)), encoding="utf-8")


def panels(folder: Path) -> list[Panel]:
    """SPIDEr-max and SPICE+ by the number of candidates, CB-score by the width of the beam."""
    several = {
        "best of a beam": clips_of(folder / "n_best.jsonl"),
        "samples": clips_of(folder / "samples.jsonl"),
    }
    beams = [clips_of(folder / f"beam_{beam}.jsonl") for beam in BEAMS]
    cb = [estimate([clip["metrics"]["cb_score"] for clip in clips]) for clips in beams]
    return [
        Panel("SPIDEr-max", "candidates", by_candidates(several, best_spider)),
        Panel("SPICE+ of all candidates together", "candidates", by_candidates(several, spice)),
        Panel("CB-score", "width of the beam", [Line("first of a beam", BEAMS, cb)]),
    ]


def clips_of(path: Path) -> list[Clip]:
    """What is told of each clip."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_candidates(
    systems: Mapping[str, Sequence[Clip]], value: Callable[[Clip, int], float]
) -> list[Line]:
    """A line for each system: a value of each clip at its first 1, 2, ... candidates."""
    lines = []
    for name, clips in systems.items():
        most = min(len(clip["candidates"]) for clip in clips)
        places = range(1, most + 1)
        values = [estimate([value(clip, count) for clip in clips]) for count in places]
        lines.append(Line(name, places, values))
    return lines


def best_spider(clip: Clip, count: int) -> float:
    """The highest SPIDEr among the first candidates."""
    return float(max(clip["details"]["spider"]["by_candidates"][:count]))


def spice(clip: Clip, count: int) -> float:
    """F of the graph that the first candidates make together, by embedded tuples."""
    return float(clip["details"]["spice_plus_emb"]["by_candidates"][count - 1][2])


def estimate(values: Sequence[float | None]) -> tuple[float, float, float]:
    """Mean over clips, and its 95 % interval."""
    mean, interval = mean_and_interval(np.array(values, np.float32))
    return mean, interval.low, interval.high


def picture(drawn: Sequence[Panel]) -> str:
    """The whole picture."""
    width = len(drawn) * (WIDTH + BETWEEN) + LEFT - BETWEEN + 16
    body = "\n".join(
        part
        for place, panel in enumerate(drawn)
        for part in _panel(panel, LEFT + place * (WIDTH + BETWEEN))
    )
    names = "; ".join(f"{panel.title} by {panel.along}" for panel in drawn)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 48}" role="img">
<title>{escape(names)}</title>
<style>{STYLE}</style>
{body}
</svg>
"""


def _panel(panel: Panel, left: float) -> Iterator[str]:
    places = panel.lines[0].places
    ends = [end for line in panel.lines for _, *ends in line.values for end in ends]
    ticks = _ticks(min(ends), max(ends))
    # At equal steps, also beams, each of which is twice as wide as the one before.
    steps = {place: number for number, place in enumerate(places)}

    def x(place: int) -> float:
        return left + 14 + steps[place] / max(1, len(steps) - 1) * (WIDTH - 28)

    def y(value: float) -> float:
        return TOP + HEIGHT * (ticks[-1] - value) / (ticks[-1] - ticks[0])

    yield f'<text class="title" x="{left}" y="20">{escape(panel.title)}</text>'
    for tick in ticks:
        yield f'<path class="axis" d="M{left} {y(tick):.1f}h{WIDTH}"/>'
        yield f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.2f}</text>'
    for place in places:
        below = TOP + HEIGHT + 18
        yield f'<text x="{x(place):.1f}" y="{below}" text-anchor="middle">{place}</text>'
    middle = left + WIDTH / 2
    yield f'<text x="{middle}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{panel.along}</text>'
    for number, (line, kind) in enumerate(zip(panel.lines, ("first", "second"), strict=False)):
        begin = left + number * 130
        yield f'<path class="{kind}" d="M{begin} 38h22"/>'
        yield f'<text x="{begin + 28}" y="42">{escape(line.name)}</text>'
        points = [
            (x(place), *map(y, estimated))
            for place, estimated in zip(line.places, line.values, strict=True)
        ]
        joined = " ".join(f"{at:.1f} {mean:.1f}" for at, mean, _, _ in points)
        yield f'<path class="{kind}" d="M{joined}"/>'
        for at, mean, low, high in points:
            aside = at + 3 * number
            bar = f"M{aside:.1f} {low:.1f}V{high:.1f}M{at - 3:.1f} {mean:.1f}h6"
            yield f'<path class="{kind}" style="stroke-dasharray:none" d="{bar}"/>'


def _ticks(low: float, high: float) -> list[float]:
    """Round values from below the lowest to above the highest."""
    step = next(one for one in (0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / one <= 6)
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    return [number * step for number in range(first, last + 1)]


if __name__ == "__main__":
    main()
