"""Taking submissions in: whole or not at all, within quota, in time."""

from datetime import timedelta
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.utils import timezone

from earmark.captions import References
from leaderboard.models import EvaluationState, Phase, Submission, Team, TeamRole, User
from leaderboard.selectors.submissions.quotas import quota_of
from leaderboard.services.organising.references import phase_set_references
from leaderboard.services.people.teams import team_create
from leaderboard.services.submissions.accepting import FileRejected
from leaderboard.web.refusals import Refused
from tests.factories import (
    CANDIDATES,
    NOW,
    REFERENCES,
    PhaseFactory,
    TeamFactory,
    UserFactory,
    join,
    reference_set,
    submit,
)
from tests.leaderboard.api_client import caller, file, submissions_path
from tests.leaderboard.at_once import at_once
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_submit_page import address, entry


def test_what_could_not_be_scored_does_not_count_against_the_quota(cast: Cast) -> None:
    cast.rules(quota_total=1)
    submission, left = submit(cast.phase, cast.team), []
    # Another metric's failure leaves the ranking whole, so it does count; the ranking metric's not.
    for family in ("sbert", "cider_d"):
        submission.evaluations.filter(family=family).update(state=EvaluationState.FAILED)
        left.append(quota_of(phase=cast.phase, team=cast.team, now=NOW).left)
    assert left == [0, 1]


def test_a_file_far_longer_than_the_clips_is_not_read_to_its_end(cast: Cast) -> None:
    # 10 rows for each of the 5 clips and 1,000 more.
    with pytest.raises(FileRejected) as refused:
        submit(cast.phase, cast.team, data=CANDIDATES + b"x.wav,a sound\n" * 50_000)
    assert "more than 1,050 rows" in "".join(fault.message for fault in refused.value.faults)
    assert len(refused.value.faults) < 1_060


def test_a_file_checked_against_references_that_were_then_replaced_is_refused(cast: Cast) -> None:
    # What a request read when it began is ``cast.phase``; the organiser was quicker.
    other = References.build([(clip.file_name, ["Silence."]) for clip in REFERENCES.clips])
    current = Phase.objects.get(pk=cast.phase.pk)
    phase_set_references(
        phase=current, reference_set=reference_set(other), actor=cast.organiser, now=NOW
    )
    with pytest.raises(Refused, match="were replaced while the file was checked"):
        submit(cast.phase, cast.team)
    assert Submission.objects.count() == 0


def test_a_phase_closed_and_a_limit_lowered_meanwhile_are_respected(cast: Cast) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(quota_total=0)
    with pytest.raises(Refused, match="submissions left"):
        submit(cast.phase, cast.team)
    Phase.objects.filter(pk=cast.phase.pk).update(closes_at=NOW)
    with pytest.raises(Refused, match=r"closed on .* UTC\. Nothing was submitted"):
        submit(cast.phase, cast.team, now=NOW)


def test_only_as_many_warnings_are_kept_as_anyone_reads(cast: Cast) -> None:
    caption = b"a dog <unk> null\xef\xbf\xbd barks"
    repeats = b"".join(b"rain.wav,rain falls on a roof\n" for _ in range(3))
    submission = submit(cast.phase, cast.team, data=CANDIDATES + repeats)
    assert len(submission.warnings) == 1
    header = b"file_name," + b",".join(b"caption_predicted_%d" % n for n in range(1, 21)) + b"\n"
    rows = b"".join(
        b'"%s",' % clip.file_name.encode() + b",".join([caption] * 20) + b"\n"
        for clip in REFERENCES.clips
    )
    # 5 clips, 20 candidates each, 2 warnings for each candidate, and 1 for the rows given twice.
    submission = submit(cast.phase, cast.team, data=header + rows + rows)
    assert len(submission.warnings) == 201
    assert submission.warnings[-1] == "whole file: 1 more warning not listed."


Response = Any
INSTANT = timedelta(microseconds=1)


def test_a_phase_opens_and_closes_at_its_very_moment(cast: Cast) -> None:
    moment = timezone.now()
    for rule, after, refusal in (
        ("opens_at", -INSTANT, " opens on "),
        ("opens_at", timedelta(), ""),
        ("closes_at", -INSTANT, ""),
        ("closes_at", timedelta(), " closed on "),
    ):
        cast.rules(**{"opens_at": None, "closes_at": None, rule: moment})
        if refusal:
            with pytest.raises(Refused, match=refusal):
                submit(cast.phase, cast.team, now=moment + after)
        else:
            submission = submit(cast.phase, cast.team, now=moment + after)
            assert Submission.objects.get(pk=submission.pk).created_at == moment + after


def by_page(cast: Cast) -> Response:
    return cast.client(cast.member).post(address(cast.phase), entry(cast.team))


