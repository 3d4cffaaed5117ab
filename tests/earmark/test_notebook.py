"""The notebook of docs/guides shows what its cells print.

``EARMARK_NOTEBOOK=write pytest tests/earmark/test_notebook.py`` writes the outputs anew.
"""

import ast
import contextlib
import io
import json
import os
from typing import Any

from tests.real_data import ROOT

NOTEBOOK = ROOT / "docs" / "guides" / "scoring-at-home.ipynb"


def outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell shows: what it prints, and the value of a last line that is an expression."""
    *above, last = ast.parse(source).body
    value = last.value if isinstance(last, ast.Expr) else None
    statements = above if value else [*above, last]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), "cell", "exec"), names)
        shown = eval(compile(ast.Expression(value), "cell", "eval"), names) if value else None
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
    if shown is not None:
        data = {"text/plain": _lines(repr(shown))}
        if hasattr(shown, "_repr_html_"):
            data = {"text/html": _lines(shown._repr_html_()), **data}
        found.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def test_each_cell_shows_what_stands_below_it() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    install, *cells = code
    assert install["source"] == ["%pip install earmark"]
    names: dict[str, Any] = {}
    found = [outputs("".join(cell["source"]), names) for cell in cells]
    if os.environ.get("EARMARK_NOTEBOOK") == "write":
        for number, (cell, shown) in enumerate(zip(cells, found, strict=True), 1):
            cell |= {"execution_count": number, "outputs": shown}
        NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    assert [cell["outputs"] for cell in cells] == found
    assert len(found) > 5
