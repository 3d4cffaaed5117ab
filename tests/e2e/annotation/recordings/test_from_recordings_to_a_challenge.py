"""The whole way from recordings to a challenge, in real browsers and with real workers.

Ten sounds become captions by people, a data set, the references of a phase, judged pairs of the
systems that were handed in, and a page that tells everyone how far metrics agree with judges. The
steps build on each other, so that they are one test; each is a function of its own. What somebody
would do dozens of times is done by hand first, and then by the addresses that the page asks.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from tests.e2e.annotation.recordings import collecting, judging, publishing
from tests.e2e.annotation.recordings.made_sounds import MadeSounds
from tests.e2e.annotation.recordings.way import (
    EDITOR,
    JUDGES,
    RATER,
    TEAMS,
    WRITERS,
    Person,
    Way,
)
from tests.e2e.conftest import enter, listened_to
from tests.factories import UserFactory
from tests.leaderboard.evaluations.worker_process import running_worker


@pytest.fixture
def way(
    page: Page,
    browser: Browser,
    live_server: LiveServer,
    complaints: list[str],
    transactional_db: None,
    settings: Any,
    tmp_path: Path,
) -> Iterator[Way]:
    """A lead who may make challenges, and all others, each before a browser of their own."""
    made = Way(live_server.url, tmp_path, MadeSounds(tmp_path / "made"), page)
    lead = UserFactory.create(username="lead")
    lead.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    enter(page.context, made.url, lead)
    with ExitStack() as pages:

        def listen(own: Page) -> None:
            pages.enter_context(listened_to(own, complaints))

        for name in (*WRITERS, EDITOR, RATER, *JUDGES, *TEAMS.values()):
            user = UserFactory.create(username=name)
            context = browser.new_context()
            pages.callback(context.close)
            enter(context, made.url, user)
            made.people[name] = Person(user, context, made.url, listen)
        yield made


def test_recordings_become_a_challenge_whose_metrics_are_judged(
    way: Way, browser: Browser, complaints: list[str]
) -> None:
    lead = way.lead
    collecting.a_challenge_is_made(lead, way)
    with running_worker(way.folder):
        collecting.stages_are_made(lead, way)
        collecting.recordings_come_in(lead, way)
        collecting.people_are_let_in(lead, way)
        collecting.captions_are_written(way)
        collecting.captions_are_edited(lead, way)
        collecting.captions_are_rated(lead, way)
        collecting.nobody_met_a_sound_in_two_stages()
        collecting.captions_are_ranked_and_kept(lead, way)
        publishing.a_data_set_is_made(lead)
        publishing.findings_are_decided(lead)
        publishing.the_data_set_is_split(lead)
    publishing.a_part_is_published(lead)
    publishing.the_phase_opens(lead)
    judging.systems_are_handed_in(way)
    with running_worker(way.folder):
        judging.systems_are_ranked(lead, way)
        judging.pairs_are_drawn(lead, way)
        judging.pairs_are_judged(way)
        judging.systems_have_strengths(lead)
        judging.metrics_are_compared(lead)
    visitor = browser.new_page()
    with listened_to(visitor, complaints):
        judging.everyone_sees_how_far_metrics_agree(lead, way, visitor)
    visitor.close()
