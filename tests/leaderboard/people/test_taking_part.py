"""Teams accept the terms of a challenge and are admitted before they submit, where it is asked."""

import csv
import json
from functools import partial
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
from leaderboard.services.people.participation import participation_ask, participation_decide
from leaderboard.services.submissions import accepting
from leaderboard.services.submissions.accepting import package_check
from leaderboard.web.refusals import Refused
from tests.factories import TeamFactory, join, submit
from tests.leaderboard.api_client import body, caller, file, problem, submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

admit = partial(participation_decide, decision=ParticipationState.ADMITTED)
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


# -- asking -------------------------------------------------------------------------


def test_visitors_read_the_terms_that_organisers_set(cast: Cast) -> None:
    client, address = cast.client(cast.organiser), cast.managed("text")
    public = f"/c/{cast.phase.challenge.slug}/"
    assert cast.client(cast.member).get(page(cast)).status_code == 404, "nothing is asked for"
    assert "Taking part" not in text(cast.client(cast.member).get(public).content)
    shown = client.get(address).context["form"]
    form = {name: shown[name].value() for name in ("title", "time_zone", "version")}
    answer = client.post(address, {**form, "terms": TERMS, "approval": "on"})
    assert answer.status_code == 302
    content = cast.client(None).get(public).content.decode()
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
    assert "not decided yet" in text(client.get("/").content)
    overview = cast.client(cast.organiser).get(cast.managed("overview"))
    assert "1 team asks to take part." in text(overview.content)


def test_what_is_not_read_not_ticked_or_of_a_team_of_others_is_not_accepted(
    cast: Cast, challenge: Challenge
) -> None:
    read = terms_digest(challenge)
    form = {"team": cast.team.pk, "terms_read": read, "note": "Kept"}
    response = cast.client(cast.member).post(page(cast), form)
    assert response.status_code == 422
    assert "tick that you accept them" in text(response.content)
    form["accept"] = "on"
    assert cast.client(cast.outsider).post(page(cast), form).status_code == 422
    asking(cast, terms="Give us your car.")
    response = cast.client(cast.member).post(page(cast), form)
    assert response.status_code == 422
    shown = text(response.content)
    assert "were changed while you read them" in shown
    assert "Give us your car." in shown
    assert response.context["form"]["note"].value() == "Kept"
    assert not response.context["form"]["accept"].value()
    assert not ChallengeParticipation.objects.exists()


def test_without_approval_accepting_is_enough_and_without_terms_asking(cast: Cast) -> None:
    challenge = asking(cast, approval=True)
    response = cast.client(cast.member).post(page(cast), {"team": cast.team.pk})
    assert response.status_code == 302
    row = ChallengeParticipation.objects.get()
    assert (row.state, row.terms, row.accepted_at) == ("asked", None, None)
    with pytest.raises(Refused, match="not decided yet"):
        ask(cast, challenge)
    admit(participation=row, actor=cast.organiser, now=timezone.now())
    # Terms that come later keep the admission and are accepted.
    challenge = asking(cast, terms=TERMS)
    assert missing(cast) == MissingStep.ACCEPT
    ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    assert ChallengeParticipation.objects.get().state == ParticipationState.ADMITTED
    ChallengeParticipation.objects.update(state=ParticipationState.ASKED, decided_by=None)
    asking(cast, approval=False)
    assert missing(cast) == MissingStep.NOTHING, "who waits is admitted when approval ends"
    assert ChallengeParticipation.objects.get().decided_by == cast.organiser
    Notice.objects.all().delete()
    ChallengeParticipation.objects.all().delete()
    assert missing(cast) == MissingStep.ACCEPT
    ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    event = AuditEvent.objects.filter(action="participation.accept").latest("pk")
    assert event.actor == cast.member
    assert not Notice.objects.filter(user=cast.organiser).exists()
    assert submit(cast.phase, cast.team, user=cast.member)


