"""Teams accept the terms of a challenge and are admitted before they submit, where it is asked."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import (
    AuditEvent,
    Challenge,
    ChallengeParticipation,
    Notice,
    ParticipationState,
    Submission,
    TeamRole,
    User,
)
from leaderboard.selectors.people.participation import MissingStep, taking_part, terms_digest
from leaderboard.services.organising.challenges import TEXT, challenge_change
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.people.participation import (
    TakingPartRefused,
    participation_admit,
    participation_ask,
    participation_withdraw,
)
from leaderboard.services.submissions import accepting
from leaderboard.services.submissions.accepting import TakesNoPart
from leaderboard.services.submissions.packages import package_check
from tests.factories import TeamFactory, join, submit
from tests.leaderboard.api_client import body, caller, file, problem, submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

TERMS = "Use *no* test data. <script>alert(1)</script>"


@pytest.fixture
def challenge(cast: Cast) -> Challenge:
    return asking(cast, terms=TERMS, approval=True)


def asking(cast: Cast, **rules: Any) -> Challenge:
    """Set the rules of the cast's challenge as an organiser does."""
    found = Challenge.objects.get(pk=cast.phase.challenge_id)
    again = rules.pop("accept_anew", False)
    values = {name: getattr(found, name) for name in TEXT} | rules
    challenge_change(
        challenge=found,
        values=values,
        version=version_of(found, TEXT),
        actor=cast.organiser,
        now=timezone.now(),
        accept_anew=again,
    )
    found.refresh_from_db()
    cast.phase.challenge = found
    return found


def ask(cast: Cast, challenge: Challenge, note: str = "") -> ChallengeParticipation:
    part = participation_ask(
        challenge=challenge,
        team=cast.team,
        user=cast.member,
        terms_read=terms_digest(challenge),
        note=note,
        now=timezone.now(),
    )
    assert part.row is not None
    return part.row


def missing(cast: Cast) -> MissingStep:
    found = Challenge.objects.get(pk=cast.phase.challenge_id)
    return taking_part(found, [cast.team])[0].missing


def page(cast: Cast) -> str:
    return reverse("leaderboard:take-part", args=[cast.phase.challenge.slug])


def managed(cast: Cast, *args: int) -> str:
    name = "leaderboard:manage-participant" + ("" if args else "s")
    return reverse(name, args=[cast.phase.challenge.slug, *args])


def upload(cast: Cast, **more: Any) -> Any:
    """What the file form sends."""
    return {"file": file(), "system_name": "Elm", "team": cast.team.pk, **more}


# -- without terms ------------------------------------------------------------------


def test_a_challenge_that_asks_for_nothing_is_open_as_before(cast: Cast) -> None:
    assert submit(cast.phase, cast.team, user=cast.member)
    client = cast.client(cast.member)
    assert client.get(page(cast)).status_code == 404
    assert "Taking part" not in text(client.get(f"/c/{cast.phase.challenge.slug}/").content)


# -- asking -------------------------------------------------------------------------


def test_visitors_read_the_terms_before_they_make_an_account(
    cast: Cast, challenge: Challenge
) -> None:
    content = cast.client(None).get(f"/c/{challenge.slug}/").content.decode()
    assert "Organisers admit teams" in content
    assert "Use <em>no</em> test data." in content
    assert "<script>alert" not in content
    assert f'href="{page(cast)}"' in content
    response = cast.client(None).get(page(cast))
    assert response["Location"].endswith(f"?next={page(cast)}")


