"""``graph``: the scene graphs that metrics read from captions."""

import argparse
import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

from earmark.cli.files import Misuse, command_parser, read_file
from earmark.workspace import Workspace

if TYPE_CHECKING:
    from earmark.metrics.spice.graph import SceneGraph

_DESCRIPTION = """\
Print the scene graph of every caption of a file: its relations, objects and attributes, which
are what spice, spice_plus and spice_plus_emb compare. The file holds one caption per line, or
is a CSV (commas or tabs) whose caption columns have names that start with "caption";
"-" is standard input.
Exit code 0, or 2 for a file that cannot be read."""


def add_command(commands: Any) -> None:
    """Add ``graph`` to the parser."""
    parser = command_parser(
        commands, "graph", "print the scene graph of every caption", _DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", help='captions: text or CSV ("-": standard input)')
    parser.add_argument(
        "--rules",
        choices=("spice", "plus", "plus_both"),
        default="spice",
        help='rules of SPICE (default), of SPICE+, or of SPICE+ with "A of B" read as both',
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the graphs as JSON")
    form.add_argument("--dot", action="store_true", help="print the graphs for Graphviz")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the graphs and return the exit code."""
    from earmark.metrics.spice.graphs import caption_graphs, merged

    captions = read_captions(parsed.file)
    graphs = [
        merged([graph], parsed.rules).graph
        for graph in caption_graphs(captions, parsed.rules, Workspace())
    ]
    if parsed.json:
        rows = [graph_json(text, graph) for text, graph in zip(captions, graphs, strict=True)]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    elif parsed.dot:
        sys.stdout.writelines(f"{graph.to_dot()}\n" for graph in graphs)
    else:
        for text, graph in zip(captions, graphs, strict=True):
            sys.stdout.write(f"{text}\n")
            sys.stdout.writelines(f"  {', '.join(row)}\n" for row in graph.tuples)
    return 0


def graph_json(caption: str, graph: "SceneGraph") -> dict[str, Any]:
    """A caption and its graph for ``--json``."""
    return {
        "caption": caption,
        "objects": list(graph.objects),
        "attributes": [list(row) for row in graph.attributes],
        "relations": [list(row) for row in graph.relations],
    }


def read_captions(path: str) -> list[str]:
    """Read captions, one per line or from the caption columns of a CSV; raise ``Misuse``."""
    data = sys.stdin.buffer.read() if path == "-" else read_file(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Misuse(f"{path} is not in UTF-8. Save it as UTF-8.") from error
    lines = text.splitlines()
    header = lines[0] if lines else ""
    delimiter = "\t" if "\t" in header else ","
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    columns = [i for i, name in enumerate(names) if name.startswith("caption")]
    if len(names) < 2 or not columns:
        return [line.strip() for line in lines if line.strip()]
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[1:]
    return [row[i] for row in rows for i in columns if i < len(row) and row[i].strip()]