def by_api(cast: Cast) -> Response:
    return caller(cast.member).post(submissions_path(cast), file=file(), system_name="Late")


@pytest.mark.parametrize("send", [by_page, by_api])
def test_what_arrived_in_time_is_taken_however_long_it_took(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, send: Any
) -> None:
    """The request arrived an instant before the phase closed; it is read after."""
    closed = timezone.now() - timedelta(seconds=1)
    Phase.objects.update(closes_at=closed)
    for arrived, codes in ((closed, (409,)), (closed - INSTANT, (201, 302))):
        clock = SimpleNamespace(now=lambda at=arrived: at)
        monkeypatch.setattr("leaderboard.web.requests.timezone", clock)
        assert send(cast).status_code in codes
    assert Submission.objects.get().created_at == closed - INSTANT


@pytest.mark.parametrize("send", [by_page, by_api])
def test_who_sends_slowly_gains_no_time_to_work_in(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, send: Any
) -> None:
    """Opening the request before the close and sending the captions an hour later is too late."""
    closed = timezone.now()
    Phase.objects.update(closes_at=closed)
    moments = iter([closed - INSTANT])
    an_hour_later = closed + timedelta(hours=1)
    monkeypatch.setattr(
        "leaderboard.web.requests.timezone",
        SimpleNamespace(now=lambda: next(moments, an_hour_later)),
    )
    assert send(cast).status_code == 409
    assert not Submission.objects.exists()


def test_the_arrival_is_noted_before_anything_else() -> None:
    """Another middleware before it could read the body and let the time pass."""
    assert settings.MIDDLEWARE[0] == "leaderboard.web.middleware.ArrivalMiddleware"


def team_of(user: User, name: str) -> Team:
    return team_create(name=name, affiliation="", owner=user, now=NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("limit", ["quota_per_day", "quota_total"])
def test_teams_that_one_person_made_share_a_quota(limit: str) -> None:
    phase = PhaseFactory.create(**{limit: 2})
    maker, mate = UserFactory.create(), UserFactory.create()
    first, second = team_of(maker, "First"), team_of(maker, "Second")
    join(first, mate)
    submit(phase, first, user=mate, now=NOW)
    left = quota_of(phase=phase, team=second, now=NOW)
    assert (left.left, left.elsewhere) == (1, 1)
    submit(phase, second, user=maker, now=NOW)
    with pytest.raises(Refused, match="1 is another team's"):
        submit(phase, second, user=maker, now=NOW)
    # The maker's leaving makes no room.
    join(second, mate, TeamRole.OWNER)
    second.memberships.filter(user=maker).delete()
    with pytest.raises(Refused, match="submissions left"):
        submit(phase, second, user=mate, now=NOW)


@pytest.mark.django_db
def test_who_merely_joined_has_their_own_teams_quota_and_a_phase_may_give_each_team_one() -> None:
    phase = PhaseFactory.create(quota_per_day=1)
    maker, mate = UserFactory.create(), UserFactory.create()
    joint, own = team_of(maker, "Joint"), team_of(mate, "Own")
    join(joint, mate)
    submit(phase, joint, user=mate, now=NOW)
    submit(phase, own, user=mate, now=NOW)
    # Nor do teams that the site's own people made without a person share anything.
    for team in TeamFactory.create_batch(2):
        submit(phase, team, user=mate, now=NOW)
    assert Phase().quota_shared, "new phases share"
    Phase.objects.update(quota_shared=False)
    phase.refresh_from_db()
    submit(phase, team_of(maker, "Second"), user=maker, now=NOW)


@pytest.mark.django_db(transaction=True)
def test_uploads_of_two_teams_at_once_take_one_place() -> None:
    phase, maker = PhaseFactory.create(quota_per_day=1), UserFactory.create()
    teams = [team_of(maker, "First"), team_of(maker, "Second")]
    said = at_once(*(partial(submit, phase, team, user=maker, now=NOW) for team in teams))
    [refused] = [one for one in said if isinstance(one, Refused)]
    assert "0 of 1 submissions left today" in str(refused)
    assert Submission.objects.count() == 1


def migrated() -> Any:
    return import_module("leaderboard.migrations.0018_shared_quotas").fill_in_makers(apps, None)


@pytest.mark.django_db
def test_who_made_the_teams_that_exist_is_read_from_the_audit_log() -> None:
    maker, other = UserFactory.create(), UserFactory.create()
    made, silent, nobodys = team_of(maker, "Made"), TeamFactory.create(), TeamFactory.create()
    join(made, other, TeamRole.OWNER)
    join(silent, maker)
    join(silent, other, TeamRole.OWNER)
    Team.objects.update(created_by=None)
    migrated()
    found = dict(Team.objects.values_list("slug", "created_by"))
    assert found == {made.slug: maker.pk, silent.slug: other.pk, nobodys.slug: None}
