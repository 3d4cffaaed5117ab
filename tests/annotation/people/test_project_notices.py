"""Notices of what happens to a project and to somebody in it."""

import pytest
from django.urls import reverse

from annotation.models import Member, Project, Role
from annotation.selectors.project_contents import project_contents
from annotation.services.invitations import (
    InvitationTerms,
    invitation_accept,
    invitation_create,
)
from annotation.services.life_cycle import project_archive, project_delete, project_hand_over
from annotation.services.projects import ProjectAct, member_add, member_let_in, member_take_out
from leaderboard.models import Notice, User
from leaderboard.services.people.notices import notices_mail
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import label
from tests.factories import UserFactory

pytestmark = pytest.mark.one_database


def act(crew: Crew) -> ProjectAct:
    return ProjectAct(crew.manager, NOW)


def told(user: User) -> list[str]:
    return [notice.text for notice in Notice.objects.filter(user=user)]


def path(user: User) -> str:
    return Notice.objects.get(user=user).path


def leads_on(crew: Crew, user: User) -> bool:
    """Whether the page of the notice is there for who has it."""
    return crew.client(user).get(path(user)).status_code == 200


def test_both_owners_are_told_of_a_handing_over(crew: Crew, mailoutbox: list[object]) -> None:
    second = member_add(project=crew.project, user=UserFactory.create(), role=Role.MANAGER)
    project_hand_over(project=crew.project, to=second, act=act(crew))
    (new,), (old,) = told(second.user), told(crew.manager)
    assert new.startswith(f"{crew.manager.username} handed {crew.project.name} over to you")
    assert old == (
        f"{crew.project.name} was handed over to {second.user.username}. "
        "You are still a manager of it."
    )
    assert leads_on(crew, second.user)
    assert leads_on(crew, crew.manager)
    assert notices_mail(now=NOW) == len(mailoutbox) == 2
    project_hand_over(project=crew.project, to=second, act=act(crew))
    assert Notice.objects.count() == 2, "who owns it already is told nothing"


def test_who_has_captions_left_is_told_of_archiving_and_deleting(crew: Crew) -> None:
    for item in crew.items:
        label(item, crew.bob)
    project_archive(project=crew.project, act=act(crew))
    name = crew.project.name
    (archived,) = told(crew.ann)
    assert archived.startswith(f"{crew.manager.username} archived {name}. You get no more")
    assert leads_on(crew, crew.ann)
    assert told(crew.bob) == told(crew.manager) == [], "nothing left, and who did it"
    project_archive(project=crew.project, act=act(crew))
    seen = project_contents(crew.project).stamp
    project_delete(project=crew.project, seen=seen, act=act(crew))
    assert Notice.objects.count() == 2, "ann and the adjudicator; a closed project has none left"


def test_deleting_an_open_project_tells_and_leads_to_no_project(crew: Crew) -> None:
    name = crew.project.name
    seen = project_contents(crew.project).stamp
    project_delete(project=crew.project, seen=seen, act=act(crew))
    assert told(crew.ann) == [
        f"{crew.manager.username} deleted {name} with all captions and answers in it."
    ]
    assert path(crew.ann) == ""
    page = crew.client(crew.ann).get(reverse("leaderboard:notices"))
    assert name in page.content.decode()


def test_whose_invitation_is_accepted_is_told_once(crew: Crew) -> None:
    terms = InvitationTerms(Role.ADJUDICATOR, uses=2)
    token = invitation_create(project=crew.project, terms=terms, act=act(crew))
    for _ in range(2):
        invitation_accept(token=token, user=crew.outsider, now=NOW)
    assert told(crew.manager) == [
        f"{crew.outsider.username} accepted your invitation into {crew.project.name}: adjudicator."
    ]
    assert leads_on(crew, crew.manager)


def test_who_is_let_in_given_a_role_or_taken_out_is_told(crew: Crew) -> None:
    name, by = crew.project.name, crew.manager.username
    for role in (Role.ANNOTATOR, Role.ANNOTATOR, Role.ADJUDICATOR):
        member_let_in(project=crew.project, user=crew.outsider, role=role, act=act(crew))
    member_take_out(member=Member.objects.get(user=crew.outsider), act=act(crew))
    assert sorted(told(crew.outsider)) == sorted(
        [
            f"{by} added you to {name}. Your role: annotator.",
            f"{by} gave you another role in {name}. Your role: adjudicator.",
            f"{by} removed you from {name}. Your answers stay in the project.",
        ]
    )


def test_who_does_it_alone_is_told_nothing(crew: Crew) -> None:
    member_add(project=crew.project, user=UserFactory.create(), role=Role.MANAGER)
    Project.objects.update(owner=None)
    own = Member.objects.get(user=crew.manager)
    member_take_out(member=own, act=act(crew))
    assert not Notice.objects.exists()
