"""Feeding one parser with inputs, and what counts as a finding."""

import hashlib
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.mutation import mutated
from tests.fuzz.parsers import CORPUS, Parser
from tests.real_data import ROOT

LARGEST = 64_000
# Whatever takes more processor time than this for one input is stuck.
STUCK_SECONDS = 60
# An input may cost so many times what a good one of its size costs, and this much anyway.
TIMES_A_GOOD_ONE = 20
FREE_SECONDS, FREE_KILOBYTES = 0.5, 128_000
# Nothing that people read says such a thing.
_INNER = ("Traceback (most", 'File "/', " object at 0x", "<class '")


@dataclass(frozen=True)
class Finding:
    """What must not happen, and an input with which it does."""

    what: str
    place: str
    data: bytes

    def kept_in(self, folder: Path) -> Path:
        """The file to which its input is written."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / hashlib.sha256(self.data).hexdigest()[:12]
        path.write_bytes(self.data)
        return path


@dataclass
class Campaign:
    """The inputs of one parser so far, counted."""

    parser: Parser
    measured: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)
    slowest: float = 0.0
    good: tuple[float, int] = (0.0, 1)

    def measure_good(self) -> None:
        """Note what the largest good input costs, the least of five times."""
        data = max(seeds_of(self.parser), key=len)
        for _ in range(2):  # what is loaded at first
            self.parser.texts_of(data)
        self.good = (min(self._seconds(data) for _ in range(5)), len(data))

    def _seconds(self, data: bytes) -> float:
        begun = time.process_time()
        self.take(data, noted=False)
        return time.process_time() - begun

    def take(self, data: bytes, *, noted: bool = True) -> None:
        """Read an input and note what came out."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.process_time()
        if self.measured:
            signal.setitimer(signal.ITIMER_PROF, STUCK_SECONDS)
        try:
            texts = self.parser.texts_of(data)
        except Exception as error:
            self._find(f"{type(error).__name__}: {error}"[:200], _place(error), data)
            return
        finally:
            seconds = time.process_time() - begun
        if not noted:
            return
        self.counts["refused" if texts else "taken"] += 1
        self._check_texts(texts, data)
        if self.measured:
            self._check_cost(data, seconds, before)

    def _check_texts(self, texts: Sequence[str], data: bytes) -> None:
        for text in texts:
            if not text.strip():
                self._find("a fault without words", "", data)
            if inner := next((part for part in _INNER if part in text), None):
                self._find(f"words of the program: {text[:200]!r}", inner, data)

    def _check_cost(self, data: bytes, seconds: float, before: int) -> None:
        self.slowest = max(self.slowest, seconds)
        usual, size = self.good
        limit = max(FREE_SECONDS, TIMES_A_GOOD_ONE * usual * max(1.0, len(data) / size))
        if seconds > limit and min(self._seconds(data) for _ in range(2)) > limit:
            self._find(f"{seconds:.2f} s of processor, {limit:.2f} s at most", "time", data)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        if grown > FREE_KILOBYTES:
            self._find(f"{grown / 1000:,.0f} MB more memory", "memory", data)

    def _find(self, what: str, place: str, data: bytes) -> None:
        self.counts["findings"] += 1
        self.findings.setdefault(f"{what.partition(':')[0]} {place}", Finding(what, place, data))

    @property
    def inputs(self) -> int:
        """How many inputs were read."""
        return self.counts.total()


def _place(error: BaseException) -> str:
    """The innermost line of our own in which an error arose."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(str(ROOT))]
    inner = [frame for frame in own if "/tests/" not in frame.filename] or own
    return f"{Path(inner[-1].filename).relative_to(ROOT)}:{inner[-1].lineno}" if inner else ""


def seeds_of(parser: Parser) -> list[bytes]:
    """The kept inputs of a parser: good ones, and those that once broke it."""
    return [path.read_bytes() for path in sorted((CORPUS / parser.name).iterdir())]


def run_random(campaign: Campaign, inputs: int, seed: int) -> None:
    """Feed changed inputs, a while each on the way from one kept input."""
    random = Random(seed)
    parser = campaign.parser
    pool = seeds_of(parser)
    for data in pool:
        campaign.take(data)
    kept = list(pool)
    while campaign.inputs < inputs:
        data = mutated(random.choice(pool), parser.form, parser.tokens, random)[:LARGEST]
        campaign.take(data)
        # Some go on from where they are: several changes together reach further.
        if random.random() < 0.1:
            pool = [*kept, *pool[-20:], data]
