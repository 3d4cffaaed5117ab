"""One of everything, and eight people who ask for it: for the table of who may what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any

import numpy as np
from django.db import transaction
from django.test import Client
from django.utils import timezone

import earmark
from annotation.models import (
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetClip,
    Gold,
    Import,
    ImportState,
    Invitation,
    Project,
    QualificationCaption,
    Role,
    Sound,
)
from annotation.services.data_sets.decisions import finding_dismiss
from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.services.invitations import InvitationTerms, invitation_create
from annotation.services.projects import ProjectAct
from annotation.text_changes import text_stamp
from earmark.benchmark import Preferences, shares
from earmark.benchmark_results import accuracy_row, kept_differences
from leaderboard.api import api
from leaderboard.models import (
    Announcement,
    AnnouncementOptOut,
    ChallengeImage,
    ChallengeParticipation,
    JudgmentSet,
    JudgmentsState,
    Membership,
    Notice,
    OrganiserInvitation,
    ParticipationState,
    Rescoring,
    SnapshotReason,
    Submission,
    TeamInvitation,
    User,
)
from leaderboard.selectors.labellers.files import shipped_identity
from leaderboard.selectors.people.notices import unsubscribe_address
from leaderboard.services.clips.recordings import recording_save
from leaderboard.services.people.accounts import token_create
from leaderboard.services.ranking.snapshots import snapshot_take
from leaderboard.services.workers import worker_seen
from tests.annotation.conftest import make_project
from tests.annotation.trained import make_training
from tests.factories import ChallengeFactory, UserFactory, finish, submit
from tests.leaderboard.access.authorisation_rules import PREFIXES
from tests.leaderboard.conftest import Cast
from tests.leaderboard.visibility.test_hidden_phase import acts, routes
from tests.sounds import wav

# What some operations must be sent, or they answer 422 before they ask who it is.
FORM = "application/x-www-form-urlencoded"
QUERIES = {
    "api/v1/submissions/<slug:public_id>/clips": "?metric=cider_d",
    "c/<slug:challenge>/<slug:phase>/export/": "?format=csv",
}
BODIES = {
    ("PATCH", "api/v1/submissions/<slug:public_id>"): '{"system_name": "Another"}',
    ("POST", "api/v1/labelling/<slug:project>/tasks"): '{"count": 1}',
    ("POST", "api/v1/labelling/<slug:project>/check"): '{"item": 1, "text": "rain falls"}',
    ("PUT", "api/v1/labelling/<slug:project>/keys"): '{"keys": {}}',
    ("PUT", "api/v1/labelling/<slug:project>/items/<int:item_id>/annotation"): (
        '{"edit": "abcdefgh", "base": 0, "spans": []}'
    ),
}
# What acts need besides their name; a number is found by the field that it is for.
FIELDS: dict[tuple[str, str], str] = {
    ("POST announcements", "account/"): "opt_out=<pk>",
    ("POST delete", "account/tokens/"): "token=<pk>",
    ("POST publish", "c/<slug:challenge>/<slug:phase>/judges/"): "judgments=<pk>",
    ("GET open", "notices/"): "notice=<pk>",
    ("POST choose", "s/<slug:public_id>/"): "confirmed=yes",
    ("POST leave", "teams/<slug:team>/"): "confirmed=yes",
    ("POST revoke", "teams/<slug:team>/"): "invitation=<pk>",
    **{
        (f"{way} {act}", "teams/<slug:team>/"): "member=<pk>"
        for way in ("GET", "POST")
        for act in ("hand_over", "remove", "role")
    },
    ("POST delete", "manage/<slug:challenge>/"): "confirmed=yes",
    ("POST delete", "manage/<slug:challenge>/<slug:phase>/"): "confirmed=yes",
    ("POST delete", "manage/<slug:challenge>/text/images/"): "image=<name>",
    ("POST logo", "manage/<slug:challenge>/text/images/"): "image=<name>",
    ("POST remove", "manage/<slug:challenge>/people/"): "person=<pk>",
    ("POST revoke", "manage/<slug:challenge>/people/"): "invited=<pk>",
    **{
        (f"POST {act}", "manage/<slug:challenge>/<slug:phase>/rescoring/"): "rescoring=<pk>"
        for act in ("publish", "retry", "discard", "back")
    },
}
# In the order of the codes of a row.
PEOPLE = (
    "anonymous",
    "outsider",
    "member",
    "owner",
    "organiser",
    "other organiser",
    "staff",
    "superuser",
)


@dataclass(frozen=True)
class Everything:
    """One of everything that an address can name; the member's are their own."""

    cast: Cast
    submission: Submission
    project: Project
    data_set: DataSet
    numbers: dict[str, int]
    tokens: dict[str, str]
    clients: dict[str, Client] = field(default_factory=dict)

    def path(self, route: str) -> str:
        """Write an address of something that is there."""
        return f"/{self.filled(route, route)}"

    def body(self, method: str, route: str) -> str:
        """Write what is sent: of "POST retry" the act with its fields."""
        act, fields = method.partition(" ")[2], FIELDS.get((method, route), "")
        if not act:
            return BODIES.get((method, route), "")
        return f"act={act}&{self.filled(fields, fields)}"

    def address(self, method: str, route: str) -> str:
        """Write an address of something that is there, or of the page of an act: "GET leave"."""
        if method.startswith("GET "):
            return f"{self.path(route)}?{self.body(method, route)}"
        return self.path(route) + QUERIES.get(route, "")

    def filled(self, text: str, route: str) -> str:
        """Put what is there in the place of its names, numbers by a part of the route."""
        values: dict[str, Any] = {
            "challenge": self.cast.phase.challenge.slug,
            "phase": self.cast.phase.slug,
            "public_id": self.submission.public_id,
            "team": self.cast.team.slug,
            "name": "cider_d",
            "number": 1,
            "file_name": "dog.wav",
            "identity": shipped_identity(),
            "version": earmark.__version__,
            "document": "about",
            "picture": "architecture.svg",
            "project": self.project.slug,
            "data_set": self.data_set.slug,
            "archive": "1-none",
            "kind": "write",
            "item_id": self.numbers["item"],
            "token": next((t for key, t in self.tokens.items() if key in route), "none"),
            "sha256": "0" * 64,
            "content_hash": self.cast.phase.reference_set.content_hash
            if self.cast.phase.reference_set
            else "",
        }
        number = next((pk for key, pk in self.numbers.items() if key in route), 1)
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda m: str(values.get(m[1], number)), text)

    def code(self, who: str, method: str, route: str) -> int:
        """Ask, and give the status; whatever was done is undone."""
        status: int = self.answer(who, method, route).status_code
        return status

    def answer(self, who: str, method: str, route: str) -> Any:
        """Ask, and give the response; whatever was done is undone."""
        body = self.body(method, route)
        kind = "application/json" if (method, route) in BODIES else FORM
        path = self.address(method, route)
        with transaction.atomic():
            response = self.clients[who].generic(
                method.split(" ", 1)[0], path, body, content_type=kind
            )
            if response.streaming:
                # Reads to the end what is read while it is sent.
                response.getvalue()
            transaction.set_rollback(True)
        return response