def test_asking_stores_the_text_who_and_when_and_the_organisers_are_told(
    cast: Cast, challenge: Challenge
) -> None:
    client = cast.client(cast.member)
    shown = client.get(page(cast))
    form = {
        "team": cast.team.pk,
        "accept": "on",
        "note": "We are <b>new</b>.",
        "terms_read": shown.context["form"]["terms_read"].value(),
    }
    assert client.post(page(cast), form).status_code == 302
    row = ChallengeParticipation.objects.get()
    assert (row.team, row.state, row.asked_by) == (cast.team, "asked", cast.member)
    assert row.terms is not None
    assert bytes(row.terms.content).decode() == TERMS
    assert (row.accepted_by, row.accepted_at) == (cast.member, row.asked_at)
    event = AuditEvent.objects.get(action="participation.ask")
    assert (event.actor, event.challenge_id) == (cast.member, challenge.pk)
    assert event.details["terms_sha256"] == row.terms.sha256
    [notice] = Notice.objects.filter(user=cast.organiser)
    assert notice.path == managed(cast, row.pk)
    read = text(cast.client(cast.organiser).get(notice.path).content)
    assert "We are <b>new</b>." in read
    assert "Its organisers have not decided yet" in text(client.get(page(cast)).content)


def test_who_does_not_tick_has_accepted_nothing(cast: Cast, challenge: Challenge) -> None:
    form = {"team": cast.team.pk, "terms_read": terms_digest(challenge)}
    response = cast.client(cast.member).post(page(cast), form)
    assert response.status_code == 422
    assert "tick that you accept them" in text(response.content)
    assert not ChallengeParticipation.objects.exists()


def test_terms_that_changed_while_they_were_read_are_not_accepted(
    cast: Cast, challenge: Challenge
) -> None:
    read = terms_digest(challenge)
    asking(cast, terms="Give us your car.")
    form = {"team": cast.team.pk, "accept": "on", "note": "Kept", "terms_read": read}
    response = cast.client(cast.member).post(page(cast), form)
    assert response.status_code == 422
    shown = text(response.content)
    assert "were changed while you read them" in shown
    assert "Give us your car." in shown
    assert response.context["form"]["note"].value() == "Kept"
    assert not response.context["form"]["accept"].value()
    assert not ChallengeParticipation.objects.exists()


def test_nobody_asks_for_a_team_of_others(cast: Cast, challenge: Challenge) -> None:
    form = {"team": cast.team.pk, "accept": "on", "terms_read": terms_digest(challenge)}
    assert cast.client(cast.outsider).post(page(cast), form).status_code == 422
    assert not ChallengeParticipation.objects.exists()


def test_who_has_no_team_makes_one_and_goes_on(cast: Cast, challenge: Challenge) -> None:
    client = cast.client(cast.outsider)
    assert f'name="next" value="{page(cast)}"' in client.get(page(cast)).content.decode()


def test_without_approval_accepting_is_enough(cast: Cast) -> None:
    challenge = asking(cast, terms=TERMS)
    assert missing(cast) == MissingStep.ACCEPT
    ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    assert AuditEvent.objects.get(action="participation.accept").actor == cast.member
    assert not Notice.objects.filter(user=cast.organiser).exists()
    assert submit(cast.phase, cast.team, user=cast.member)


def test_without_terms_asking_is_enough_to_be_decided_about(cast: Cast) -> None:
    challenge = asking(cast, approval=True)
    response = cast.client(cast.member).post(page(cast), {"team": cast.team.pk})
    assert response.status_code == 302
    row = ChallengeParticipation.objects.get()
    assert (row.state, row.terms, row.accepted_at) == ("asked", None, None)
    with pytest.raises(TakingPartRefused, match="not decided yet"):
        ask(cast, challenge)


# -- submitting ---------------------------------------------------------------------


def test_the_file_form_says_what_to_do_before_anything_is_sent(
    cast: Cast, challenge: Challenge
) -> None:
    client = cast.client(cast.member)
    content = client.get(cast.at("submission-create")).content.decode()
    assert "has not asked to take part" in content
    assert f'href="{page(cast)}"' in content
    assert 'type="file"' not in content
    participation_admit(
        participation=ask(cast, challenge), actor=cast.organiser, now=timezone.now()
    )
    assert 'type="file"' in client.get(cast.at("submission-create")).content.decode()


