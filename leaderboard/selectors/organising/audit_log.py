"""Reading the audit log of a challenge, in plain sentences."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from leaderboard.models import AuditEvent, Challenge, Submission

PAGE = 50
# The name of each act in a list, and its sentence; ``it`` is what it was done to.
ACTS: dict[str, tuple[str, str]] = {
    "submission.accept": ("Submitted", "submitted {it}"),
    "submission.retry": ("Retried", "retried what failed of {it}"),
    "submission.describe": ("Edited", "edited the description of {it}"),
    "submission.withdraw": ("Withdrew", "withdrew {it}"),
    "submission.take_back": ("Took a withdrawal back", "took back the withdrawal of {it}"),
    "submission.choose": ("Chose", "chose {it} as the one that counts"),
    "submission.disqualify": ("Disqualified", "disqualified {it}"),
    "submission.restore": ("Restored", "restored {it}"),
    "submission.mark": ("Marked", "marked {it} as {kind}"),
    "human_row.create": ("Made a human row", "made the human row of {phase}"),
    "rescoring.open": ("Started a dry run", "started a dry run of {families} in {it}"),
    "rescoring.extend": ("Extended a dry run", "added new systems to the dry run of {it}"),
    "rescoring.retry": ("Retried a dry run", "retried what failed of the dry run of {it}"),
    "rescoring.discard": ("Discarded a dry run", "discarded the dry run of {families} in {it}"),
    "rescoring.publish": ("Published a rescoring", "published the rescoring of {families} in {it}"),
    "labeller.register": ("Kept a labeller", "kept the labeller {it}"),
    "labeller.measure": ("Measured a labeller", "measured the labeller {it} by a training"),
    "labeller.use": ("Put a labeller into use", "put the labeller {it} into use"),
    "labeller.delete": ("Deleted a labeller", "deleted the labeller {it}"),
    "labellers.allow": ("Allowed labellers", "let {it} choose the labeller in use"),
    "labellers.disallow": ("Disallowed labellers", "no longer let {it} choose the labeller in use"),
    "snapshot.take": ("Kept a ranking", "kept the ranking of {it} as it was"),
    "phase.freeze": ("Froze a ranking", "froze the ranking of {it}"),
    "phase.freeze_later": ("Planned a freeze", "had {it} frozen once all its systems are scored"),
    "phase.freeze_cancel": ("Cancelled a freeze", "cancelled the freezing of {it}"),
    "phase.reveal": ("Revealed a ranking", "revealed the ranking of {it}"),
    "phase.create": ("Added a phase", "added the phase {it}"),
    "phase.change": ("Changed a phase", "changed the rules of {it}"),
    "phase.move": ("Moved a phase", "moved {it} among the phases"),
    "phase.delete": ("Deleted a phase", "deleted the phase {it}"),
    "phase.judge_on": ("Turned on an outside judge", "turned on an outside judge of {it}"),
    "phase.judge_off": ("Turned off an outside judge", "turned off an outside judge of {it}"),
    "phase.references": ("Set references", "set the references of {it}"),
    "phase.audio": ("Added recordings", "added recordings to {it}"),
    "phase.audio_address": ("Set an address", "set the address of recordings of {it}"),
    "phase.audio_removed": ("Removed recordings", "removed the recordings of {it}"),
    "participation.ask": ("Asked to take part", "asked for {it} to take part"),
    "participation.accept": ("Accepted the terms", "accepted the terms for {it}"),
    "participation.admit": ("Admitted a team", "admitted {it}"),
    "participation.refuse": ("Refused a team", "refused {it}"),
    "participation.withdraw": ("Withdrew an admission", "withdrew the admission of {it}"),
    "references.publish": ("Published references", "published the references {it}"),
    "phase.references_discard": ("Discarded references", "discarded the references of {it}"),
    "judgments.measure": ("Uploaded judgments", "uploaded judgments of {it}"),
    "judgments.publish": ("Published judgments", "published the judgments of {it}"),
    "judgments.unpublish": ("Hid judgments", "hid the judgments of {it}"),
    "image.add": ("Added an image", "added the image {it}"),
    "image.replace": ("Replaced an image", "replaced the image {it}"),
    "image.delete": ("Deleted an image", "deleted the image {it}"),
    "image.logo": ("Chose a logo", "made {it} the logo"),
    "image.no_logo": ("Removed the logo", "no longer shows {it} as the logo"),
    "organiser.add": ("Added an organiser", "added an organiser of {it}"),
    "organiser.remove": ("Removed an organiser", "removed an organiser of {it}"),
    "organiser.invite": ("Invited organisers", "made a link that invites organisers of {it}"),
    "organiser.invite_revoke": ("Revoked an invitation", "revoked an invitation to organise {it}"),
    "announcement.create": ("Wrote an announcement", "wrote the announcement {it}"),
    "announcement.change": ("Edited an announcement", "edited the announcement {it}"),
    "announcement.delete": ("Deleted an announcement", "deleted the announcement {it}"),
    "announcement.mail": ("Mailed an announcement", "had {it} sent by e-mail"),
    "challenge.create": ("Made the challenge", "made the challenge {it}"),
    "challenge.change": ("Changed the challenge", "changed the challenge {it}"),
    "challenge.publish": ("Published the challenge", "published the challenge {it}"),
    "challenge.unpublish": ("Hid the challenge", "hid the challenge {it} from all but organisers"),
    "admin.add": ("Added in the admin", "added {it} in the admin"),
    "admin.change": ("Changed in the admin", "changed {it} in the admin"),
    "admin.delete": ("Deleted in the admin", "deleted {it} in the admin"),
}
KINDS = {"baseline": "a baseline, which does not compete", "system": "competing"}
# Details that the sentence has already, or that are of no use to a reader.
IN_SENTENCE = {"system", "team", "phase", "families", "kind", "rescoring", "reason", "title"}
GONE = "a deleted account"
ITSELF = "the site"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An event in words; ``submission`` is the id of the one that it is about, if any."""

    at: datetime
    who: str
    did: str
    reason: str
    more: tuple[tuple[str, str], ...]
    submission: str

    @property
    def sentence(self) -> str:
        """The whole event in one line."""
        return f"{self.who} {self.did}" + (f", reason: {self.reason}" if self.reason else "")


