"""The results of a phase, or of all phases of a challenge, as one zip with a page to read it by.

Of the same state a reader has the same bytes. Numbers are written as pages write them, unless
the references are public, and only then single clips are in it, for organisers too: by the last
digits of a mean one could tell the scores of single clips apart, and the file is made to be
passed on.
"""

import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from math import isfinite
from typing import IO, Any, Literal, cast

import numpy as np
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from earmark.json_values import json_bytes, json_ready
from earmark.registry import METRICS
from leaderboard.models import Challenge, Phase, RankSnapshot
from leaderboard.selectors.analysis.shown_values import agreement_of_shown, shown_analysis
from leaderboard.selectors.board.files import (
    Contents,
    FileStyle,
    contents_of,
    csv_lines,
    latex_lines,
)
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.clips.corpus import CaptionsUnreadable, corpus_of
from leaderboard.selectors.clips.side_by_side import MetricColumn, tables_of
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.figures.figure import Figure
from leaderboard.selectors.figures.ranking import (
    agreement_figure,
    bump_figure,
    history_figure,
    scores_figure,
)
from leaderboard.selectors.lab.composite import ranking_formula
from leaderboard.selectors.organising.challenges import is_final
from leaderboard.selectors.ranking.history import history_of
from leaderboard.selectors.ranking.snapshots import canonical, snapshots_of
from leaderboard.selectors.submissions.system_choice import comparable_systems
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import Visibility, public_view
from leaderboard.selectors.visibility.visible_submissions import VisibleSubmission
from leaderboard.web.csv_cells import csv_line, csv_text

_NO_TIME = (1980, 1, 1, 0, 0, 0)
_IN_MEMORY = 8_000_000
SUMS = "SHA256SUMS"
# What a file holds, piece by piece; made when it is written.
Write = Callable[[], Iterator[str] | Iterator[bytes]]
EVERY_COLUMN = ("all",)
_STYLE = FileStyle(intervals=True)
# As many systems have the scores of their clips in it; of the others the site has them.
MOST_SYSTEMS = 100
_READ_AT_ONCE = 50


def results_packed(
    challenge: Challenge, phases: Sequence[tuple[Phase, Visibility]], now: datetime
) -> IO[bytes]:
    """Pack the results of some phases, each as its reader sees it, into a temporary file.

    The file goes when it is closed. Rows are read some hundred at a time.
    """
    files: dict[str, Write] = {"index.html": lambda: iter([_page(challenge, phases, now)])}
    for phase, view in phases:
        files |= {f"{phase.slug}/{name}": write for name, write in _phase_files(phase, view, now)}
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
    with zipfile.ZipFile(file, "w") as archive:
        sums = [
            f"{_write(archive, f'{challenge.slug}/{name}', files[name]())}  {name}\n"
            for name in sorted(files)
        ]
        _write(archive, f"{challenge.slug}/{SUMS}", sums)
    file.seek(0)
    return cast("IO[bytes]", file)


def _page(challenge: Challenge, phases: Sequence[tuple[Phase, Visibility]], now: datetime) -> str:
    """The page that shows the results without the site."""
    address = settings.SITE_URL + reverse("leaderboard:challenge", args=[challenge.slug])
    papers = reverse("leaderboard:document", args=["reference/papers"])
    context = {
        "challenge": challenge,
        "address": address,
        "address_of_papers": settings.SITE_URL + papers,
        "parts": [_part(phase, view, now) for phase, view in phases],
    }
    return str(render_to_string("leaderboard/challenges/results.html", context))


def _part(phase: Phase, view: Visibility, now: datetime) -> dict[str, Any]:
    """What the page has of a phase."""
    contents = contents_of(phase, BoardQuery(), view=view)
    infos = [column.info for column in contents.columns]
    with_clips = _with_clips(contents, phase, now)
    return {
        "phase": phase,
        "columns": contents.columns,
        "rows": [
            (
                row,
                row.key in with_clips,
                [contents.text(row.shown(info.name).value, info) for info in infos],
            )
            for row in (*contents.rows(), *contents.unranked())
        ],
        "formula": ranking_formula(phase),
        "metrics": phase.computed.values(),
        "figures": list(_figures(phase, view)),
        "final": is_final(phase, now),
        # An organiser sees what others do not.
        "private": not phase.scores_public or view.whole > public_view(phase, now).whole,
        "clips": bool(with_clips),
        "rankings": view.whole and snapshots_of(phase).exists(),
    }