def test_a_page_that_was_open_when_the_rule_came_keeps_what_was_typed(
    cast: Cast, challenge: Challenge
) -> None:
    sent = upload(cast, description="Long and good.")
    response = cast.client(cast.member).post(cast.at("submission-create"), sent)
    assert response.status_code == 409
    shown = text(response.content)
    assert "has not asked to take part" in shown
    assert "Nothing was submitted." in shown
    assert response.context["form"]["description"].value() == "Long and good."
    assert not Submission.objects.exists()


def test_a_team_that_takes_part_submits_though_another_of_the_person_does_not(
    cast: Cast, challenge: Challenge
) -> None:
    other = TeamFactory.create(name="Others")
    join(other, cast.member, TeamRole.OWNER)
    participation_admit(
        participation=ask(cast, challenge), actor=cast.organiser, now=timezone.now()
    )
    client = cast.client(cast.member)
    content = client.get(cast.at("submission-create")).content.decode()
    assert 'type="file"' in content
    assert "Others has not asked to take part" in content
    assert client.post(cast.at("submission-create"), upload(cast)).status_code == 302
    refused = client.post(cast.at("submission-create"), upload(cast, team=other.pk))
    assert refused.status_code == 409
    assert [row.team for row in Submission.objects.all()] == [cast.team]


def test_the_api_refuses_with_what_to_do_and_spends_nothing(
    cast: Cast, challenge: Challenge
) -> None:
    phase = cast.phase
    phase.quota_total = 1
    phase.save()
    client = caller(cast.member)
    response = client.post(submissions_path(cast), file=file(), system_name="Elm")
    detail = problem(response, 409)["detail"]
    assert "has not asked to take part" in detail
    assert f"http://127.0.0.1:8000{page(cast)}" in detail
    found = body(client.get(f"/challenges/{challenge.slug}"))
    assert (found["terms"], found["approval"]) == (TERMS, True)
    participation_admit(
        participation=ask(cast, challenge), actor=cast.organiser, now=timezone.now()
    )
    response = client.post(submissions_path(cast), file=file(), system_name="Elm")
    assert response.status_code == 201


