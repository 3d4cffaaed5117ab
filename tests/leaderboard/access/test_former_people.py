"""Who left, or was taken out, is a stranger again: on every page, by every token, for every file.

And so are those who label elsewhere. They get the answers that the table has for outsiders.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Item, Member, Role
from annotation.services.formats.sources import reference_tasks
from annotation.services.projects import ProjectAct, items_add, member_add, member_take_out
from leaderboard.models import Membership, TeamRole, User
from leaderboard.services.clips.audio import audio_add
from leaderboard.services.organising.organisers import organiser_add, organiser_remove
from leaderboard.services.people import teams
from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.factories import NOW, UserFactory, join, submit
from tests.leaderboard.access.authorisation_table import TABLE
from tests.leaderboard.access.one_of_everything import PEOPLE, Everything, everything
from tests.leaderboard.conftest import Cast
from tests.sounds import wav, zipped

# How the site is says nothing of people, and changes with time.
ASKED = [key for key in TABLE if key[1] not in {"healthz", "readyz"}]
# What a real annotator of the project is answered and an outsider is not.
LABELLING = "annotate/<slug:project>/"
OF_ANNOTATORS = {
    ("GET", LABELLING): 200,
    ("GET", f"{LABELLING}guidelines/"): 200,
    ("GET", f"{LABELLING}history/"): 200,
    ("GET", f"{LABELLING}qualification/"): 200,
    ("GET", f"{LABELLING}sounds/<int:pk>/"): 200,
    ("GET", "api/v1/labelling/<slug:project>/history"): 200,
    ("PUT", "api/v1/labelling/<slug:project>/keys"): 200,
    ("GET", "api/v1/labelling/<slug:project>/own"): 200,
    ("POST", "api/v1/labelling/<slug:project>/tasks"): 200,
}
# Who adjudicates reads what is labelled and settles it, besides.
API = "api/v1/labelling/<slug:project>/"
OF_ADJUDICATORS = OF_ANNOTATORS | {
    **{("GET", f"{LABELLING}{page}"): 200 for page in ("adjudicate/", "agreement/", "captions/")},
    ("GET", f"{LABELLING}adjudicate/<int:item_id>/"): 200,
    ("POST", f"{LABELLING}adjudicate/<int:item_id>/reopen/"): 409,
    ("POST", f"{LABELLING}adjudicate/<int:item_id>/settle/"): 422,
    ("POST", f"{LABELLING}adjudicate/start/"): 302,
    ("GET", f"{LABELLING}models/"): 200,
    ("GET", f"{LABELLING}models/<int:number>/"): 200,
    ("GET", f"{LABELLING}models/<int:number>/progress/"): 200,
    ("GET", f"{API}agreement"): 200,
    ("GET", f"{API}items/<int:item_id>"): 200,
    ("GET", f"{API}items/<int:item_id>/versions"): 200,
}


@pytest.fixture
def world(cast: Cast, settings: Settings, tmp_path: Path) -> Everything:
    """One of everything; the first clip, which is hidden, has a recording."""
    settings.RATELIMIT_ENABLE = False
    settings.AUDIO_DIR = tmp_path
    audio_add(
        phase=cast.phase, path=zipped({"rain.wav": wav()}, tmp_path / "a.zip"), actor=None, now=NOW
    )
    cast.rules(references_public=False)
    return everything(cast)


def former_member(world: Everything, user: User, *, left: bool, role: TeamRole) -> None:
    """In the team with a submission, then out of it."""
    membership = join(world.cast.team, user, role)
    submit(world.cast.phase, world.cast.team, user=user, name="Another")
    if left:
        teams.team_leave(membership=membership, now=timezone.now())
    else:
        teams.member_remove(membership=membership, actor=world.cast.owner, now=timezone.now())
    assert not Membership.objects.filter(user=user).exists()


def former_annotator(world: Everything, user: User, role: Role) -> None:
    """In the project with an answer, then out of it."""
    items_add(project=world.project, tasks=reference_tasks(world.cast.phase, one_each=True))
    member = member_add(project=world.project, user=user, role=role)
    first: Item = world.project.items.all()[0]
    label(first, user, (0, 0, "WHO"))
    member_take_out(member=member, act=ProjectAct(world.cast.organiser, timezone.now()))
    assert not Member.objects.filter(user=user).exists()


def former_organiser(world: Everything, user: User) -> None:
    """An organiser of the challenge for a while."""
    about = {"challenge": world.cast.phase.challenge, "user": user, "now": timezone.now()}
    organiser_add(actor=world.cast.organiser, **about)  # type: ignore[arg-type]
    organiser_remove(actor=world.cast.organiser, **about)  # type: ignore[arg-type]


def annotator_elsewhere(_world: Everything, user: User) -> None:
    """A real annotator of another project, with an answer there."""
    other = make_project(UserFactory.create(), texts=("rain falls",))
    member_add(project=other, user=user)
    label(other.items.all()[0], user, (0, 0, "WHO"))


STRANGERS: dict[str, Callable[[Everything, User], None]] = {
    "left the team": lambda w, u: former_member(w, u, left=True, role=TeamRole.MEMBER),
    "taken out of the team": lambda w, u: former_member(w, u, left=False, role=TeamRole.MEMBER),
    "owner who left": lambda w, u: former_member(w, u, left=True, role=TeamRole.OWNER),
    "taken out of the labelling project": lambda w, u: former_annotator(w, u, Role.ANNOTATOR),
    "former manager": lambda w, u: former_annotator(w, u, Role.MANAGER),
    "former organiser": former_organiser,
    "annotator of another project": annotator_elsewhere,
}


def differences(
    world: Everything, user: User, secret: str, expected: dict[tuple[str, str], int]
) -> Iterable[str]:
    """Answers to somebody, by log-in and by token, that are not as expected."""
    world.clients["session"] = Client(raise_request_exception=False)
    world.clients["session"].force_login(user)
    world.clients["token"] = Client(
        raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"}
    )
    for (method, route), wanted in expected.items():
        ways = ("session", "token") if route.startswith("api/v1/") else ("session",)
        for way in ways:
            found = world.code(way, method, route)
            if found != wanted:
                yield f"{method} {route} by {way}: {found} and not {wanted}"


# Who was taken out of a project does not come back by a link from before; outsiders come in.
NO_WAY_BACK = {(method, "annotate/join/<slug:token>/"): 404 for method in ("GET", "POST")}


def test_who_was_everything_is_answered_as_outsiders_are(world: Everything) -> None:
    """Rights add up: whatever one of the former places still opened would be open to this person.

    Each place on its own is asked for every file below.
    """
    expected = as_outsiders_are(world, ASKED) | NO_WAY_BACK
    user = UserFactory.create()
    secret = token_create(user=user, name="made before being inside")[1]
    for was_inside in STRANGERS.values():
        was_inside(world, user)
    links = [key for key in TABLE if "<slug:token>" in key[1] and key not in NO_WAY_BACK]
    # Whoever is taken out may know the open links, which end with it for everyone.
    expected |= as_outsiders_are(world, links)
    assert list(differences(world, user, secret, expected)) == []


def as_outsiders_are(
    world: Everything, asked: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """The answers to the outsider: the table's refusals, and what this world hides besides."""
    at = PEOPLE.index("outsider")
    return {key: 404 if TABLE[key][at] == 404 else world.code("outsider", *key) for key in asked}