# -- submitting ---------------------------------------------------------------------


def test_a_team_that_takes_part_submits_though_another_of_the_person_does_not(
    cast: Cast, challenge: Challenge
) -> None:
    client = cast.client(cast.member)
    content = client.get(cast.at("submission-create")).content.decode()
    assert "has not asked to take part" in content
    assert f'href="{page(cast)}"' in content
    assert 'type="file"' not in content
    other = TeamFactory.create(name="Others")
    join(other, cast.member, TeamRole.OWNER)
    admit(participation=ask(cast, challenge), actor=cast.organiser, now=timezone.now())
    content = client.get(cast.at("submission-create")).content.decode()
    assert 'type="file"' in content
    assert "Others has not asked to take part" in content
    assert client.post(cast.at("submission-create"), upload(cast)).status_code == 302
    sent = upload(cast, team=other.pk, description="Long and good.")
    refused = client.post(cast.at("submission-create"), sent)
    assert refused.status_code == 409
    assert "Nothing was submitted." in text(refused.content)
    assert refused.context["form"]["description"].value() == "Long and good."
    assert [row.team for row in Submission.objects.all()] == [cast.team]


def test_the_api_refuses_with_what_to_do(cast: Cast, challenge: Challenge) -> None:
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
    admit(participation=ask(cast, challenge), actor=cast.organiser, now=timezone.now())
    response = client.post(submissions_path(cast), file=file(), system_name="Elm")
    assert response.status_code == 201