def _write(archive: zipfile.ZipFile, name: str, parts: Iterable[str | bytes]) -> str:
    """Write a file piece by piece; returns its sha256."""
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    digest = sha256()
    with archive.open(entry, "w") as goal:
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            digest.update(data)
            goal.write(data)
    return digest.hexdigest()


def _phase_files(phase: Phase, view: Visibility, now: datetime) -> Iterator[tuple[str, Write]]:
    """Names and contents of a phase's files, as ``view`` shows the phase."""
    teams = contents_of(phase, BoardQuery(columns=EVERY_COLUMN), view=view)
    systems = contents_of(phase, BoardQuery(columns=EVERY_COLUMN, every_system=True), view=view)
    paper = contents_of(phase, BoardQuery(), view=view)
    exact = _is_exact(phase, now)
    yield "leaderboard.csv", lambda: csv_lines(teams, _STYLE)
    yield "leaderboard.json", lambda: _json_lines(teams, exact=exact)
    yield "leaderboard.tex", lambda: latex_lines(paper, FileStyle())
    yield "systems.csv", lambda: csv_lines(systems, _STYLE)
    yield "systems.json", lambda: _json_lines(systems, exact=exact)
    yield "signatures.json", lambda: _written(_signatures(systems))
    for figure in _figures(phase, view):
        yield from _figure_files(figure)
    with_clips = _with_clips(teams, phase, now)
    shown = comparable_systems(phase, view) if with_clips else ()
    yield from _clip_files([system for system in shown if system.pk in with_clips])
    if view.whole:
        for snapshot in snapshots_of(phase).order_by("pk"):
            name = f"rankings/{snapshot.taken_at:%Y%m%dT%H%M%SZ}-{snapshot.pk}.json"
            yield name, _snapshot_writer(snapshot.pk)


def _is_exact(phase: Phase, now: datetime) -> bool:
    """Whether everyone may see single clips."""
    return phase.references_public and phase.has_begun(now)


def _with_clips(contents: Contents, phase: Phase, now: datetime) -> set[int]:
    """Keys of the systems whose clips are in it."""
    best = contents.selection.rows[:MOST_SYSTEMS] if _is_exact(phase, now) else ()
    return {row.key for row in best}


def _clip_files(systems: Sequence[VisibleSubmission]) -> Iterator[tuple[str, Write]]:
    """A file of clips for each system; scores of some systems are read at once, when written."""
    for start in range(0, len(systems), _READ_AT_ONCE):
        part = systems[start : start + _READ_AT_ONCE]
        read = cache(partial(tables_of, part, METRICS))
        for at, system in enumerate(part):
            yield f"clips/{system.public_id}.csv", partial(_clip_lines, system, at, read)


def _clip_lines(
    system: VisibleSubmission, at: int, read: Callable[[], dict[str, tuple[MetricColumn, ...]]]
) -> Iterator[str]:
    """The captions of a system with the scores of each clip."""
    found = {name: columns[at].values for name, columns in read().items()}
    scored = {name: values for name, values in found.items() if values is not None}
    yield csv_line(["file_name", "caption", *scored])
    try:
        corpus = corpus_of(system)
    except CaptionsUnreadable:
        return
    table = np.array(list(scored.values())).reshape(len(scored), len(corpus)).T
    for name, caption, row in zip(corpus.file_names, corpus.captions, table, strict=True):
        numbers = (f"{score:.7g}" if isfinite(score) else "" for score in row)
        yield csv_line([csv_text(name), csv_text(caption), *numbers])


