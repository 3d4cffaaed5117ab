"""How fast people label, and what of it deserves a look."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median, quantiles
from typing import Any

from annotation.models import Annotation, Answer, Project
from annotation.selectors.progress import IMPORTED, PAUSE

# The latest answers of a project that are looked at.
MOST_ANSWERS = 5000
# Fewer of one person say nothing of their pace.
FEWEST_ANSWERS = 20
# Reading a caption of a dozen words alone takes longer.
FASTEST_SECONDS = 3.0
# So many times faster, or fewer words, than the others' median.
FAR = 3
HOUR = 3600


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer: seconds that the caption was at hand (None: not known), words with a label."""

    seconds: float | None
    words: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class PersonPace:
    """The pace of one person over ``answers`` answers, of which ``timed`` have a time.

    ``seconds`` per caption: first quartile, median, third quartile; None without two times.
    ``words`` with a label per accepted caption, the mean; ``empty`` is the share of accepted
    captions without any label. Both None where nothing was accepted. ``remarks`` says in
    sentences what deserves a look.
    """

    answers: int
    timed: int
    seconds: tuple[float, float, float] | None
    words: float | None
    empty: float | None
    remarks: tuple[str, ...] = ()

    @property
    def per_hour(self) -> float | None:
        """Captions per hour at the median."""
        return HOUR / self.seconds[1] if self.seconds and self.seconds[1] > 0 else None


def paces_of(project: Project) -> dict[int, PersonPace]:
    """The pace of each person by user id, over the latest answers made here, in one query."""
    rows = Annotation.objects.counting().filter(item__project=project).exclude(IMPORTED)
    columns = ("user_id", "created_at", "seconds", "answer", "spans")
    latest = list(rows.order_by("-created_at", "-pk").values_list(*columns)[:MOST_ANSWERS])
    has_labels = project.work_kind.has_labels
    people: dict[int, list[TimedAnswer]] = defaultdict(list)
    before: dict[int, datetime] = {}
    for user, at, seconds, answer, spans in reversed(latest):
        known = seconds if seconds is not None else _since(before.get(user), at)
        before[user] = at
        # Where no words are labelled, nothing is said of labels.
        labelled = has_labels and answer == Answer.ACCEPT
        people[user].append(TimedAnswer(known, _words(spans), labelled))
    return paces(people)


def _since(before: datetime | None, at: datetime) -> float | None:
    """Seconds since the answer before; None after a pause, which is no work."""
    if before is None or at - before > PAUSE:
        return None
    return (at - before).total_seconds()


def _words(spans: Iterable[Mapping[str, Any]]) -> int:
    places = (range(span["token_start"], span["token_end"] + 1) for span in spans)
    return len({place for words in places for place in words})


def paces(people: Mapping[int, Sequence[TimedAnswer]]) -> dict[int, PersonPace]:
    """The pace of each person, with what deserves a look beside the others."""
    found = {user: _pace(answers) for user, answers in people.items()}
    enough = {user: pace for user, pace in found.items() if pace.answers >= FEWEST_ANSWERS}
    for user, pace in enough.items():
        others = [other for name, other in enough.items() if name != user]
        remarks = tuple(_remarks(pace, others))
        found[user] = replace(pace, remarks=remarks)
    return found


def _pace(answers: Sequence[TimedAnswer]) -> PersonPace:
    times = [row.seconds for row in answers if row.seconds is not None]
    words = [row.words for row in answers if row.accepted]
    low, middle, high = quantiles(times, n=4, method="inclusive") if len(times) > 1 else (0, 0, 0)
    return PersonPace(
        answers=len(answers),
        timed=len(times),
        seconds=(low, middle, high) if len(times) > 1 else None,
        words=sum(words) / len(words) if words else None,
        empty=words.count(0) / len(words) if words else None,
    )


def _remarks(pace: PersonPace, others: Sequence[PersonPace]) -> Iterable[str]:
    times = [other.seconds[1] for other in others if other.seconds]
    typical = median(times) if times else None
    if pace.seconds and pace.timed >= FEWEST_ANSWERS:
        middle = pace.seconds[1]
        rate = f", {HOUR / middle:,.0f} captions an hour" if middle > 0 else ""
        if middle < FASTEST_SECONDS:
            yield (
                f"Half of the captions took less than {middle:.1f} s each{rate}. "
                "Perhaps the answers were made elsewhere, or sent by a program."
            )
        elif typical and middle * FAR < typical:
            own = f"Half of the captions took less than {middle:.0f} s"
            yield f"{own}; others need {typical:.0f} s."
    words = [other.words for other in others if other.words is not None]
    usual = median(words) if words else None
    if pace.empty is not None and pace.empty >= 0.5:
        yield f"{pace.empty:.0%} of the accepted captions have no label."
    elif pace.words is not None and usual and pace.words * FAR < usual:
        yield f"{pace.words:.1f} words with a label per caption; others have {usual:.1f}."
