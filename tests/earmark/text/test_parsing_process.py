"""Captions are parsed beside the run, and rules looked up: the same parses as spaCy's own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from earmark.captions import Candidates, References, read_references
from earmark.pipeline import score
from earmark.text import parse as parsing
from earmark.text.parse import parse, parse_ahead
from earmark.text.parser import Parse, ParsedToken, Parser, load_pipeline, parse_here
from earmark.text.parsing_process import ParsingProcess
from earmark.workspace import Workspace
from tests.real_data import ROOT
from tests.waiting import wait_until

CAPTIONS = [f"{number} dogs are barking loudly near a road" for number in range(300)]
PARSED = ["spice", "spice_plus", "cb_score", "sbf", "spider", "spice_plus_emb", "earmark"]


@pytest.fixture
def process() -> Iterator[ParsingProcess]:
    """A process that parses, ended after the test."""
    with ParsingProcess() as process:
        yield process


@pytest.fixture
def parsed_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that the process of the test parses itself."""
    texts: list[str] = []

    def counting(new: list[str], parser: Parser) -> list[Parse]:
        texts.extend(new)
        return parse_here(new, parser)

    monkeypatch.setattr(parsing, "parse_here", counting)
    return texts


@pytest.mark.parametrize("parser", ["general", "captions"])
def test_parses_are_those_of_this_process(
    process: ParsingProcess, parsed_here: list[str], parser: Parser
) -> None:
    """Handed over ahead or not, and in whatever batches."""
    workspace = Workspace(parsing=process)
    parse_ahead(CAPTIONS[100:], workspace, parser=parser)
    found = parse(CAPTIONS, workspace, parser=parser)
    assert parsed_here == []
    assert found == parse(CAPTIONS, Workspace(), parser=parser)


def test_a_run_parses_nothing_itself(process: ParsingProcess, parsed_here: list[str]) -> None:
    """Every family that needs parses hands its captions over; values are the same."""
    candidates = Candidates.single(["a dog barks loudly", "rain falls on a roof"])
    references = References.build(
        [("a.wav", ["a dog is barking", "dogs bark"]), ("b.wav", ["heavy rain", "it rains"])]
    )
    beside = score(
        candidates, references, PARSED, Workspace(device="cpu", processors=2, parsing=process)
    )
    assert parsed_here == []
    here = score(candidates, references, PARSED, Workspace(device="cpu"))
    assert parsed_here
    assert beside.unavailable == here.unavailable == {}
    for name in PARSED:
        assert beside.results[name].per_clip.tolist() == here.results[name].per_clip.tolist()


def test_a_process_that_is_killed_is_done_without(
    process: ParsingProcess, parsed_here: list[str]
) -> None:
    """In the middle, as when memory runs out: this process parses what is missing."""
    workspace = Workspace(parsing=process)
    parse_ahead(CAPTIONS, workspace)
    wait_until(lambda: bool(_children(os.getpid(), "spawn_main")))
    (child,) = _children(os.getpid(), "spawn_main")
    os.kill(child, signal.SIGKILL)
    assert parse(CAPTIONS, workspace) == parse(CAPTIONS, Workspace())
    assert set(parsed_here)


def test_threads_that_want_the_same_parse_nothing_themselves(
    process: ParsingProcess, parsed_here: list[str]
) -> None:
    workspaces = [Workspace(parsing=process) for _ in range(4)]
    with ThreadPoolExecutor(len(workspaces)) as pool:
        found = list(pool.map(lambda workspace: parse(CAPTIONS, workspace), workspaces))
    assert parsed_here == []
    assert found == [parse(CAPTIONS, Workspace())] * len(workspaces)


def test_threads_of_a_new_process_parse_alike() -> None:
    """Whoever comes first makes the pipeline; its words are those of all."""
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from earmark.text.parse import parse\n"
        "from earmark.workspace import Workspace\n"
        "texts = [[f'{a} unheard{a}of{b} dogs barked' for a in range(40)] for b in range(4)]\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    found = list(pool.map(lambda some: parse(some, Workspace()), texts))\n"
        "assert found == [parse(some, Workspace()) for some in texts]\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_it_ends_when_all_is_taken_and_begins_again_for_more(
    process: ParsingProcess, parsed_here: list[str]
) -> None:
    parse(CAPTIONS[:1], Workspace(parsing=process))
    wait_until(lambda: not _children(os.getpid(), "spawn_main"))
    parse(CAPTIONS[1:2], Workspace(parsing=process))
    assert parsed_here == []


def test_it_ends_with_a_command_that_is_killed(tmp_path: Path) -> None:
    """Nothing goes on after the command, and nothing has to be tidied up."""
    references, candidates = tmp_path / "r.csv", tmp_path / "c.csv"
    rows = [f"{number}.wav,{text}" for number, text in enumerate(CAPTIONS * 20)]
    references.write_text("file_name,caption_1\n" + "\n".join(rows))
    candidates.write_text("file_name,caption_predicted\n" + "\n".join(rows))
    command = [sys.executable, "-m", "earmark", "score", "-m", "spice_plus"]
    files = ["-r", str(references), "-c", str(candidates), "--cache", str(tmp_path)]
    run = subprocess.Popen(
        [*command, *files],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: bool(_children(run.pid, "spawn_main")))
        (child,) = _children(run.pid, "spawn_main")
    finally:
        run.kill()
        run.wait()
    wait_until(lambda: not Path(f"/proc/{child}").exists())


def _children(pid: int, called: str) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in _told(task).split()]
    return [one for one in children if called in _told(Path(f"/proc/{one}/cmdline"))]


def _told(path: Path) -> str:
    """What a file of /proc says, nothing where the process or thread has ended meanwhile."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


PAIRS = (
    "people say they are gonna leave",
    "he says let's go",
    "that ain't a dog",
    "they gotta run",
    "let us say that a dog barks",
    "y' all listen",
    "there is a dog and there are cats",
    "a dog ai n't barking",
    "someone got a dog",
)
DEMO = ROOT / "leaderboard/demo/data/references.csv"


def demo_captions() -> tuple[str, ...]:
    references = read_references(DEMO.read_bytes()).value
    assert references is not None
    return tuple(references.captions)[:200]


def plain(text: str, parser: Parser) -> tuple[ParsedToken, ...]:
    return tuple(
        ParsedToken(t.lower_, t.lemma_.lower(), t.tag_, t.pos_, t.dep_, t.head.i)
        for t in load_pipeline(parser=parser)(text)
    )


@pytest.mark.parametrize("parser", ["general", "captions"])
def test_what_is_looked_up_is_what_the_rules_say(parser: Parser) -> None:
    texts = [*PAIRS, *demo_captions(), *PAIRS]
    # The second time every word is known.
    for _ in range(2):
        found = parse(texts, Workspace(), dressed=False, parser=parser)
        assert found == [plain(text, parser) for text in texts]