def _json_lines(contents: Contents, *, exact: bool) -> Iterator[str]:
    """A table as JSON, a row at a time."""
    phase = contents.phase
    head = {
        "challenge": phase.challenge.slug,
        "phase": phase.slug,
        "ranking_metric": phase.ranking_metric,
        "ranking_label": contents.columns[0].info.label,
        "direction": phase.ranking.direction,
        "precision": phase.precision,
        "counting": phase.counting,
    }
    yield "{\n"
    yield from (f'"{name}": {json.dumps(value)},\n' for name, value in head.items())
    yield '"rows": ['
    before = "\n"
    for row in (*contents.rows(), *contents.unranked()):
        record = _record(row, contents, exact=exact)
        yield before + json_bytes(record).decode()
        before = ",\n"
    yield "\n]\n}\n"


def _record(row: RankedRow, contents: Contents, *, exact: bool) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "rank_low": row.range and row.range.low,
        "rank_high": row.range and row.range.high,
        "id": row.public_id,
        "kind": row.kind,
        "system_name": row.system_name,
        "team": row.team_slug,
        "team_name": row.team_name,
        "submitted_at": row.submitted_at.isoformat(timespec="seconds"),
        "metrics": {
            column.info.name: _score(row.values[column.info.name], contents, exact=exact)
            for column in contents.columns
            if column.info.name in row.values
        },
    }


def _score(found: MetricValue, contents: Contents, *, exact: bool) -> dict[str, Any]:
    ends = {"value": found.value, "low": found.low, "high": found.high}
    if not exact:
        texts = {name: contents.text(number, found.info) for name, number in ends.items()}
        ends = {name: float(text) if text else None for name, text in texts.items()}
    return {
        **ends,
        "coverage": found.coverage,
        "clips": found.clips,
        "signature": found.signature,
    }


def _signatures(contents: Contents) -> dict[str, Any]:
    return {
        column.info.name: {
            "label": column.info.label,
            "direction": column.info.direction,
            "signatures": list(column.signatures),
            "comparable": column.comparable,
        }
        for column in contents.columns
    }


def _figures(phase: Phase, view: Visibility) -> Iterator[Figure]:
    """Figures that follow from the leaderboard; none of them draws clips, which takes long."""
    scores = scores_figure(phase, contents_of(phase, BoardQuery(), view=view).rows())
    if scores is not None:
        yield scores
    shown = shown_analysis(phase, view=view)
    if len(shown.ranking.systems) > 1 and len(shown.ranking.by_metric) > 1:
        yield bump_figure(shown.ranking)
    agreement = agreement_of_shown(shown, "kendall")
    if agreement is not None:
        yield agreement_figure(agreement, "over-systems")
    history = history_of(phase, view=view, own_teams=frozenset())
    if history.moments:
        yield history_figure(history)


def _figure_files(figure: Figure) -> Iterator[tuple[str, Write]]:
    plotly = {"title": figure.title, "alt": figure.alt, "data": figure.data}
    yield (
        f"figures/{figure.name}.json",
        lambda: _written({**plotly, "layout": figure.layout}),
    )
    yield f"figures/{figure.name}.csv", lambda: _figure_table(figure)
    if not figure.missing:
        yield f"figures/{figure.name}.svg", partial(_picture, figure, "svg")
        yield f"figures/{figure.name}.png", partial(_picture, figure, "png")


def _picture(figure: Figure, kind: Literal["svg", "png"]) -> Iterator[bytes]:
    from leaderboard.selectors.figures.drawing import drawn

    yield drawn(figure, kind)


def _figure_table(figure: Figure) -> Iterator[str]:
    yield csv_line(map(csv_text, figure.numbers.headings))
    for heading, *numbers in figure.numbers.rows:
        yield csv_line([csv_text(heading), *map(_number_or_text, numbers)])


def _number_or_text(cell: str) -> str:
    """A cell as it is where it is a number, which no spreadsheet has to be kept from."""
    try:
        float(cell)
    except ValueError:
        return csv_text(cell)
    return cell


def _snapshot_writer(pk: int) -> Write:
    """The very bytes whose sha256 is shown; read when they are written."""
    return lambda: iter([canonical(RankSnapshot.objects.get(pk=pk).content)])


def _written(value: Any) -> Iterator[str]:
    yield json.dumps(json_ready(value), ensure_ascii=False, indent=1) + "\n"
