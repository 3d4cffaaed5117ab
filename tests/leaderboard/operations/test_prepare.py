"""``manage.py prepare --demo``, with which ``make run`` begins, also after one was cut short."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from annotation import demo_collection
from annotation.kinds.names import EDIT, JUDGE, LABEL_WORDS, RATE, WRITE
from annotation.models import Annotation, Project
from annotation.services.projects import ProjectAct
from annotation.services.stages import StageSettings, stages_start
from leaderboard.management.commands import prepare
from leaderboard.models import Submission
from tests.annotation.conftest import NOW
from tests.factories import UserFactory


class CutShort(Exception):
    """Stands in for a kill."""


def started() -> str:
    out = StringIO()
    call_command("prepare", "--demo", stdout=out)
    return out.getvalue()


# Not within the transaction of a test: outside of one, PostgreSQL locks no row.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("cut", ["sounds_add_zip", "_choice"])
def test_a_demo_that_was_cut_short_is_completed_by_the_next_start(
    cut: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.AUDIO_DIR = tmp_path
    # Scoring, which takes a minute, is the job engine's.
    monkeypatch.setattr(prepare.Command, "_score", lambda *_: None)

    # What an earlier version left.
    empty = StageSettings(WRITE, f"{demo_collection.NAME}: write", 1, {"least": 8, "most": 20})
    stages_start(stages=[empty], act=ProjectAct(UserFactory.create(), NOW))

    def end(*_: Any, **__: Any) -> None:
        raise CutShort

    with monkeypatch.context() as patched:
        patched.setattr(demo_collection, cut, end)
        with pytest.raises(CutShort):
            started()
    assert "Everyday sounds, pairs" in started()
    assert Submission.objects.count() == 7
    assert sorted(Project.objects.values_list("kind", flat=True)) == [
        EDIT, JUDGE, LABEL_WORDS, RATE, WRITE,
    ]  # fmt: skip
    assert {project.pk for project in Project.objects.all()} == set(
        Annotation.objects.values_list("item__project", flat=True)
    )
    assert started() == "", "all is there"
