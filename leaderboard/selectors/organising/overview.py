"""What organisers see of their challenges: how each stands, and what it lacks."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db.models import Count, Max, Q, QuerySet

from leaderboard.blueprints import left_to_write
from leaderboard.models import (
    AuditEvent,
    Challenge,
    ChallengeParticipation,
    Evaluation,
    EvaluationState,
    Kind,
    ParticipationState,
    Phase,
    Submission,
)
from leaderboard.models.audit import place_in_log
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.preparation import families_to_prepare, prepared
from leaderboard.selectors.organising.challenges import phase_state
from leaderboard.selectors.organising.references import shared_captions
from leaderboard.web.version_cache import kept_for_version

Urgency = Literal["missing", "look", "done"]
Place = Literal["text", "phases", "phase", "references"]


def managed_rows(challenges: QuerySet[Challenge], now: datetime) -> list[dict[str, Any]]:
    """Challenges with what organisers want to know first; four queries."""
    rows = list(challenges.order_by("title", "slug"))
    phases: dict[int, list[Phase]] = {challenge.pk: [] for challenge in rows}
    for phase in Phase.objects.filter(challenge__in=rows):
        phases[phase.challenge_id].append(phase)
    asking = ChallengeParticipation.objects.filter(
        challenge__in=rows, state=ParticipationState.ASKED
    )
    waiting = Counter(asking.values_list("challenge", flat=True))
    counted = {
        key: {"submissions": submissions, "failed": failed, "last": last}
        for key, submissions, failed, last in Submission.objects.filter(phase__challenge__in=rows)
        .of_teams()
        .order_by()
        .values_list("phase__challenge")
        .annotate(
            submissions=Count("pk"),
            failed=Count("pk", filter=_has_failed()),
            last=Max("created_at"),
        )
    }
    return [
        {
            "challenge": challenge,
            "phases": len(phases[challenge.pk]),
            "open": sum(phase.is_open(now) for phase in phases[challenge.pk]),
            "waiting": waiting[challenge.pk],
            **counted.get(challenge.pk, {"submissions": 0, "failed": 0, "last": None}),
        }
        for challenge in rows
    ]


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One thing that a challenge needs, whether it is there, and the page where it is done."""

    urgency: Urgency
    what: str
    state: str
    place: Place
    phase: Phase | None = None


def phase_lines(challenge: Challenge, now: datetime) -> list[dict[str, Any]]:
    """The phases of a challenge in order; ``submissions`` leaves the human row out; two queries."""
    phases = (
        Phase.objects.filter(challenge=challenge)
        .select_related("reference_set")
        .defer("reference_set__payload")
        .order_by("position", "id")
    )
    counted = {
        key: {"submissions": submissions, "failed": failed}
        for key, submissions, failed in Submission.objects.filter(phase__challenge=challenge)
        .order_by()
        .values_list("phase")
        .annotate(
            submissions=Count("pk", filter=~Q(kind=Kind.HUMAN)),
            failed=Count("pk", filter=_has_failed()),
        )
    }
    lines = []
    for phase in phases:
        phase.challenge = challenge
        counts = counted.get(phase.pk, {"submissions": 0, "failed": 0})
        lines.append({"phase": phase, "state": phase_state(phase, now), **counts})
    return lines


def _has_failed() -> Q:
    """Submissions of which some metric could not be computed.

    Asked for apart: joined with their evaluations, submissions would be a dozen times as many.
    """
    failed = Evaluation.objects.filter(state=EvaluationState.FAILED)
    return Q(pk__in=failed.values("submission"))


def steps_of(challenge: Challenge, lines: list[dict[str, Any]]) -> list[SetupStep]:
    """List what a challenge needs before it can open, in the order in which to do it."""
    steps = []
    if not lines:
        steps.append(SetupStep("missing", "Phases", "There is none yet.", "phases"))
    for line in lines:
        steps += [_references(line["phase"]), _dates(line["phase"])]
    return [*steps, _text(challenge), _summary(challenge)]


def _references(phase: Phase) -> SetupStep:
    what = f"{phase.name}: references"
    references = phase.reference_set
    if references is None:
        state = "None yet; the phase takes no submissions."
        return SetupStep("missing", what, state, "references", phase)
    state = f"{references.clip_count:,} clips, {references.caption_count:,} captions"
    if prepared(phase) and (left := families_to_prepare(phase)):
        families = len(phase.families)
        state += f"; prepared for {families - len(left)} of {families} metric families"
    # What of hidden references other phases show to everyone.
    shared = (
        []
        if phase.references_public
        else kept_for_version(
            ("captions shown elsewhere", phase.pk),
            lambda: [
                str(one)
                for one in shared_captions(
                    references_of(references.content_hash), phase=phase, public=False, actor=None
                )
            ],
        )
    )
    if not shared:
        return SetupStep("done", what, state, "references", phase)
    return SetupStep("look", what, " ".join([f"{state}.", *shared]), "references", phase)


def _moment(moment: datetime) -> str:
    return f"{moment:%-d %b %Y %H:%M} UTC"


def _dates(phase: Phase) -> SetupStep:
    what = f"{phase.name}: dates"
    opens = f"Opens {_moment(phase.opens_at)}" if phase.opens_at else "Opens with its references"
    if phase.closes_at:
        state = f"{opens}, closes {_moment(phase.closes_at)}."
        return SetupStep("done" if phase.opens_at else "look", what, state, "phase", phase)
    state = "No closing date: the phase never closes. Set one if it should."
    if phase.opens_at:
        state = f"{opens} and never closes."
    return SetupStep("look", what, state, "phase", phase)


def _text(challenge: Challenge) -> SetupStep:
    text = challenge.description
    if not text.strip():
        return SetupStep("look", "Text", "Empty. It should say what the task is.", "text")
    if places := left_to_write(text):
        return SetupStep("missing", "Text", f"{places} still to be written.", "text")
    return SetupStep("done", "Text", "Written.", "text")


def _summary(challenge: Challenge) -> SetupStep:
    if challenge.summary:
        return SetupStep("done", "Summary", challenge.summary, "text")
    return SetupStep("look", "Summary", "Empty. It is shown in the list of challenges.", "text")


def last_change(target: object) -> str:
    """The name of the person who changed something last, from the audit log."""
    event = (
        AuditEvent.objects.filter(target=place_in_log(target)[0])
        .select_related("actor")
        .order_by("-at", "-pk")
        .first()
    )
    return event.actor.get_username() if event is not None and event.actor else ""
