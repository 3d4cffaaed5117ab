"""Judgments of a language model on the clips of a corpus: several asked for at a time.

Judgments that were paid for are kept on disk by what was asked.
"""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

from earmark.asking import AskingEnded, LanguageModel, Message, QuestionRefused
from earmark.errors import ScoringError
from earmark.metrics.clair_a.prompt import PROMPT, Judgment, asked_again, question, read_judgment

logger = logging.getLogger(__name__)

ATTEMPTS = 3  # at one judgment
# Of this many clips one may stay without a judgment, and one in any case.
ONE_IN = 20
_SECONDS = 0.5
_NONSENSE = "The language model's answers could not be read."

# A judgment, or why there is none.
Verdict = Judgment | str


@dataclass(frozen=True, slots=True)
class Answers:
    """Judgments of one model, a file each below ``folder``; None: nothing is kept.

    A file is either whole or absent, and one that cannot be read counts as absent. Any number of
    threads and processes may use the folder.
    """

    folder: Path | None
    model: str

    def find(self, messages: Sequence[Message]) -> Judgment | None:
        """The judgment that was given when this was asked before."""
        path = self._path(messages)
        if path is None:
            return None
        try:
            return read_judgment(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def keep(self, messages: Sequence[Message], judgment: Judgment) -> None:
        """Keep a judgment; a folder that cannot be written is logged and stops nothing."""
        path = self._path(messages)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            number, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(asdict(judgment), file)
            Path(part).replace(path)
        except OSError:
            logger.warning("Cannot keep answers in %s", path.parent, exc_info=True)

    def _path(self, messages: Sequence[Message]) -> Path | None:
        if self.folder is None:
            return None
        asked = [PROMPT, self.model, *((message.role, message.text) for message in messages)]
        name = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.json"


class TooManyUnanswered(ScoringError):
    """The model judged too few clips for a value of the whole."""

    def __init__(self, unanswered: int, clips: int, why: str) -> None:
        super().__init__(
            f"The language model gave no score for {unanswered:,} of {clips:,} clips, and at most "
            f"{max(1, clips // ONE_IN):,} may have none. The last reason: {why}"
        )


@dataclass(frozen=True, slots=True)
class ClipJudge:
    """Asks a model for judgments on clips, several at a time, each only once."""

    model: LanguageModel
    answers: Answers

    def verdicts(
        self, clips: Sequence[tuple[str, Sequence[str]]], progress: Callable[[int], None]
    ) -> list[Verdict]:
        """The judgment of each caption with its references, or why it has none, in order.

        ``progress(done)`` is called at least twice a second and may raise to stop.
        """
        by_place: dict[int, Verdict] = {}
        stop = _Stop()
        with _threads(self.model.at_once, stop) as pool:
            waiting: dict[Future[Verdict], int] = {
                pool.submit(self._verdict, *clip, stop): place for place, clip in enumerate(clips)
            }
            while waiting:
                done, _ = wait(waiting, timeout=_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    by_place[waiting.pop(future)] = future.result()
                _check_unanswered(by_place.values(), len(clips))
                progress(len(by_place))
        return [by_place[place] for place in range(len(clips))]

    def _verdict(self, caption: str, references: Sequence[str], stop: "_Stop") -> Verdict:
        message = question(caption, references)
        known = self.answers.find(message)
        if known is not None:
            return known
        messages = message
        for _ in range(ATTEMPTS):
            if stop.reason is not None:
                raise stop.reason
            try:
                answer = self.model.answer(messages, stop)
            except QuestionRefused as refused:
                return str(refused)
            except AskingEnded as ended:
                stop.reason = stop.reason or ended
                stop.set()
                raise stop.reason from None
            judgment = read_judgment(answer)
            if judgment is not None:
                self.answers.keep(message, judgment)
                return judgment
            messages = asked_again(message, answer)
        return _NONSENSE


class _Stop(Event):
    """Set once nobody is to ask any more; ``reason`` is what the model said first of it."""

    reason: AskingEnded | None = None


@contextmanager
def _threads(number: int, stop: Event) -> Iterator[ThreadPoolExecutor]:
    """Threads that ask; where one fails or the run is stopped, what waits is not begun."""
    pool = ThreadPoolExecutor(number, thread_name_prefix="asking")
    try:
        yield pool
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _check_unanswered(verdicts: Iterable[Verdict], clips: int) -> None:
    faults = [verdict for verdict in verdicts if isinstance(verdict, str)]
    if len(faults) > max(1, clips // ONE_IN):
        raise TooManyUnanswered(len(faults), clips, faults[-1])
