"""Tables that commands write into documents, between ``<!-- NAME -->`` and ``<!-- end -->``.

What else stands in a document is left alone. NAME begins with the command's module, so that who
finds a table knows what to run.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping

from tests.bench.data import add_data_argument
from tests.bench.output import say
from tests.real_data import ROOT

BLOCK = re.compile(r"<!-- ((\w+): [\w ]+) -->\n\n(.*?)\n<!-- end -->\n", re.DOTALL)
DOCUMENTS = ROOT / "docs"


def written() -> Iterator[tuple[str, str, str]]:
    """Each document's name, the name of a table in it, and the table."""
    for document in sorted(DOCUMENTS.rglob("*.md")):
        for name, _, text in BLOCK.findall(document.read_text(encoding="utf-8")):
            yield document.relative_to(DOCUMENTS).as_posix(), name, text


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Write a table in Markdown."""
    columns = [*head]
    lines = (f"| {' | '.join(map(str, line))} |\n" for line in (columns, *rows))
    return f"{next(lines)}|{'---|' * len(columns)}\n{''.join(lines)}"


def indented(lines: Iterable[str]) -> str:
    """Write lines, each once, as they stand in a document by themselves."""
    return "".join(f"    {line}\n" for line in sorted(set(lines)))


def tell(tables: Mapping[str, str] | Iterable[tuple[str, str]], *, write: bool) -> None:
    """Print tables by their names and, where asked, write them into the documents.

    Raises ``LookupError`` for a table that no document has a place for.
    """
    for name, text in dict(tables).items():
        say(f"{name}\n\n{text}")
        if write:
            _fill(name, text)


def _fill(name: str, text: str) -> None:
    begin = f"<!-- {name} -->\n"
    found = [one for one in sorted(DOCUMENTS.rglob("*.md")) if begin in one.read_text("utf-8")]
    if len(found) != 1:
        raise LookupError(f"{len(found)} documents have a place for {name}. One needs {begin!r}.")
    before, _, rest = found[0].read_text("utf-8").partition(begin)
    _, end, after = rest.partition("<!-- end -->\n")
    found[0].write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def arguments(doc: str) -> argparse.ArgumentParser:
    """Read ``--data`` and ``--write``."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_argument(parser)
    parser.add_argument("--write", action="store_true", help="write into the documents")
    return parser