def test_a_decision_during_the_upload_counts(
    cast: Cast, challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check before the file is read is not the last one."""
    row = ask(cast, challenge)
    admit(participation=row, actor=cast.organiser, now=timezone.now())
    checked = package_check

    def withdrawn_meanwhile(**given: Any) -> Any:
        participation_decide(
            participation=row,
            decision=ParticipationState.WITHDRAWN,
            reason="Cheats.",
            actor=cast.organiser,
            now=timezone.now(),
        )
        return checked(**given)

    monkeypatch.setattr(accepting, "package_check", withdrawn_meanwhile)
    with pytest.raises(Refused, match=r"withdrew the admission .* Their reason: Cheats\."):
        submit(cast.phase, cast.team, user=cast.member)
    assert not Submission.objects.exists()


# -- deciding -----------------------------------------------------------------------


def test_an_organiser_admits_and_may_withdraw_that(cast: Cast, challenge: Challenge) -> None:
    assert submit(cast.phase, cast.team, user=None), "the installation's own command is not asked"
    row, client = ask(cast, challenge), cast.client(cast.organiser)
    with pytest.raises(Refused, match="not decided yet"):
        submit(cast.phase, cast.team, user=cast.member)
    asked = Notice.objects.filter(user=cast.organiser, read_at=None)
    assert asked.exists()
    assert client.post(managed(cast, row.pk), {"act": "admit"}).status_code == 302
    assert not asked.exists(), "what was asked is done"
    standing = submit(cast.phase, cast.team, user=cast.member)
    event = AuditEvent.objects.get(action="participation.admit")
    assert (event.actor, event.target) == (cast.organiser, cast.team.slug)
    for user in (cast.owner, cast.member):
        assert "admitted" in Notice.objects.get(user=user, kind="part").text
    # Withdrawn, it ends submitting and asking, and leaves what is there.
    client.post(managed(cast, row.pk), {"act": "withdraw", "reason": "Two accounts."})
    with pytest.raises(Refused, match=r"Two accounts\."):
        submit(cast.phase, cast.team, user=cast.member)
    with pytest.raises(Refused, match=r"Two accounts\."):
        ask(cast, challenge)
    standing.refresh_from_db()
    assert standing.is_eligible
    client.post(managed(cast, row.pk), {"act": "admit"})
    assert missing(cast) == MissingStep.NOTHING


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
    with pytest.raises(Refused, match=r"did not admit .* Ask again at http"):
        submit(cast.phase, cast.team, user=cast.member)
    again = ask(cast, challenge, "We are the lab of sounds.")
    assert (again.state, again.reason, again.note) == ("asked", "", "We are the lab of sounds.")
    history = text(cast.client(cast.member).get(f"/teams/{cast.team.slug}/").content)
    assert f"did not admit the team to {challenge.title}. Reason: Say who you are." in history
    assert cast.organiser.username not in history


def test_of_two_organisers_the_second_is_told(cast: Cast, challenge: Challenge) -> None:
    row = ask(cast, challenge)
    stale = ChallengeParticipation.objects.select_related("team", "challenge").get(pk=row.pk)
    admit(participation=row, actor=cast.organiser, now=timezone.now())
    with pytest.raises(Refused, match="in the meantime"):
        admit(participation=stale, actor=cast.organiser, now=timezone.now())
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
    with pytest.raises(Refused, match="which have changed"):
        submit(cast.phase, cast.team, user=cast.member)
    assert AuditEvent.objects.filter(details__accepted_anew=True).count() == 2
    row = ask(cast, challenge)
    assert missing(cast) == MissingStep.NOTHING
    assert row.terms is not None
    assert bytes(row.terms.content) == b"Quite other terms."


# -- the list -----------------------------------------------------------------------


def rows(cast: Cast, query: str = "") -> list[tuple[str, str, int]]:
    response = cast.client(cast.organiser).get(f"{managed(cast)}?{query}")
    return [(row.team.name, row.state, row.submissions) for row in response.context["rows"]]


def test_the_list_has_who_asks_takes_part_or_submitted_and_the_file_no_formula(
    cast: Cast, challenge: Challenge
) -> None:
    old, name = TeamFactory.create(name="Early birds"), "=1+1"
    for system in ("First", "Second"):
        submit(cast.phase, old, name=system)
    TeamFactory.create(name="Nothing to do with it")
    cast.team.name = name
    cast.team.save()
    ask(cast, challenge, "@SUM(A1)\nsecond line")
    assert rows(cast) == [(name, "asked", 0), ("Early birds", "unasked", 2)]
    assert rows(cast, "state=asked") == [(name, "asked", 0)]
    assert rows(cast, "state=unasked") == [("Early birds", "unasked", 2)]
    assert rows(cast, "state=refused") == []
    assert rows(cast, f"text={cast.owner.username}") == [(name, "asked", 0)]
    assert rows(cast, "state=nonsense&page=99") == rows(cast)
    address = reverse("leaderboard:manage-participants-csv", args=[challenge.slug])
    response = cast.client(cast.organiser).get(f"{address}?state=asked")
    [row] = csv.DictReader(StringIO(response.getvalue().decode()))
    assert (row["team"], row["note"]) == ("'=1+1", "'@SUM(A1) second line")
    assert row["people"] == f"{cast.owner.username}, {cast.member.username}"
    assert (row["state"], row["submissions"]) == ("Waits for a decision", "0")
    assert row["terms_sha256"] == terms_digest(challenge)
    assert row["asked_by"] == cast.member.username


def test_a_persons_own_data_have_what_they_accepted_and_it_outlives_the_account(
    cast: Cast, challenge: Challenge
) -> None:
    row = ask(cast, challenge, "Hello.")
    found = []
    for user in (cast.member, cast.owner):
        response = cast.client(user).get(reverse("leaderboard:account"), {"act": "export"})
        found.append(json.loads(response.getvalue())["taking_part"])
    assert [(one["challenge__slug"], one["note"]) for one in found[0]] == [
        (challenge.slug, "Hello.")
    ]
    assert found[1] == []
    User.objects.get(pk=cast.member.pk).delete()
    row.refresh_from_db()
    assert row.accepted_by is None
    assert row.accepted_at is not None
    assert cast.client(cast.organiser).get(managed(cast, row.pk)).status_code == 200
