"""The pairs of a project with what judges said of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.agreement.choices import PairVotes
from annotation.kinds.judge import ALIKE, FIRST, SECOND, order_for
from annotation.models import Annotation, Answer, Item, PairDraw, Project
from annotation.models.annotation import SHOWN_FIRST
from leaderboard.models import Phase
from leaderboard.selectors.clips.corpus import references_of

_VOTES = {FIRST: 1, ALIKE: 0, SECOND: -1}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two captions of a clip with the votes of judges: 1 the first is better, 0 alike, -1.

    ``sources`` say where the captions are from, as they were drawn (``kinds.judge.drawing``).
    Votes stand in the order in which judges began.
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
    began: dict[int, int] = {}
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for pk, judge, value, extra in rows.order_by("pk").values_list(
        "item", "user", "value", "extra"
    ):
        choice = (value or {}).get("choice")
        if pk not in items or choice not in _VOTES:
            continue
        began.setdefault(judge, len(began))
        votes[pk][judge] = _VOTES[choice]
        if choice != ALIKE:
            first = extra.get(SHOWN_FIRST) or order_for(items[pk], judge)[0]
            chose = first == choice
            shown_first.setdefault(judge, Counter())[chose] += 1
    return Votes(
        pairs=[
            _pair(items[pk], dict(sorted(found.items(), key=lambda vote: began[vote[0]])))
            for pk, found in votes.items()
            if found
        ],
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


# Under this key of the extra of a pair stand the references of its clip, where the pair came with
# an archive and its phase is not here.
REFERENCES = "references"


def judged_references(project: Project, phase: Phase | None) -> Mapping[int, Sequence[str]]:
    """The references of the clips of a project's pairs: of the phase, or what an archive has."""
    if phase is None:
        rows = project.items.filter(clip__isnull=False, extra__has_key=REFERENCES)
        found = rows.order_by("position").values_list("clip", "extra")
        return {clip: extra[REFERENCES] for clip, extra in found if clip is not None}
    stored = phase.reference_set
    if stored is None:
        return {}
    clips = references_of(stored.content_hash).clips
    return {at: clip.references for at, clip in enumerate(clips)}