def test_who_labels_or_adjudicates_is_an_outsider_for_all_else(world: Everything) -> None:
    expected, users = as_outsiders_are(world, ASKED), UserFactory.create_batch(2)
    for user, role, more in zip(
        users, (Role.ANNOTATOR, Role.ADJUDICATOR), (OF_ANNOTATORS, OF_ADJUDICATORS), strict=True
    ):
        member_add(project=world.project, user=user, role=role)
        secret = token_create(user=user, name="x")[1]
        assert list(differences(world, user, secret, expected | more)) == []


FILES = (
    "/audio/{references}/1/",
    "/s/{system}/file/",
    "/s/{system}/report/",
    "/annotate/{project}/export/",
    "/annotate/{project}/models/1/data/",
    "/api/v1/labelling/{project}/export",
    "/manage/{challenge}/audit.csv",
)


def test_no_file_reaches_them(world: Everything) -> None:
    """Recordings, captions, labels: nor does the name of one tell more."""
    places = {
        "references": str(world.cast.phase.reference_set_id),
        "system": world.submission.public_id,
        "project": world.project.slug,
        "challenge": world.cast.phase.challenge.slug,
    }
    for who, was_inside in STRANGERS.items():
        user = UserFactory.create()
        was_inside(world, user)
        client = world.cast.client(user)
        codes = {file: client.get(file.format_map(places)).status_code for file in FILES}
        assert codes == dict.fromkeys(FILES, 404), who
    organiser = world.cast.client(world.cast.organiser)
    assert organiser.get(FILES[0].format_map(places)).status_code == 200
