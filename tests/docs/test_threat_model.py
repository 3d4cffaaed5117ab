"""Each line of the threat model's checklist names a test, and that test exists."""

import ast
import re

from tests.docs.source_tree import ROOT

PAGE = (ROOT / "docs" / "reference" / "threat-model.md").read_text(encoding="utf-8")


def test_every_line_names_a_test_that_exists() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 30
    for row in rows:
        named = re.fullmatch(r"\| .+ \| .+ \| `(tests/[\w/]+\.py)::(test_\w+)` \|", row)
        assert named is not None, row
        tree = ast.parse((ROOT / named[1]).read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert named[2] in functions, row
