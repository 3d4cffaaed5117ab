"""Challenges are made, written and published by those who may, and by nobody else."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from earmark.registry import metric
from leaderboard import access
from leaderboard.blueprints import blueprints
from leaderboard.models import AuditEvent, Challenge, User
from leaderboard.services.organising.challenges import TEXT
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.people.announcements import announcement_create
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import NOW, ChallengeFactory, UserFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

NEW = "/manage/new/"


def allow(user: User) -> User:
    user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return user


def new(**changes: str) -> dict[str, str]:
    form = {"title": "Sounds of Spring", "slug": "", "time_zone": "Europe/Berlin"}
    return {**form, "blueprint": "dcase-2024", **changes}


def page(challenge: Challenge, name: str = "overview", *args: Any) -> str:
    return reverse(f"leaderboard:manage-{name}", args=[challenge.slug, *args])


def test_others_do_not_learn_that_challenges_can_be_made(cast: Cast, settings: Settings) -> None:
    assert cast.client(cast.organiser).post(NEW, new()).status_code == 404
    settings.ANYONE_MAY_ORGANISE = True
    assert cast.client(cast.outsider).get(NEW).status_code == 200


def test_commands_give_rights_and_take_them(cast: Cast) -> None:
    for command, right, may, sees in (
        (
            "allow_organiser",
            "organiser",
            access.may_create_challenges,
            access.sees_management_pages,
        ),
        ("allow_labellers", "labellers", access.may_publish_labellers, access.may_see_labellers),
    ):
        for option, given in (("--no-color", True), ("--revoke", False)):
            call_command(command, cast.outsider.username, option)
            user = User.objects.get(pk=cast.outsider.pk)
            assert (may(user), sees(user)) == (given, given)
        events = AuditEvent.objects.filter(action__startswith=right)
        assert set(events.values_list("action", "target")) == {
            (f"{right}.{act}", cast.outsider.username) for act in ("allow", "disallow")
        }
        with pytest.raises(CommandError, match="Nobody has the user name nobody"):
            call_command(command, "nobody")


@pytest.mark.parametrize("name", list(blueprints()))
def test_each_blueprint_makes_a_challenge_that_nobody_else_sees(cast: Cast, name: str) -> None:
    client = cast.client(allow(cast.outsider))
    response = client.post(NEW, new(blueprint=name, time_zone="america/new york"))
    made = Challenge.objects.get(slug="sounds-of-spring")
    assert response["Location"] == page(made)
    assert (made.published, made.time_zone) == (False, "America/New_York")
    assert list(made.organisers.all()) == [cast.outsider]
    assert [phase.slug for phase in made.phases.all()] == [
        values["slug"] for values in blueprints()[name].phases
    ]
    for phase in made.phases.all():
        phase.full_clean()
    assert AuditEvent.objects.filter(action="challenge.create", challenge=made).exists()
    assert cast.client(cast.member).get(f"/c/{made.slug}/").status_code == 404
    assert client.get(page(made)).status_code == 200


def test_the_hidden_split_of_each_year_has_its_own_name() -> None:
    """Hidden is "testing" until 2023 and "evaluation" in 2024; to mix them up shows references."""
    hidden = {
        name: [values["slug"] for values in found.phases if not values["references_public"]]
        for name, found in blueprints().items()
    }
    assert hidden == {"dcase-2024": ["evaluation"], "dcase-2023": ["testing"], "empty": []}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": " "}, "This field is required."),
        ({"title": "日本"}, "No address can be made from the name."),
        ({"slug": "a b"}, "Enter a valid"),
        ({"slug": "new"}, "new is an address of the site itself."),
        ({"slug": "taken"}, "The address taken is taken."),
        ({"time_zone": "Mars/Olympus"}, "is not a time zone. Write one such as Europe/Berlin."),
        ({"blueprint": "dcase-1999"}, "Select a valid choice."),
    ],
)
def test_refusals_keep_what_was_typed(cast: Cast, changes: dict[str, str], said: str) -> None:
    ChallengeFactory.create(slug="taken")
    form = new(**changes)
    response = cast.client(allow(cast.outsider)).post(NEW, form)
    assert response.status_code == 422
    assert said in text(response.content)
    assert Challenge.objects.count() == 2
    for name in ("title", "slug", "time_zone"):
        assert response.context["form"][name].value() == form[name]


def test_it_is_published_once_nothing_is_missing(cast: Cast) -> None:
    client = cast.client(allow(cast.outsider))
    client.post(NEW, new())
    made = Challenge.objects.get(slug="sounds-of-spring")
    response = client.get(page(made))
    seen = text(response.content)
    assert "Before it can open" in seen
    assert "2 places still to be written." in seen
    assert seen.count("None yet; the phase takes no submissions.") == 2
    assert page(made, "references", "evaluation") in response.content.decode()
    answer = client.post(page(made), {"act": "publish", "published": "yes"}, follow=True)
    assert "The challenge was not published: the text still says “To be written:” in 2 places." in (
        answer.content.decode()
    )
    assert answer.redirect_chain[-1][0] == page(made, "text")
    made.refresh_from_db()
    assert not made.published
    for phase in made.phases.all():
        phase.reference_set = cast.phase.reference_set
        phase.save()
    Challenge.objects.filter(pk=made.pk).update(description="All is said.")
    assert "Ready to be published" in text(client.get(page(made)).content)
    client.post(page(made), {"act": "publish", "published": "yes"})
    made.refresh_from_db()
    assert made.published


@pytest.mark.parametrize("name", list(blueprints()))
def test_the_text_of_a_blueprint_repeats_no_rule_that_can_be_set_otherwise(name: str) -> None:
    """Pages show the rules as they are set; a text beside them would contradict them one day."""
    blueprint = blueprints()[name]
    rules = blueprint.description.partition("# Rules")[2]
    for phase in blueprint.phases:
        assert metric(phase["ranking_metric"]).label not in rules
    assert not re.search(r"systems|\d|hidden|never shown", rules)


def test_publishing_shows_it_to_everyone_and_unpublishing_to_nobody_else(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    public = f"/c/{challenge.slug}/"
    assert cast.client(None).get(public).status_code == 200
    client.post(page(challenge), {"act": "publish", "published": "no"})
    assert cast.client(None).get(public).status_code == 404
    # Sent twice, it is done and noted once.
    for _ in range(2):
        client.post(page(challenge), {"act": "publish", "published": "yes"})
    assert cast.client(None).get(public).status_code == 200
    events = AuditEvent.objects.filter(challenge=challenge).order_by("pk")
    assert [event.action for event in events] == ["challenge.unpublish", "challenge.publish"]


def written(challenge: Challenge, **changes: str) -> dict[str, str]:
    values = {name: getattr(challenge, name) for name in TEXT}
    return {**values, "version": version_of(challenge, TEXT), **changes}


def test_a_preview_is_safe_and_stores_nothing(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    hostile = "# Hello\n\n<script>alert(1)</script> [x](javascript:alert(1))"
    form = written(challenge, description=hostile, preview="yes")
    response = client.post(page(challenge, "text"), form)
    assert response.context["form"]["description"].value() == hostile
    challenge.refresh_from_db()
    assert challenge.description == ""
    fragment = client.post(page(challenge, "text-preview"), {"description": hostile})
    form.pop("preview")
    assert client.post(page(challenge, "text"), form).status_code == 302
    public = cast.client(None).get(f"/c/{challenge.slug}/")
    for content in (answer.content.decode() for answer in (response, fragment, public)):
        assert "<h3>Hello</h3>" in content
        assert "<script>alert" not in content
        assert 'href="javascript' not in content
    event = AuditEvent.objects.get(action="challenge.change")
    assert event.details == {"before": {"description": ""}, "after": {"description": hostile}}
    assert event.challenge == challenge


def test_a_challenge_is_deleted_only_while_nothing_was_submitted(cast: Cast) -> None:
    """What teams handed in is never deleted; what was done stays in the audit log."""
    client, challenge = cast.client(cast.organiser), cast.phase.challenge
    submission = submit(cast.phase, cast.team)
    address, confirmed = page(challenge), {"act": "delete", "confirmed": "yes"}
    refused = client.post(address, confirmed)
    assert refused.status_code == 409
    assert "has 1 submission" in text(refused.content)
    assert Challenge.objects.filter(pk=challenge.pk).exists()

    submission.delete()
    human_row_create(phase=cast.phase, actor=cast.organiser, now=NOW)
    asked = client.post(address, {"act": "delete"})
    assert (asked.status_code, "cannot be undone" in text(asked.content)) == (200, True)
    assert Challenge.objects.filter(pk=challenge.pk).exists()
    assert client.post(address, confirmed, follow=True).status_code == 200
    assert not Challenge.objects.filter(pk=challenge.pk).exists()
    event = AuditEvent.objects.get(action="challenge.delete")
    assert (event.target, event.details["before"]["title"]) == (challenge.slug, challenge.title)


def test_who_saves_later_is_told_and_loses_nothing(cast: Cast) -> None:
    challenge, early = cast.phase.challenge, UserFactory.create(username="early")
    challenge.organisers.add(early)
    news = announcement_create(
        challenge=challenge, title="News", body="", actor=early, now=timezone.now()
    )
    client, other = cast.client(cast.organiser), cast.client(early)
    for address, name in (
        (page(challenge, "text"), "description"),
        (page(challenge, "phase", cast.phase.slug), "name"),
        (page(challenge, "announcement", news.pk), "title"),
    ):
        form = client.get(address).context["form"]
        sent = {key: form[key].value() for key in form.fields if form[key].value()}
        assert other.post(address, sent | {name: "Theirs"}).status_code == 302
        response = client.post(address, sent | {name: "Mine"})
        assert response.status_code == 422
        assert "early saved in the meantime" in text(response.content)
        assert "Theirs" in text(response.content)
        assert client.get(address).context["form"][name].value() == "Theirs"
        form = response.context["form"]
        assert form[name].value() == "Mine"
        again = sent | {name: "Mine", "version": form["version"].value()}
        assert client.post(address, again).status_code == 302
        assert client.get(address).context["form"][name].value() == "Mine"
