"""What a change of rules does to a phase, as organisers confirm it."""

from collections.abc import Callable, Mapping
from copy import copy
from datetime import datetime
from typing import Any

from earmark.captions.faults import count_of
from earmark.registry import metric
from leaderboard.models import Counting, Phase, Team, User
from leaderboard.models.challenge import families_for
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.organising.references import shared_captions
from leaderboard.selectors.submissions.quotas import quota_of

Text = str | None
Describer = Callable[[Phase, Any, datetime], Text]

_COUNTS = {
    Counting.BEST: "its best submission",
    Counting.LAST: "its latest submission",
    Counting.CHOSEN: "the submission that it chooses, or its latest if it has chosen none",
}


_REFERENCES = {
    True: "References are public: everyone sees all captions and the scores of every clip, "
    "including those of earlier submissions. This cannot be undone.",
    False: "References are hidden: only organisers see captions and scores of single clips.",
}
_SCORES = {
    True: "Scores are public: everyone sees the leaderboard at once.",
    False: "Scores are not public: only organisers see the leaderboard, each team its own scores.",
}


def consequences_of(phase: Phase, rules: Mapping[str, Any], now: datetime) -> tuple[str, ...]:
    """What the change of each rule does at once, empty where it changes nothing for anybody."""
    consequences = []
    for name, tell in _DESCRIBERS.items():
        if rules[name] != getattr(phase, name):
            text = tell(phase, rules[name], now)
            if text:
                consequences.append(text)
    return tuple(consequences)


def captions_shown_by(phase: Phase, public: bool, actor: User) -> tuple[str, ...]:
    """What a phase has in common with others once its references are public, or hidden."""
    if phase.reference_set is None or phase.references_public == public:
        return ()
    references = references_of(phase.reference_set.content_hash)
    return tuple(map(str, shared_captions(references, phase=phase, public=public, actor=actor)))


def _ranking(phase: Phase, name: str, _now: datetime) -> Text:
    new = phase.as_computed(metric(name))
    return (
        f"Ranked by {new.label} instead of {phase.ranking.label} ({new.direction} is better): "
        "ranks change at once. No value of a metric changes."
    )


def _names(phase: Phase, until: datetime | None, now: datetime) -> Text:
    was = phase.names_hidden_until
    if was is not None and was > now and (until is None or until <= now):
        return "Names are shown: everyone sees at once who is behind each system."
    if until is not None and until > now and (was is None or was <= now):
        return "Names are hidden from now on. People who have seen them may remember them."
    return None


def _opens(phase: Phase, at: datetime | None, now: datetime) -> Text:
    if at is not None and at > now and (phase.opens_at is None or phase.opens_at <= now):
        return "The phase is not open again until then; earlier submissions stay."
    return None


def _closes(phase: Phase, at: datetime | None, now: datetime) -> Text:
    was_over = phase.closes_at is not None and phase.closes_at <= now
    is_over = at is not None and at <= now
    sentences = []
    if is_over and not was_over:
        sentences.append("The phase is closed at once: no more submissions are accepted.")
    if was_over and not is_over:
        sentences.append("The phase is open again: teams can submit, withdraw and choose.")
    # Technical reports are public from the end of a phase, and at once where none is set.
    were_public, are_public = was_over or phase.closes_at is None, is_over or at is None
    if were_public and not are_public:
        sentences.append("Technical reports that others can read now are hidden until then.")
    if are_public and not were_public:
        sentences.append("Technical reports are public at once.")
    return " ".join(sentences) or None


def _systems(phase: Phase, most: int | None, _now: datetime) -> Text:
    was = phase.systems_per_team
    if most is None or (was is not None and most >= was):
        return None
    return (
        f"At most {most} systems per team: existing ones stay, even if a team has more; it can "
        "submit again once enough of them are withdrawn."
    )


def _total(phase: Phase, most: int | None, now: datetime) -> Text:
    was = phase.quota_total
    if most is None or (was is not None and most >= was):
        return None
    then = copy(phase)
    then.quota_total = most
    teams = Team.objects.filter(submissions__phase=phase).distinct()
    ended = sum(
        quota_of(phase=then, team=team, now=now).left == 0
        and quota_of(phase=phase, team=team, now=now).left != 0
        for team in teams
    )
    if not ended:
        return None
    return (
        f"At most {most} submissions in total: {ended} of {len(teams)} teams have used them up and "
        "can submit nothing more."
    )


def _shared(phase: Phase, shared: bool, _now: datetime) -> Text:
    if shared and not phase.quota_shared:
        return (
            "Teams that one person made share their quota from now on: their earlier submissions "
            "count together, and some of them may have none left."
        )
    return None


def _metrics(phase: Phase, metrics: list[str], _now: datetime) -> Text:
    before, after = phase.families, families_for(metrics, phase.parameters)
    added = ", ".join(family_label(name) for name in after if name not in before)
    removed = ", ".join(family_label(name) for name in before if name not in after)
    sentences = []
    if added:
        sentences.append(
            f"Computed from now on: {added}, also for earlier submissions, which have no value of "
            "it until then."
        )
    if removed:
        sentences.append(
            f"No longer computed or shown: {removed}. Values are kept, and return with the metric."
        )
    return " ".join(sentences) or None


_DESCRIBERS: dict[str, Describer] = {
    "ranking_metric": _ranking,
    "precision": lambda _phase, decimals, _now: (
        f"Values equal at {count_of(decimals, 'decimal')} are ties: ranks may change at once."
    ),
    "counting": lambda _phase, rule, _now: (
        f"What counts for each team is {_COUNTS[Counting(rule)]}: ranks may change at once."
    ),
    "metrics": _metrics,
    "references_public": lambda _phase, public, _now: _REFERENCES[public],
    "scores_public": lambda _phase, public, _now: _SCORES[public],
    "names_hidden_until": _names,
    "opens_at": _opens,
    "closes_at": _closes,
    "systems_per_team": _systems,
    "quota_total": _total,
    "quota_shared": _shared,
}