def sound_of(project: Project) -> Sound:
    """A recording of a labelling project."""
    stored = recording_save(BytesIO(wav()))
    return Sound.objects.create(
        project=project,
        file_name="x.wav",
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
    )


def decided_finding(data_set: DataSet) -> CaptionDecision:
    """The decision about a finding in a caption of a data set."""
    clip = DataSetClip.objects.create(data_set=data_set, position=0, file_name="x.wav")
    caption = DataSetCaption.objects.create(clip=clip, number=1, text="rian", original="rian")
    found = CaptionFinding.objects.create(
        caption=caption, kind="spelling", start=0, end=4, text="rian", before="rian"
    )
    act = DataSetAct(data_set.owner or UserFactory.create(), timezone.now())
    finding_dismiss(finding=found, seen=text_stamp("rian"), act=act)
    return found.decisions.get()


def judged(**of: Any) -> JudgmentSet:
    """Judgments of two pairs, of which the metric of the table's addresses ties one."""
    facets, captions = ("HM", "MM"), ["rain falls on a roof", "a dog barks"]
    pairs = [
        {"clip": 0, "facet": facet, "captions": captions, "truth": 1.0, "votes": [1.0, 1.0, -1.0]}
        for facet in facets
    ]
    kept = Preferences(np.array(facets), np.zeros(2, np.int64), np.ones(2), {})
    differences = np.array([0.5, 0.0])
    found = shares(kept, differences).items()
    row = {
        "name": "cider_d",
        "signature": "cider_d|x",
        "shares": {kind: accuracy_row(share) for kind, share in found},
        "differences": kept_differences(differences),
    }
    counts = {"pairs": 2, "decided": 2, "judges": 3, "votes": 6, "sha256": "0" * 64}
    return JudgmentSet.objects.create(
        name="Rain",
        clips=[{"name": "rain.wav", "references": ["it rains", "rain on a roof"]}],
        pairs=pairs,
        sha256="0" * 64,
        judges=3,
        votes=6,
        state=JudgmentsState.DONE,
        results={**counts, "metrics": [row], "unavailable": {}},
        handed_over_at=timezone.now(),
        **of,
    )


