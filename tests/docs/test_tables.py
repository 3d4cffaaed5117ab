"""Numbers of documents are those that their commands write, of what the code computes now."""

import importlib.util
import re
from typing import Any

import pytest

from earmark.benchmark import AS_PUBLISHED
from earmark.metrics.family import metric_parameters
from earmark.registry import FAMILIES, METRICS, load_family
from earmark.signature import signature
from tests.bench.bench_papers import DOCUMENT
from tests.bench.kept_tables import KEPT
from tests.bench.measure_structure import TABLE
from tests.bench.tables import BLOCK, DOCUMENTS, written
from tests.real_data import ROOT

TABLES = {name: (document, text) for document, name, text in written()}
# Parameters of tables beside the defaults.
CHOSEN: dict[str, list[dict[str, Any]]] = {
    "sbf": [{"tag_threshold": 0.45}, {"tag_threshold": 0.5}],
    "spice_plus": [{"of_phrases": "both"}],
    "spice_plus_emb": [{"of_phrases": "both"}],
}


@pytest.mark.parametrize("name", KEPT)
def test_tables_of_what_is_kept_are_current(name: str) -> None:
    assert TABLES[name][1] == KEPT[name](), "python -m tests.bench.kept_tables --write"


@pytest.mark.parametrize("name", sorted(set(TABLES) - {TABLE, *KEPT}))
def test_tables_that_are_measured_stand_beside_their_signatures(name: str) -> None:
    module = name.partition(":")[0]
    assert importlib.util.find_spec(f"tests.bench.{module}")
    document, text = TABLES[name]
    assert text.strip(), f"python -m tests.bench.{module} --write"
    assert TABLES[f"{module}: signatures"][0] == document


@pytest.mark.parametrize("document", sorted({document for document, _ in TABLES.values()}))
def test_no_table_of_measured_numbers_is_written_by_hand(document: str) -> None:
    text = BLOCK.sub("", (DOCUMENTS / document).read_text(encoding="utf-8"))
    # Rows that begin with a name in code are of parameters and what they are by default.
    assert re.findall(r"^\| (?!`).*\d\.\d.*\|$", text, re.MULTILINE) == []


def signatures_told() -> list[tuple[str, str]]:
    """Signatures that stand by themselves in a document, beside the numbers that have them."""
    return [
        (document.name, line)
        for document in sorted((ROOT / "docs").rglob("*.md"))
        for line in re.findall(r"^    (\w+\|\S+\|r:\d+)$", document.read_text(), re.MULTILINE)
        if FAMILIES[METRICS[line.split("|")[0]].family].queue != "outside"
    ]


@pytest.mark.parametrize(("document", "line"), signatures_told())
def test_numbers_of_documents_are_of_what_the_code_computes_now(document: str, line: str) -> None:
    name = line.split("|", maxsplit=1)[0]
    family = METRICS[name].family
    choices = ({}, AS_PUBLISHED.get(family, {}), *CHOSEN.get(family, []))
    made = [load_family(family, **one) for one in choices]
    references = (re.findall(r"refs:([\d-]+)", line) or [""])[-1]
    current = {
        signature(name, metric_parameters(one, name), references, one.revision) for one in made
    }
    assert line in current, f"measure again what {document} tells, by the command that it names"


def test_the_papers_tables_name_all_signatures() -> None:
    told = [line for document, line in signatures_told() if document == DOCUMENT.name]
    assert len(told) > 20