def events_of(
    challenge: Challenge,
    *,
    act: str = "",
    person: str = "",
    submission: str = "",
    day: date | None = None,
) -> QuerySet[AuditEvent]:
    """The events of a challenge that are asked for, the latest first; a day is one in UTC."""
    rows = AuditEvent.objects.filter(challenge=challenge.pk).select_related("actor")
    if act:
        rows = rows.filter(action=act)
    if person:
        rows = rows.filter(actor__username__iexact=person)
    if submission:
        named = Submission.objects.filter(
            Q(public_id=submission) | Q(system_name__icontains=submission),
            phase__challenge=challenge,
        )
        rows = rows.filter(target__in=named.values("public_id"))
    if day:
        begin = datetime.combine(day, time(), tzinfo=UTC)
        rows = rows.filter(at__gte=begin)
        # Nothing comes after the last day that there is.
        if day < date.max:
            rows = rows.filter(at__lt=begin + timedelta(days=1))
    return rows


def acts_of(challenge: Challenge) -> list[tuple[str, str]]:
    """List the acts that the log of a challenge knows, by what they are called."""
    events = AuditEvent.objects.filter(challenge=challenge.pk).order_by()
    names = events.values_list("action", flat=True).distinct()
    acts = [(name, ACTS[name][0] if name in ACTS else _words(name).capitalize()) for name in names]
    return sorted(acts, key=lambda pair: pair[1])


def audit_lines(events: Iterable[AuditEvent]) -> Iterator[AuditLine]:
    """Events in words; one query more for the names of submissions."""
    rows = list(events)
    about = {row.target for row in rows if row.action.startswith(("submission.", "human_row."))}
    names = {
        pk: f"{system} ({team})"
        for pk, system, team in Submission.objects.filter(public_id__in=about).values_list(
            "public_id", "system_name", "team__name"
        )
    }
    for row in rows:
        yield _audit_line(row, names)


def _audit_line(event: AuditEvent, names: Mapping[str, str]) -> AuditLine:
    details = event.details if isinstance(event.details, dict) else {}
    about = names.get(event.target)
    known = ACTS.get(event.action)
    sentence = known[1] if known else f"{_words(event.action)}: {{it}}"
    kind = str(details.get("kind", ""))
    # The row outlives the account.
    who = ITSELF if event.actor_id is None else GONE
    if event.actor is not None:
        who = event.actor.get_username()
    did = sentence.format(
        it=about or event.target,
        phase=details.get("phase", "a phase"),
        families=", ".join(map(str, details.get("families", ()))) or "metrics",
        kind=KINDS.get(kind, kind),
    )
    return AuditLine(
        at=event.at,
        who=who,
        did=did,
        reason="" if event.action == "snapshot.take" else str(details.get("reason", "")),
        more=tuple(_more(details)),
        submission=event.target if about else "",
    )


def _more(details: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the sentence leaves out: changes with both values, numbers, digests."""
    sides = details.get("before"), details.get("after")
    old, new = (side if isinstance(side, dict) else {} for side in sides)
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield _words(name), f"{_shown(old.get(name))} → {_shown(new.get(name))}"
    for name, value in details.items():
        if (
            name not in IN_SENTENCE
            and name not in {"before", "after"}
            and value not in ("", None, {}, [])
        ):
            yield _words(name), _shown(value)


def _shown(value: Any) -> str:
    if value in (None, "", {}, []):
        return "none"
    if isinstance(value, dict):
        text = ", ".join(f"{_words(str(key))} {_shown(inner)}" for key, inner in value.items())
    elif isinstance(value, list):
        text = ", ".join(_shown(inner) for inner in value)
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = str(value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _words(name: str) -> str:
    return name.replace(".", " ").replace("_", " ")
