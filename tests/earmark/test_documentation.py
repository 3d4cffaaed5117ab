"""What the documentation shows is what happens, and what the metrics compute."""

import doctest
import importlib
import re
from dataclasses import astuple
from pathlib import Path

import pytest

from earmark.captions import Limits, References, read_candidates, read_references
from earmark.captions.file_layout import CANDIDATE_LIMITS, REFERENCE_LIMITS
from earmark.cli.parser import build_parser
from earmark.explanations import SHOWS, example_corpus
from earmark.explanations.document import metrics_document
from earmark.metrics.spice.rules import RULES, Rule
from earmark.registry import METRICS, standard_families
from earmark.workspace import Workspace
from tests.bench.bench_parity import TOLERANCE
from tests.bench.bench_spice import PRINTED, printed_row
from tests.bench.performance.parts import GROUPS
from tests.bench.performance.processes import run_module
from tests.earmark.corpora import SYSTEMS

ROOT = Path(__file__).resolve().parents[2]
SCORING = ROOT / "docs" / "reference" / "scoring.md"
PARITY = ROOT / "docs" / "measurements" / "parity.md"
WITH_EXAMPLES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in (ROOT / "earmark").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
CLIPS = References.build(
    [
        ("dog.wav", ["A dog barks.", "A dog is barking."]),
        ("rain.wav", ["Rain falls on a roof.", "It is raining."]),
    ]
)


def examples(heading: str) -> list[str]:
    """The indented blocks of a section of docs/reference/scoring.md."""
    text = SCORING.read_text(encoding="utf-8")
    section = text.split(f"\n### {heading}\n")[1].split("\n#")[0]
    blocks = re.findall(r"(?:^ {4}.*\n)+", section, re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE) for block in blocks]


def test_python_examples_of_the_page() -> None:
    failed, tried = doctest.testfile(str(SCORING), module_relative=False, encoding="utf-8")
    assert tried > 15
    assert failed == 0


def test_the_readme_of_the_wheel_stands_by_itself() -> None:
    text = (ROOT / "earmark" / "README.md").read_text(encoding="utf-8")
    assert "](" not in text
    code = "".join(re.findall(r"^ {4}(.*\n)", text.split("## In Python")[1].split("##")[0], re.M))
    systems = {f"captions_{one}": {"dog.wav": "a dog", "rain.wav": one} for one in "ab"}
    exec(code.replace("scores.to_frame()", ""), systems)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_a_module(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("text", examples("References"))
def test_references_in_every_form_shown(text: str) -> None:
    found = read_references(text.encode())
    assert found.faults == ()
    assert found.value == CLIPS


@pytest.mark.parametrize("text", examples("Candidates"))
def test_candidates_in_every_form_shown(text: str) -> None:
    found = read_candidates(text.encode(), CLIPS)
    assert found.faults == ()
    assert found.value is not None
    assert found.value.first[0].startswith("a dog barks")
    assert found.value.first[1] == "rain falls"


def test_every_option_of_score_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["score", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    page = SCORING.read_text(encoding="utf-8")
    assert [option for option in sorted(options) if f"`{option}" not in page] == []


@pytest.mark.parametrize("limits", [CANDIDATE_LIMITS, REFERENCE_LIMITS])
def test_the_limits_are_told(limits: Limits) -> None:
    page = SCORING.read_text(encoding="utf-8")
    cells = {cell.strip() for row in re.findall(r"^\|.*\|$", page, re.M) for cell in row.split("|")}
    assert {f"{limit:,}" for limit in astuple(limits)} <= cells


@pytest.mark.parametrize("name", TOLERANCE)
def test_parity_tells_of_every_metric_compared(name: str) -> None:
    rows = re.findall(rf"^\| {name} \|.* 100\.0 % ", PARITY.read_text(encoding="utf-8"), re.M)
    assert len(rows) == len(SYSTEMS)


@pytest.mark.parametrize(("expression", "paper", "tuples"), PRINTED)
def test_expressions_of_spice_plus_are_told_as_they_are_found(
    expression: str, paper: str, tuples: str
) -> None:
    row = printed_row(expression, paper, Workspace())
    assert row == (expression, paper, tuples)
    document = (ROOT / "docs" / "reference" / "spice.md").read_text(encoding="utf-8")
    assert f"| {' | '.join(row)} |" in document


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rules_of_scene_graphs_are_told_as_they_are(rule: Rule) -> None:
    sets = " and ".join(name for name in ("spice", "plus") if name in rule.sets)
    row = f"| {rule.name} | {sets} | {rule.example} | {'; '.join(rule.finds)} |"
    assert row in (ROOT / "docs" / "reference" / "spice.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", ["captions", "encoder", "peers", "processes", "table"])
def test_examples_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"tests.bench.performance.{module}"))
    assert tried > 0
    assert failed == 0


def test_groups_have_every_family_once() -> None:
    grouped = [family for families in GROUPS.values() for family in families]
    assert sorted(grouped) == sorted(standard_families())


def test_a_stage_says_what_it_found_and_what_it_took() -> None:
    cost, found = run_module("tests.bench.performance.stages", "scale", "--families", "bleu",
                             "--clips", "3", "--references", "1")  # fmt: skip
    assert found["unavailable"] == {}
    assert 0 < found["score"]["seconds"] < cost.seconds
    assert (cost.memory or 0) > 0


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md"
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.])")
# A value that lies between two roundings may fall to either side on another machine.
ROUNDING = 0.0021


def test_every_clip_of_the_example_is_introduced() -> None:
    candidates, references = example_corpus()
    assert tuple(SHOWS) == references.file_names
    assert {len(clip.references) for clip in references.clips} == {5}
    assert {info.explanation.clip for info in METRICS.values()} <= set(SHOWS)
    assert len(candidates) == len(references)


def test_the_page_is_what_the_metrics_compute() -> None:
    computed = metrics_document(Workspace(device="cpu"))
    page = PAGE.read_text(encoding="utf-8")
    assert NUMBER.sub("#", page) == NUMBER.sub("#", computed), f"write {PAGE} anew"
    written, found = NUMBER.findall(page), NUMBER.findall(computed)
    assert [float(text) for text in written] == pytest.approx(
        [float(text) for text in found], abs=ROUNDING
    )