def test_a_decision_during_the_upload_counts(
    cast: Cast, challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check before the file is read is not the last one."""
    row = ask(cast, challenge)
    participation_admit(participation=row, actor=cast.organiser, now=timezone.now())
    checked = package_check

    def withdrawn_meanwhile(**given: Any) -> Any:
        participation_withdraw(
            participation=row, reason="Cheats.", actor=cast.organiser, now=timezone.now()
        )
        return checked(**given)

    monkeypatch.setattr(accepting, "package_check", withdrawn_meanwhile)
    with pytest.raises(TakesNoPart, match=r"withdrew the admission .* Their reason: Cheats\."):
        submit(cast.phase, cast.team, user=cast.member)
    assert not Submission.objects.exists()


# -- deciding -----------------------------------------------------------------------


def test_an_organiser_admits_and_the_team_is_told(cast: Cast, challenge: Challenge) -> None:
    assert submit(cast.phase, cast.team, user=None), "the installation's own command is not asked"
    row = ask(cast, challenge)
    with pytest.raises(TakesNoPart, match="not decided yet"):
        submit(cast.phase, cast.team, user=cast.member)
    client = cast.client(cast.organiser)
    assert client.post(managed(cast, row.pk), {"act": "admit"}).status_code == 302
    assert submit(cast.phase, cast.team, user=cast.member)
    event = AuditEvent.objects.get(action="participation.admit")
    assert (event.actor, event.target) == (cast.organiser, cast.team.slug)
    for user in (cast.owner, cast.member):
        assert "admitted" in Notice.objects.get(user=user, kind="part").text


def test_refusing_needs_a_reason_which_the_team_reads_and_it_may_ask_again(
    cast: Cast, challenge: Challenge
) -> None:
    row = ask(cast, challenge)
    client = cast.client(cast.organiser)
    assert client.post(managed(cast, row.pk), {"act": "refuse"}).status_code == 422
    form = {"act": "refuse", "reason": "Say who\nyou are."}
    assert client.post(managed(cast, row.pk), form).status_code == 302
    shown = text(cast.client(cast.member).get(f"/c/{challenge.slug}/").content)
    assert "Their reason: Say who you are." in shown
    with pytest.raises(TakesNoPart, match=r"did not admit .* Ask again at http"):
        submit(cast.phase, cast.team, user=cast.member)
    again = ask(cast, challenge, "We are the lab of sounds.")
    assert (again.state, again.reason, again.note) == ("asked", "", "We are the lab of sounds.")
    history = text(cast.client(cast.member).get(f"/teams/{cast.team.slug}/").content)
    assert f"did not admit the team to {challenge.title}. Reason: Say who you are." in history
    assert cast.organiser.username not in history


def test_a_withdrawn_admission_ends_submitting_and_asking_and_leaves_what_is_there(
    cast: Cast, challenge: Challenge
) -> None:
    row = ask(cast, challenge)
    participation_admit(participation=row, actor=cast.organiser, now=timezone.now())
    standing = submit(cast.phase, cast.team, user=cast.member)
    form = {"act": "withdraw", "reason": "Two accounts."}
    cast.client(cast.organiser).post(managed(cast, row.pk), form)
    with pytest.raises(TakesNoPart, match=r"Two accounts\."):
        submit(cast.phase, cast.team, user=cast.member)
    with pytest.raises(TakingPartRefused):
        ask(cast, challenge)
    standing.refresh_from_db()
    assert standing.is_eligible
    cast.client(cast.organiser).post(managed(cast, row.pk), {"act": "admit"})
    assert missing(cast) == MissingStep.NOTHING


def test_of_two_organisers_the_second_is_told_and_changes_nothing(
    cast: Cast, challenge: Challenge
) -> None:
    row = ask(cast, challenge)
    stale = ChallengeParticipation.objects.select_related("team", "challenge").get(pk=row.pk)
    participation_admit(participation=row, actor=cast.organiser, now=timezone.now())
    with pytest.raises(TakingPartRefused, match="in the meantime"):
        participation_admit(participation=stale, actor=cast.organiser, now=timezone.now())
    assert AuditEvent.objects.filter(action="participation.admit").count() == 1
    form = {"act": "refuse", "reason": "Too late."}
    response = cast.client(cast.organiser).post(managed(cast, row.pk), form, follow=True)
    assert "Nothing was changed" in response.content.decode()
    assert ChallengeParticipation.objects.get().state == ParticipationState.ADMITTED


# -- when the rules change ----------------------------------------------------------


def test_changed_terms_are_accepted_anew_only_where_organisers_say_so(cast: Cast) -> None:
    ask(cast, asking(cast, terms=TERMS))
    Notice.objects.all().delete()
    asking(cast, terms=f"{TERMS} Typo mended.")
    assert missing(cast) == MissingStep.NOTHING
    challenge = asking(cast, terms="Quite other terms.", accept_anew=True)
    assert missing(cast) == MissingStep.ACCEPT
    assert "has new terms" in Notice.objects.get(user=cast.owner).text
    with pytest.raises(TakesNoPart, match="which have changed"):
        submit(cast.phase, cast.team, user=cast.member)
    assert AuditEvent.objects.filter(details__accepted_anew=True).count() == 2
    row = ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    assert row.terms is not None
    assert bytes(row.terms.content) == b"Quite other terms."


def test_terms_that_come_later_keep_an_admission_and_are_accepted(cast: Cast) -> None:
    row = ask(cast, asking(cast, approval=True))
    participation_admit(participation=row, actor=cast.organiser, now=timezone.now())
    challenge = asking(cast, terms=TERMS)
    assert missing(cast) == MissingStep.ACCEPT
    ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    assert ChallengeParticipation.objects.get().state == ParticipationState.ADMITTED


def test_who_waits_is_admitted_when_approval_ends(cast: Cast, challenge: Challenge) -> None:
    ask(cast, challenge)
    asking(cast, approval=False)
    assert missing(cast) == MissingStep.NOTHING
    assert ChallengeParticipation.objects.get().decided_by == cast.organiser


def test_organisers_set_terms_and_approval_in_the_form_of_the_text(cast: Cast) -> None:
    client = cast.client(cast.organiser)
    address = cast.managed("text")
    shown = client.get(address).context["form"]
    form = {name: shown[name].value() for name in ("title", "time_zone", "version")}
    response = client.post(address, {**form, "terms": TERMS, "approval": "on"})
    assert response.status_code == 302
    found = Challenge.objects.get(pk=cast.phase.challenge_id)
    assert (found.terms, found.approval) == (TERMS, True)
    assert client.get(address).context["form"]["approval"].value() is True


def test_front_page_and_overview_lead_to_the_next_step(cast: Cast, challenge: Challenge) -> None:
    client, organiser = cast.client(cast.member), cast.client(cast.organiser)
    assert f'href="{page(cast)}"' in client.get("/").content.decode()
    overview = reverse("leaderboard:manage-overview", args=[challenge.slug])
    assert "to take part" not in text(organiser.get(overview).content)
    ask(cast, challenge)
    assert "not decided yet" in text(client.get("/").content)
    assert "1 team asks to take part." in text(organiser.get(overview).content)


# -- the list -----------------------------------------------------------------------


def rows(cast: Cast, query: str = "") -> list[tuple[str, str, int]]:
    response = cast.client(cast.organiser).get(f"{managed(cast)}?{query}")
    return [(row.team.name, row.state, row.submissions) for row in response.context["rows"]]


def test_the_list_has_who_asks_takes_part_or_submitted(cast: Cast) -> None:
    old = TeamFactory.create(name="Early birds")
    submit(cast.phase, old)
    submit(cast.phase, old, name="Second")
    TeamFactory.create(name="Nothing to do with it")
    ask(cast, asking(cast, terms=TERMS, approval=True))
    name = cast.team.name
    assert rows(cast) == [(name, "asked", 0), ("Early birds", "unasked", 2)]
    assert rows(cast, "state=asked") == [(name, "asked", 0)]
    assert rows(cast, "state=unasked") == [("Early birds", "unasked", 2)]
    assert rows(cast, "state=refused") == []
    assert rows(cast, f"text={cast.owner.username}") == [(name, "asked", 0)]
    assert rows(cast, "state=nonsense&page=99") == rows(cast)


def test_the_file_has_the_same_rows_and_no_formula(cast: Cast, challenge: Challenge) -> None:
    cast.team.name = "=1+1"
    cast.team.save()
    ask(cast, challenge, "@SUM(A1)\nsecond line")
    address = reverse("leaderboard:manage-participants-csv", args=[challenge.slug])
    response = cast.client(cast.organiser).get(f"{address}?state=asked")
    [row] = csv.DictReader(StringIO(response.getvalue().decode()))
    assert row["team"] == "'=1+1"
    assert row["note"] == "'@SUM(A1) second line"
    assert row["people"] == f"{cast.owner.username}, {cast.member.username}"
    assert (row["state"], row["submissions"]) == ("Waits for a decision", "0")
    assert row["terms_sha256"] == terms_digest(challenge)
    assert row["asked_by"] == cast.member.username


def exported(cast: Cast, user: User) -> list[dict[str, Any]]:
    response = cast.client(user).get(reverse("leaderboard:account-export"))
    found: list[dict[str, Any]] = json.loads(response.getvalue())["taking_part"]
    return found


def test_a_persons_own_data_have_what_they_accepted(cast: Cast, challenge: Challenge) -> None:
    ask(cast, challenge, "Hello.")
    [row] = exported(cast, cast.member)
    assert (row["challenge__slug"], row["note"]) == (challenge.slug, "Hello.")
    assert exported(cast, cast.owner) == []


def test_an_account_that_goes_leaves_what_its_team_accepted(
    cast: Cast, challenge: Challenge
) -> None:
    row = ask(cast, challenge)
    User.objects.get(pk=cast.member.pk).delete()
    row.refresh_from_db()
    assert row.accepted_by is None
    assert row.accepted_at is not None
    assert cast.client(cast.organiser).get(managed(cast, row.pk)).status_code == 200
