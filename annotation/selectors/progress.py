"""How far a project is, and how far and how fast one person in it; where to go on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median, quantiles
from typing import Any

from django.db.models import Count, Exists, Func, IntegerField, OuterRef, Q, Sum
from django.urls import reverse

from annotation.models import (
    ANSWERED,
    COUNTING,
    UNCOUNTED,
    Annotation,
    Answer,
    Assignment,
    Item,
    Project,
)
from annotation.selectors.against_gold import share_as_gold
from annotation.selectors.qualification import met_in_qualification, must_qualify, tests_ahead
from annotation.selectors.stages.chain import noted_hands
from leaderboard.models import User

# Pauses longer than this are no work.
PAUSE = timedelta(minutes=5)
# The first few answers of a sitting say little of its pace.
FEWEST = 5
# Answers that came in by a file. They were made elsewhere, whatever time the file says or lacks:
# they are nobody's work of today, and tell nothing of a pace.
IMPORTED = Q(extra__has_key="line")


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """One person's work in a project.

    ``answered`` and ``today`` are answers that count, ``uncounted`` those that are kept beside
    them. ``must_qualify``: nothing is handed out before the qualification. ``left`` are
    captions that could still come; ``per_hour`` is the pace of the present sitting, None before
    its fifth caption; ``against_gold`` is the share of words labelled as in the gold set, in
    whole per cent, over ``gold_words`` words (None over 0 words before ``FEWEST_SETTLED``
    captions).
    """

    answered: int
    today: int
    uncounted: int
    must_qualify: bool
    left: int
    per_hour: float | None
    against_gold: float | None
    gold_words: int


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """A project: captions, assignments, and how many of each are done."""

    items: int
    items_done: int
    assignments: int
    assignments_done: int
    flagged: int

    @property
    def share(self) -> float:
        """Share of the assignments that are done."""
        return self.assignments_done / self.assignments if self.assignments else 0.0


def own_progress(project: Project, user: User, now: datetime) -> OwnProgress:
    """Read one person's progress, in four queries."""
    mine = Annotation.every.filter(item__project=project, user=user)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = Q(created_at__gte=day) & ~IMPORTED
    counts = mine.aggregate(
        answered=Count("pk", filter=COUNTING),
        today=Count("pk", filter=COUNTING & today),
        uncounted=Count("pk", filter=UNCOUNTED),
    )
    share, words = share_as_gold(project, user, day)
    here = mine.exclude(IMPORTED).order_by("-created_at")
    return OwnProgress(
        **counts,
        left=captions_left(project, user, now),
        per_hour=_pace(here.values_list("created_at", flat=True)[:200]),
        against_gold=share,
        must_qualify=project.qualification_on
        and any(must_qualify(project, one) for one in project.members.filter(user=user)),
        gold_words=words,
    )


def captions_left(project: Project, user: User, now: datetime) -> int:
    """Count captions not answered yet with an assignment that is the person's or free.

    Test captions among them are counted before they come: each caption makes it one less.
    """
    if project.closed:
        return 0
    mine = Assignment.every.filter(item=OuterRef("item"), user=user)
    answered = Annotation.every.filter(ANSWERED, item=OuterRef("item"), user=user)
    open_assignments = Assignment.every.filter(~Exists(answered), project=project, done=False)
    open_assignments = open_assignments.exclude(Exists(met_in_qualification(user)), test=False)
    unknown = open_assignments.exclude(Exists(noted_hands(user)))
    free = unknown.filter(Q(user=None) | Q(expires_at__lt=now), ~Exists(mine), test=False)
    held = open_assignments.filter(user=user)
    count = free.values("item").distinct().count()
    return count + tests_ahead(project, user, count) + held.count()


def members_with_captions_left(project: Project, now: datetime) -> list[User]:
    """The members who can log in and have captions left to label; none in a closed project."""
    if project.closed:
        return []
    people = [
        row.user for row in project.members.filter(user__is_active=True).select_related("user")
    ]
    return [user for user in people if captions_left(project, user, now)]