def everything(cast: Cast) -> Everything:
    """Make one of everything."""
    now = timezone.now()
    challenge, phase, soon = cast.phase.challenge, cast.phase, now + timedelta(days=1)
    submission = submit(phase, cast.team, user=cast.member)
    finish(submission)
    project = make_project(cast.organiser)
    make_training(project)
    waiting = Import.objects.create(
        project=project, state=ImportState.WAITING, file_name="x.jsonl", sha256="0" * 64, at=now
    )
    settled = project.items.all()[0]
    Gold.objects.create(
        item=settled, labels=["O"] * len(settled.tokens), provenance=[], settled_at=now
    )
    # Heard of tomorrow: a slow machine asks minutes later.
    worker_seen(name="worker:1", queues=["cpu", "gpu", "maintenance"], jobs=1, now=soon)
    invitation = TeamInvitation.objects.create(
        team=cast.team, created_by=cast.owner, expires_at=soon
    )
    asked_in = OrganiserInvitation.objects.create(
        challenge=challenge,
        email="someone@example.org",
        created_by=cast.organiser,
        created_at=now,
        expires_at=soon,
    )
    second = UserFactory.create()
    challenge.organisers.add(second)
    rescoring = Rescoring.objects.create(
        phase=phase, families=["cider_d"], reason="x", created_by=cast.organiser, created_at=now
    )
    news = Announcement.objects.create(
        challenge=challenge, title="News", author=cast.organiser, published_at=now
    )
    # Named as the table's addresses name everything.
    ChallengeImage.objects.create(
        challenge=challenge,
        name="cider_d",
        sha256="0" * 64,
        content=b"x",
        width=1,
        height=1,
        uploaded_at=now,
    )
    challenge.terms = "Play fair."
    challenge.save()
    part = ChallengeParticipation.objects.create(
        challenge=challenge,
        team=cast.team,
        state=ParticipationState.ADMITTED,
        asked_at=now,
        terms_version=challenge.terms_version,
    )
    opt_out = AnnouncementOptOut.objects.create(user=cast.member, challenge=challenge, at=now)
    kept = snapshot_take(phase=phase, reason=SnapshotReason.REVEAL, actor=None, now=now)
    token, _ = token_create(user=cast.member, name="x")
    # More uses than there are people to ask.
    terms = InvitationTerms(Role.ANNOTATOR, uses=20)
    link = invitation_create(project=project, terms=terms, act=ProjectAct(cast.organiser, now))
    # By a part of the address, the longer first.
    qualifying = QualificationCaption.objects.create(
        project=project, text="x", tokens=[{"text": "x"}], labels=["O"]
    )
    data_set = data_set_create(name="Rain", act=DataSetAct(cast.organiser, now))
    decided = decided_finding(data_set)
    own = judged(owner=cast.member)
    of_phase = judged(phase=phase, source="x")
    numbers = {
        "judges/": of_phase.pk,
        "judgments=": of_phase.pk,
        "agreement/own/": own.pk,
        "data_set>/captions/": decided.caption_id,
        "data_set>/findings/": decided.finding_id or 0,
        "data_set>/decisions/": decided.pk,
        "quality/captions/": qualifying.pk,
        "quality/let-in/": project.members.get().pk,
        "qualification/": qualifying.pk,
        "manage/imports/": waiting.pk,
        "sounds/": sound_of(project).pk,
        "manage/members/invitations/": Invitation.objects.get().pk,
        "manage/members/": project.members.get().pk,
        "invited=": asked_in.pk,
        "invitation=": invitation.pk,
        "member=": Membership.objects.get(user=cast.member).pk,
        "participants/": part.pk,
        "person=": second.pk,
        "opt_out=": opt_out.pk,
        "announcements/": news.pk,
        "rankings/": kept.pk,
        "rescoring": rescoring.pk,
        "notice=": Notice.objects.create(user=cast.member, kind="team", text="x", at=now).pk,
        "token=": token.pk,
        "item": settled.pk,
    }
    links = {
        "annotate/join/": link,
        "teams/join/": invitation.token,
        "manage/join/": asked_in.token,
        "unsubscribe/": unsubscribe_address(cast.member, challenge).split("/")[-2],
    }
    found = Everything(cast, submission, project, data_set, numbers, links)
    for who, user in people(cast):
        found.clients[who] = client = Client(raise_request_exception=False)
        if user is not None:
            client.force_login(user)
    return found


def asked() -> Iterator[tuple[str, str]]:
    """Every address of the site but those ruled by prefix, with the methods to ask by.

    Pages are read and posted to, with each of their acts, too; of the API, what its description
    lists.
    """
    posted = sorted(set(acts()))
    operations = {
        re.sub(r"{(\w+)}", r"<\1>", path): [method.upper() for method in operation]
        for path, operation in api.get_openapi_schema()["paths"].items()
    }
    for route in sorted(set(routes())):
        if route.startswith(tuple(PREFIXES)) or "^" in route:
            continue
        if route.startswith("api/v1/"):
            plain = re.sub(r"<\w+:(\w+)>", r"<\1>", route)
            methods = operations.get(f"/{plain}", ["GET"])
        else:
            methods = ["GET", "POST", *(f"POST {act}" for at, act in posted if at == route)]
        for method in methods:
            yield method, route


def people(cast: Cast) -> Iterator[tuple[str, User | None]]:
    """Everyone who asks."""
    other = UserFactory.create()
    ChallengeFactory.create().organisers.add(other)
    staff = UserFactory.create(is_staff=True)
    users = {
        "anonymous": None,
        "outsider": cast.outsider,
        "member": cast.member,
        "owner": cast.owner,
        "organiser": cast.organiser,
        "other organiser": other,
        "staff": staff,
        "superuser": UserFactory.create(is_staff=True, is_superuser=True),
    }
    for who in PEOPLE:
        yield who, users[who]
