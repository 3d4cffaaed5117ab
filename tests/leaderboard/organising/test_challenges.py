"""Challenges are made, written and published by those who may, and by nobody else."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from pytest_django import Settings

from leaderboard import access
from leaderboard.blueprints import blueprints
from leaderboard.models import AuditEvent, Challenge, Phase, User
from leaderboard.selectors.operations.site_problems import site_problems
from leaderboard.services.organising.challenges import TEXT
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.submissions.human_row import human_row_create
from scoring.registry import metric
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


def test_who_may_make_challenges(cast: Cast, settings: Settings) -> None:
    """Others do not even learn that the page exists, be they organisers of something else."""
    assert cast.client(None).get(NEW).status_code == 302
    assert cast.client(cast.outsider).get(NEW).status_code == 404
    assert cast.client(cast.organiser).post(NEW, new()).status_code == 404
    settings.ANYONE_MAY_ORGANISE = True
    assert cast.client(cast.outsider).get(NEW).status_code == 200


def test_the_command_gives_the_right_and_takes_it(cast: Cast) -> None:
    call_command("allow_organiser", cast.outsider.username)
    assert access.may_create_challenges(User.objects.get(pk=cast.outsider.pk))
    assert access.sees_management_pages(cast.outsider)
    call_command("allow_organiser", cast.outsider.username, "--revoke")
    assert not access.may_create_challenges(User.objects.get(pk=cast.outsider.pk))
    assert not access.sees_management_pages(cast.outsider)
    actions = AuditEvent.objects.filter(target=cast.outsider.username).values_list("action")
    assert {action for (action,) in actions} == {"organiser.allow", "organiser.disallow"}
    with pytest.raises(CommandError, match="Nobody has the user name nobody"):
        call_command("allow_organiser", "nobody")


@pytest.mark.parametrize("name", list(blueprints()))
def test_each_blueprint_makes_a_challenge_that_nobody_else_sees(cast: Cast, name: str) -> None:
    client = cast.client(allow(cast.outsider))
    response = client.post(NEW, new(blueprint=name))
    made = Challenge.objects.get(slug="sounds-of-spring")
    assert response["Location"] == page(made)
    assert (made.published, made.time_zone) == (False, "Europe/Berlin")
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
        ({"title": "日本"}, "No address could be made of the name."),
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


def test_a_time_zone_is_found_however_it_is_written(cast: Cast) -> None:
    cast.client(allow(cast.outsider)).post(NEW, new(time_zone="america/new york"))
    assert Challenge.objects.get(slug="sounds-of-spring").time_zone == "America/New_York"


def test_the_overview_tells_what_is_missing_and_where_to_do_it(cast: Cast) -> None:
    client = cast.client(allow(cast.outsider))
    client.post(NEW, new())
    made = Challenge.objects.get(slug="sounds-of-spring")
    response = client.get(page(made))
    seen = text(response.content)
    assert "Before it can open" in seen
    assert "2 places still to be written." in seen
    assert seen.count("None yet; the phase takes no submissions.") == 2
    assert page(made, "references", "evaluation") in response.content.decode()
    for phase in made.phases.all():
        phase.reference_set = cast.phase.reference_set
        phase.save()
    Challenge.objects.filter(pk=made.pk).update(description="All is said.")
    assert "Ready to be published" in text(client.get(page(made)).content)


def test_a_text_that_is_still_to_be_written_is_not_shown_to_everyone(cast: Cast) -> None:
    client = cast.client(allow(cast.outsider))
    client.post(NEW, new())
    made = Challenge.objects.get(slug="sounds-of-spring")
    answer = client.post(page(made, "publish"), {"published": "yes"}, follow=True)
    assert "The challenge was not published: the text still says “To be written:” in 2 places." in (
        answer.content.decode()
    )
    assert answer.redirect_chain[-1][0] == page(made, "text")
    made.refresh_from_db()
    assert not made.published
    Challenge.objects.filter(pk=made.pk).update(description="All is said.")
    client.post(page(made, "publish"), {"published": "yes"})
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
    client.post(page(challenge, "publish"), {"published": "no"})
    assert cast.client(None).get(public).status_code == 404
    # Sent twice, it is done and noted once.
    for _ in range(2):
        client.post(page(challenge, "publish"), {"published": "yes"})
    assert cast.client(None).get(public).status_code == 200
    events = AuditEvent.objects.filter(challenge=challenge).order_by("pk")
    assert [event.action for event in events] == ["challenge.unpublish", "challenge.publish"]


def written(challenge: Challenge, **changes: str) -> dict[str, str]:
    values = {name: getattr(challenge, name) for name in TEXT}
    return {**values, "version": version_of(challenge, TEXT), **changes}


def test_the_text_is_saved_with_what_it_was_before(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    response = client.post(page(challenge, "text"), written(challenge, description="# New"))
    assert response.status_code == 302
    event = AuditEvent.objects.get(action="challenge.change")
    assert event.details == {"before": {"description": ""}, "after": {"description": "# New"}}
    assert event.challenge == challenge
    assert "<h3>New</h3>" in cast.client(None).get(f"/c/{challenge.slug}/").content.decode()


def test_who_saves_later_is_told_and_loses_nothing(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    other = UserFactory.create(username="early")
    challenge.organisers.add(other)
    late = written(challenge, description="Mine", summary="My summary.")
    cast.client(other).post(page(challenge, "text"), written(challenge, description="Theirs"))
    response = client.post(page(challenge, "text"), late)
    assert response.status_code == 422
    seen = text(response.content)
    assert "early saved in the meantime" in seen
    assert "Theirs" in seen
    form = response.context["form"]
    assert form["description"].value() == "Mine"
    challenge.refresh_from_db()
    assert challenge.description == "Theirs"
    again = {name: form[name].value() for name in (*TEXT, "version")}
    assert client.post(page(challenge, "text"), again).status_code == 302
    challenge.refresh_from_db()
    assert (challenge.description, challenge.summary) == ("Mine", "My summary.")


def test_a_preview_is_safe_and_stores_nothing(cast: Cast) -> None:
    challenge, client = cast.phase.challenge, cast.client(cast.organiser)
    hostile = "# Hello\n\n<script>alert(1)</script> [x](javascript:alert(1))"
    form = written(challenge, description=hostile, preview="yes")
    response = client.post(page(challenge, "text"), form)
    assert response.status_code == 200
    fragment = client.post(page(challenge, "text-preview"), {"description": hostile})
    for content in (response.content.decode(), fragment.content.decode()):
        assert "<h3>Hello</h3>" in content
        assert "<script>alert" not in content
        assert 'href="javascript' not in content
    assert response.context["form"]["description"].value() == hostile
    challenge.refresh_from_db()
    assert challenge.description == ""


def test_the_list_counts_without_asking_for_each(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    for _ in range(4):
        challenge = ChallengeFactory.create()
        challenge.organisers.add(cast.organiser)
        Phase.objects.create(challenge=challenge, slug="a", name="A")
    client = cast.client(cast.organiser)
    site_problems(NOW)  # those of the site are kept for some seconds
    # Two for the session, three for the header, two for rights, three for the list.
    with django_assert_max_num_queries(10):
        assert client.get("/manage/").status_code == 200
    assert "Challenge" not in text(cast.client(cast.outsider).get("/manage/").content)


@pytest.mark.parametrize("who", ["anonymous", "outsider", "organiser"])
def test_only_organisers_are_led_to_their_pages(cast: Cast, who: str) -> None:
    user = None if who == "anonymous" else getattr(cast, who)
    for address in ("/", f"/c/{cast.phase.challenge.slug}/"):
        content = cast.client(user).get(address).content.decode()
        assert ('href="/manage/"' in content) == (who == "organiser")


def test_a_challenge_is_deleted_only_while_nothing_was_submitted(cast: Cast) -> None:
    """What teams handed in is never deleted; what was done stays in the audit log."""
    client, challenge = cast.client(cast.organiser), cast.phase.challenge
    submission = submit(cast.phase, cast.team)
    refused = client.post(page(challenge, "challenge-delete"))
    assert refused.status_code == 409
    assert "has 1 submission" in text(refused.content)
    assert Challenge.objects.filter(pk=challenge.pk).exists()

    submission.delete()
    human_row_create(phase=cast.phase, actor=cast.organiser, now=NOW)
    assert "cannot be undone" in text(client.get(page(challenge, "challenge-delete")).content)
    assert client.post(page(challenge, "challenge-delete"), follow=True).status_code == 200
    assert not Challenge.objects.filter(pk=challenge.pk).exists()
    event = AuditEvent.objects.get(action="challenge.delete")
    assert (event.target, event.details["before"]["title"]) == (challenge.slug, challenge.title)
