"""How far people's labels are those that were settled, in all and over time.

What is compared is what a person said when a caption was settled, or said first where that was
later. What they say afterwards changes nothing: it would tell, word by word, what was settled.
Answers to test captions come in from the day after, or a share that moves would tell which they
are.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.core.cache import cache
from django.db.models import Aggregate, Count, F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.agreement.captions import word_labels
from annotation.models import Annotation, Answer, Gold, PastGold, Project, Revision
from leaderboard.models import User
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
)

# With fewer captions a share would show what single words of them were settled as.
FEWEST_SETTLED = 20
_KEPT_FOR = 24 * 3600


@dataclass(frozen=True, slots=True)
class GoldPoint:
    """The share of words labelled as settled, over ``FEWEST_SETTLED`` captions in a row.

    ``until`` is when the person labelled the last of them; ``last`` its number, from 1.
    """

    last: int
    until: datetime
    share: float
    words: int


def share_as_gold(project: Project, user: User, day: datetime) -> tuple[float | None, int]:
    """The share of words labelled as settled, in whole per cent, and of how many words.

    None over 0 words before ``FEWEST_SETTLED`` captions. ``day`` is the beginning of today.
    The labels are read only when there is something new to compare, for pages ask this often.
    """
    key = f"annotation.as-gold.{project.pk}.{user.pk}"
    answered, stamp = _stamp(project, user, day)
    if answered < FEWEST_SETTLED:
        return None, 0
    kept = cache.get(key)
    if kept is not None and kept[0] == stamp:
        return kept[1], kept[2]
    rows = list(_compared(project, day, user))
    words = sum(words for *_, words in rows)
    share = None
    if len(rows) >= FEWEST_SETTLED and words:
        share = round(sum(same for _, _, same, _ in rows) / words, 2)
    result = (share, words if share is not None else 0)
    cache.set(key, (stamp, *result), _KEPT_FOR)
    return result


def _stamp(project: Project, user: User, day: datetime) -> tuple[int, str]:
    """How many settled captions the person answered, and what changes whenever a share may.

    That is with what is settled, with first answers to it, and each day.
    """
    of_project = {"item__project": OuterRef("pk")}
    mine = Annotation.every.filter(**of_project, user=user, item__gold__isnull=False)
    gold, past = Gold.objects.filter(**of_project), PastGold.objects.filter(**of_project)
    row = Project.objects.filter(pk=project.pk).values_list(
        _of_all(mine, Count("pk")),
        _of_all(gold, Count("pk")),
        _of_all(gold, Max("pk")),
        _of_all(gold, Max("settled_at")),
        _of_all(past, Max("pk")),
    )
    answered, *others = row.get()
    return answered or 0, repr((answered, others, day.date()))


def _of_all(rows: QuerySet[Any], value: Aggregate) -> Subquery:
    return Subquery(rows.order_by().values("item__project").annotate(all=value).values("all"))


def gold_points(
    project: Project, day: datetime, user: User | None = None
) -> dict[int, list[GoldPoint]]:
    """Each person's points in the order of time, by user; only whole runs of captions make one."""
    people: dict[int, list[tuple[datetime, int, int]]] = defaultdict(list)
    for person, at, same, words in _compared(project, day, user):
        people[person].append((at, same, words))
    points: dict[int, list[GoldPoint]] = {person: [] for person in people}
    for person, rows in people.items():
        rows.sort(key=itemgetter(0))
        for last in range(FEWEST_SETTLED, len(rows) + 1, FEWEST_SETTLED):
            run = rows[last - FEWEST_SETTLED : last]
            words = sum(words for _, _, words in run)
            share = round(sum(same for _, same, _ in run) / max(words, 1), 2)
            points[person].append(GoldPoint(last, run[-1][0], share, words))
    return points


def _compared(
    project: Project, day: datetime, user: User | None
) -> Iterator[tuple[int, datetime, int, int]]:
    """Of each answer: whose it is, when it was given, words labelled as settled, words."""
    rows = _revisions_at_settling(project).filter(answer=Answer.ACCEPT)
    if user is not None:
        rows = rows.filter(annotation__user=user)
    rows = rows.exclude(annotation__test=True, annotation__created_at__gte=day)
    values = rows.order_by("pk").values_list(
        "annotation__user", "saved_at", "spans", "annotation__item__gold__labels"
    )
    for person, at, spans, gold in values:
        labels = word_labels(spans, len(gold))
        same = sum(one == other for one, other in zip(labels, gold, strict=True))
        yield person, at, same, len(gold)


def _revisions_at_settling(project: Project) -> QuerySet[Revision]:
    """One revision for each answer to a settled caption.

    That of when it was first settled: a correction of what is settled moves nothing. Labels of
    another inventory, which a file brought, are nobody's answer.
    """
    settled = PastGold.objects.filter(item=OuterRef("annotation__item")).order_by("settled_at")
    same = Revision.objects.filter(annotation=OuterRef("annotation"), inventory="")
    same = same.order_by("version")
    before = same.filter(saved_at__lte=OuterRef("first_settled_at"))
    stood = Coalesce(
        Subquery(before.order_by("-version").values("pk")[:1]), Subquery(same.values("pk")[:1])
    )
    first = Coalesce(
        Subquery(settled.values("settled_at")[:1]), F("annotation__item__gold__settled_at")
    )
    return Revision.objects.annotate(first_settled_at=first).filter(
        annotation__item__project=project,
        annotation__item__removed_at__isnull=True,
        annotation__item__gold__isnull=False,
        pk=stood,
    )


# Lines differ in colour and in the form of their points; after that many both come again.
_TONES, _SYMBOLS = 6, 7


def gold_figure(points: Mapping[str, Sequence[GoldPoint]]) -> Figure | None:
    """The share of words labelled as settled over time, a line for each name.

    None where nobody has two points: one says nothing of a course.
    """
    drawn = {name: rows for name, rows in points.items() if len(rows) > 1}
    if not drawn:
        return None
    return Figure(
        name="as-gold",
        title=f"Words labelled as settled, by {FEWEST_SETTLED} captions in a row",
        alt="Lines over captions; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(name),
                "x": [row.last for row in rows],
                "y": [row.share for row in rows],
                "marker": {"size": 8, "symbol": number % _SYMBOLS},
                "meta": {"tone": number % _TONES},
                "hovertemplate": f"{plain(name)}, captions up to %{{x}}: %{{y:.0%}}<extra></extra>",
            }
            for number, (name, rows) in enumerate(drawn.items())
        ],
        layout=base_layout(
            280,
            showlegend=len(drawn) > 1,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 56 if len(drawn) > 1 else 16, "b": 48},
            xaxis=axis("Captions compared so far"),
            yaxis=axis("Words as settled", range=[0, 1.05], tickformat=".0%"),
        ),
        numbers=Numbers(
            ("Name", "Captions", "Labelled until", "Words as settled", "Words"),
            tuple(
                (
                    name,
                    f"{row.last - FEWEST_SETTLED + 1} to {row.last}",
                    f"{row.until:%Y-%m-%d}",
                    f"{row.share:.0%}",
                    f"{row.words:,}",
                )
                for name, rows in drawn.items()
                for row in rows
            ),
        ),
    )