def _pace(times: Iterable[datetime]) -> float | None:
    """Captions per hour since the last pause, from the times of answers, latest first."""
    sitting = list(times)
    count = 1
    while count < len(sitting) and sitting[count - 1] - sitting[count] <= PAUSE:
        count += 1
    if count < FEWEST:
        return None
    seconds = (sitting[0] - sitting[count - 1]).total_seconds()
    return (count - 1) * 3600 / seconds if seconds > 0 else None


def project_progress(project: Project) -> ProjectProgress:
    """Read a project's progress, in three queries."""
    open_assignment = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    items = Item.objects.filter(project=project)
    return ProjectProgress(
        **items.annotate(open=Exists(open_assignment)).aggregate(
            items=Count("pk"), items_done=Count("pk", filter=Q(open=False))
        ),
        **Assignment.objects.filter(project=project).aggregate(
            assignments=Count("pk"), assignments_done=Count("pk", filter=Q(done=True))
        ),
        flagged=Annotation.objects.filter(item__project=project, flagged=True).count(),
    )


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
        known = seconds
        # Else since the answer before, unless after a pause, which is no work.
        if known is None and user in before and at - before[user] <= PAUSE:
            known = (at - before[user]).total_seconds()
        before[user] = at
        # Where no words are labelled, nothing is said of labels.
        labelled = has_labels and answer == Answer.ACCEPT
        people[user].append(TimedAnswer(known, _words(spans), labelled))
    return paces(people)


def _words(spans: Iterable[Mapping[str, Any]]) -> int:
    places = (range(span["token_start"], span["token_end"] + 1) for span in spans)
    return len({place for words in places for place in words})


def paces(people: Mapping[int, Sequence[TimedAnswer]]) -> dict[int, PersonPace]:
    """The pace of each person, with what deserves a look beside the others."""
    by_person = {user: _pace_of(answers) for user, answers in people.items()}
    enough = {user: pace for user, pace in by_person.items() if pace.answers >= FEWEST_ANSWERS}
    for user, pace in enough.items():
        others = [other for name, other in enough.items() if name != user]
        remarks = tuple(_remarks(pace, others))
        by_person[user] = replace(pace, remarks=remarks)
    return by_person


def _pace_of(answers: Sequence[TimedAnswer]) -> PersonPace:
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


class JSONArrayLength(Func):
    """How many elements a stored list has."""

    function = "JSON_ARRAY_LENGTH"
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """PostgreSQL stores the list as ``jsonb``, whose function has another name."""
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH", **extra)


def finished_work(project: Project, user: User, now: datetime) -> dict[str, Any]:
    """Totals of the answers that a person gave here and that count.

    ``words`` are all words of these captions; ``seconds`` is how long the captions were before the
    person; ``next`` is the next project, by name after this one and then from the first, that has
    captions left for them. Two queries, and two for each other open project until there is one.
    """
    # Test captions are among them: totals without them would tell that there were any.
    mine = Annotation.every.filter(COUNTING, item__project=project, user=user)
    totals = mine.exclude(IMPORTED).aggregate(
        captions=Count("pk"), words=Sum(JSONArrayLength("item__tokens")), seconds=Sum("seconds")
    )
    others = list(Project.objects.filter(members__user=user, closed=False).exclude(pk=project.pk))
    others.sort(key=lambda other: (other.name, other.pk) < (project.name, project.pk))
    open_work = ((other, left) for other in others if (left := captions_left(other, user, now)))
    following, left = next(open_work, (None, 0))
    return {
        "captions": totals["captions"],
        "words": totals["words"] or 0,
        "seconds": totals["seconds"] or 0.0,
        "next": following
        and {
            "slug": following.slug,
            "name": following.name,
            "left": left,
            "page": reverse("annotation:label", args=[following.slug]),
        },
    }
