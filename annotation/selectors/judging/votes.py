"""The pairs of a project with what judges said of them, their systems, and both as a file."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.agreement.choices import PairVotes
from annotation.kinds.judge import ALIKE, FIRST, SECOND, order_for
from annotation.models import Annotation, Answer, Item, PairDraw, Project
from annotation.models.annotation import SHOWN_FIRST
from earmark.benchmark import MM_PAIRS
from leaderboard.models import Phase, Submission
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.visibility.visibility import system_alias

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
            _pair(items[pk], dict(sorted(by_judge.items(), key=lambda vote: began[vote[0]])))
            for pk, by_judge in votes.items()
            if by_judge
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
        values = rows.order_by("position").values_list("clip", "extra")
        return {clip: extra[REFERENCES] for clip, extra in values if clip is not None}
    stored = phase.reference_set
    if stored is None:
        return {}
    clips = references_of(stored.content_hash).clips
    return {at: clip.references for at, clip in enumerate(clips)}


def best_first(phase: Phase, systems: Iterable[Submission]) -> list[Submission]:
    """Systems in the order of the phase's ranking, each team's counting one before all others."""
    counting = [row.key for row in ranking_of(phase).rows]
    others = [row.key for row in ranking_of(phase, every_system=True).rows]
    order = {key: at for at, key in enumerate(dict.fromkeys([*counting, *others]))}
    return sorted(systems, key=lambda row: (order.get(row.pk, len(order)), row.pk))


def system_names(project: Project, phase: Phase | None, *, named: bool) -> Mapping[str, str]:
    """Names of the systems in a project's pairs, by their public ids; ones that are gone have none.

    ``named``: real ones, not made-up ones. Where the phase is not here, they are as the archive
    has them of which the project was made.
    """
    draws = PairDraw.objects.filter(project=project).values_list("systems", flat=True)
    systems = [system for drawn in draws for system in drawn]
    if phase is None:
        return {one["id"]: one["name"] for one in systems if isinstance(one, dict) and one["name"]}
    rows = Submission.objects.filter(phase=phase, public_id__in=systems).select_related("team")
    if named:
        return {row.public_id: f"{row.system_name} ({row.team})" for row in rows}
    return {row.public_id: system_alias(row.phase_id, row.pk) for row in rows}


def judgment_file(pairs: Iterable[JudgedPair], references: Mapping[int, Sequence[str]]) -> bytes:
    """The pairs with their votes in the form of AudioCaps-Eval, which ``earmark.benchmark`` reads.

    ``references`` are those of each clip, by position.

    An item of the file has one pair of each kind and several of two systems; a clip of which
    there are more stands there more than once.
    """
    by_clip: defaultdict[int, dict[str, list[JudgedPair]]] = defaultdict(dict)
    for pair in pairs:
        by_clip[pair.clip].setdefault(pair.facet, []).append(pair.in_order)
    items = [
        item
        for clip, of_facets in sorted(by_clip.items())
        for item in _items(of_facets, references[clip])
    ]
    return json.dumps(items, ensure_ascii=False, indent=1).encode()


def _items(
    of_facets: Mapping[str, Sequence[JudgedPair]], references: Sequence[str]
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for facet, pairs in of_facets.items():
        names = MM_PAIRS if facet == "MM" else (facet,)
        for at, pair in enumerate(pairs):
            number, place = divmod(at, len(names))
            if number == len(items):
                items.append({"references": list(references)})
            sources = map(_source_id, pair.sources)
            row = [*pair.captions, *sources, list(pair.votes.values())]
            items[number][names[place]] = row
    return items


def _source_id(source: Mapping[str, Any]) -> str:
    """What names a caption's source in the file."""
    if "system" in source:
        return str(source["system"])
    return f"reference_{source['clip'] + 1}_{source['reference'] + 1}"
