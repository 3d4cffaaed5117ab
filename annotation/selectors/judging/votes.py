"""The pairs of a project with what judges said of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.agreement.choices import PairVotes
from annotation.kinds.judge import ALIKE, FIRST, SECOND, order_for
from annotation.models import Annotation, Answer, Item, PairDraw, Project
from leaderboard.models import Phase

AT_ONCE = 500
_VOTES = {FIRST: 1, ALIKE: 0, SECOND: -1}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two captions of a clip with the votes of judges: 1 the first is better, 0 alike, -1.

    ``sources`` say where the captions are from, as they were drawn (``kinds.judge.drawing``).
    """

    clip: int
    facet: str
    captions: tuple[str, str]
    sources: tuple[Mapping[str, Any], Mapping[str, Any]]
    votes: Mapping[int, int]

    @property
    def in_order(self) -> "JudgedPair":
        """The pair as its kind has it: the clip's own caption and a person's come first."""
        first = self.sources[0]
        turned = {"HI": first.get("clip") != self.clip, "HM": "system" in first}
        if not turned.get(self.facet):
            return self
        return replace(
            self,
            captions=self.captions[::-1],
            sources=self.sources[::-1],
            votes={judge: -vote for judge, vote in self.votes.items()},
        )


@dataclass(frozen=True, slots=True)
class Votes:
    """All pairs that somebody judged, and how often each judge chose what was shown first.

    ``drawn`` counts the project's pairs of each kind, judged or not.
    """

    pairs: Sequence[JudgedPair]
    drawn: Mapping[str, int]
    chose_first: Mapping[int, tuple[int, int]]

    @property
    def of_judges(self) -> list[PairVotes]:
        """What each judge said of each pair."""
        return [PairVotes(pair.clip, pair.votes) for pair in self.pairs]


def votes_of(project: Project) -> Votes:
    """Read the votes of a project that count, in the order of its pairs; two queries."""
    items = {
        item.pk: item
        for item in project.items.filter(clip__isnull=False)
        .order_by("position")
        .only("project", "key", "clip", "content", "position")
        if "facet" in item.content
    }
    votes: dict[int, dict[int, int]] = {pk: {} for pk in items}
    shown_first: dict[int, Counter[bool]] = {}
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for pk, judge, value in rows.order_by("pk").values_list("item", "user", "value"):
        choice = (value or {}).get("choice")
        if pk not in items or choice not in _VOTES:
            continue
        votes[pk][judge] = _VOTES[choice]
        if choice != ALIKE:
            chose = order_for(items[pk], judge)[0] == choice
            shown_first.setdefault(judge, Counter())[chose] += 1
    return Votes(
        pairs=[_pair(items[pk], found) for pk, found in votes.items() if found],
        drawn=Counter(item.content["facet"] for item in items.values()),
        chose_first={
            judge: (counts[True], counts.total()) for judge, counts in shown_first.items()
        },
    )


def _pair(item: Item, votes: Mapping[int, int]) -> JudgedPair:
    content: dict[str, Any] = item.content
    first, second = content["captions"]
    one, other = content["sources"]
    return JudgedPair(item.clip or 0, content["facet"], (first, second), (one, other), votes)


def phase_of(project: Project) -> Phase | None:
    """The phase that the pairs of a project are of; None before the first draw."""
    draws = PairDraw.objects.filter(project=project)
    draw = draws.select_related("phase__challenge", "phase__reference_set").first()
    return None if draw is None else draw.phase
