"""Guidelines with versions: every one is kept, and each reader is shown what changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import GuidelinesVersion, Member
from annotation.selectors.guidelines import (
    ADDED,
    changed_lines,
    guidelines_changes,
    guidelines_versions,
    in_short,
)
from annotation.services.life_cycle import project_change
from annotation.services.projects import ProjectAct, ProjectRules, ProjectSettings
from leaderboard.models import User
from leaderboard.web.api_auth import NAMESPACE
from tests.annotation.conftest import Crew
from tests.factories import UserFactory

HOSTILE = "<script>alert(1)</script>"


def write(crew: Crew, text: str, *, by: User | None = None) -> None:
    """Change the guidelines, and nothing else."""
    settings = ProjectSettings(crew.project.name, ProjectRules(guidelines=text))
    # The project's people joined just now.
    act = ProjectAct(by or crew.manager, timezone.now() + timedelta(seconds=1))
    project_change(project=crew.project, settings=settings, act=act)


def read(crew: Crew, name: str, user: User, query: str = "") -> str:
    address = reverse(f"annotation:{name}", args=[crew.project.slug]) + query
    return crew.client(user).get(address).content.decode()


def test_every_version_is_kept_with_who_and_what(crew: Crew) -> None:
    write(crew, "Label sounds.")
    write(crew, "Label sounds.")
    write(crew, "Label all sounds.", by=crew.judge)
    rows = guidelines_versions(crew.project)
    assert [(version.number, who) for version, who in rows] == [
        (2, crew.judge.username),
        (1, crew.manager.username),
    ]
    changes = guidelines_changes(crew.project, 1, 2)
    assert changes is not None
    assert [part.text for part in changes["lines"][0] if part.how == ADDED] == ["all "]
    crew.judge.delete()
    assert GuidelinesVersion.objects.get(number=2).text == "Label all sounds."


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("", "# Sounds\n\nLabel.", "added “Sounds”, and 1 more line"),
        ("Label.", "Label.\n- Ask.", "added “Ask.”"),
        ("Label.\nAsk.", "Label.", "removed “Ask.”"),
        ("Label every sound.", "Label sound.", "now “Label sound.”"),
        ("Label.  Ask.", " Label. Ask.\n\n", "only spacing"),
        ("", "word " * 50, "added “" + ("word " * 16)[:79] + "…”"),
        # Which takes no minutes.
        ("a " * 10_000, "a b " * 5_000, "now “" + ("a b " * 20)[:79] + "…”"),
    ],
)
def test_a_change_is_told_in_short(before: str, after: str, what: str) -> None:
    assert in_short(changed_lines(before, after)) == what


def test_the_page_shows_what_changed_since_the_last_visit_and_once(crew: Crew) -> None:
    write(crew, "Label sounds.")
    assert "What changed since" not in read(crew, "guidelines", crew.ann)
    write(crew, "Label all sounds.")
    write(crew, f"Label all {HOSTILE} noises.")
    page = read(crew, "guidelines", crew.ann)
    assert "What changed since version 1" in page
    assert '<ins><span class="visually-hidden">added: </span>all &lt;script&gt;' in page
    assert '<del><span class="visually-hidden">removed: </span>sounds.' in page
    assert "What changed since" not in read(crew, "guidelines", crew.ann)
    assert "What changed since version 2" in read(crew, "guidelines", crew.ann, "?from=2&to=3")
    assert "What changed with version 1" in read(crew, "guidelines", crew.ann, "?from=0&to=1")


def told(crew: Crew, user: User) -> dict[str, Any] | None:
    """What the labelling page is told of guidelines at every look."""
    address = reverse(f"{NAMESPACE}:own", args=[crew.project.slug])
    news: dict[str, Any] | None = crew.client(user).get(address).json()["guidelines"]
    return news


def test_the_labelling_page_is_told_of_a_change_until_it_is_read_in_the_dialog(crew: Crew) -> None:
    write(crew, "Label sounds.")
    read(crew, "guidelines", crew.ann)
    assert told(crew, crew.ann) is None
    write(crew, f"Label all sounds.\n\n- Ask when in doubt. {HOSTILE}")
    for _ in range(2):
        news = told(crew, crew.ann)
        assert news is not None
        assert (news["number"], news["by"]) == (2, crew.manager.username)
        assert news["what"] == "now “Label all sounds.”, and 1 more line"
    sheet = read(crew, "guidelines", crew.ann, "?sheet")
    assert told(crew, crew.ann) is None, "reading them in the dialog is reading them"
    for shown in ('data-version="2"', "What changed since version 1"):
        assert shown in sheet
    for kept in ("<html", HOSTILE):
        assert kept not in sheet
    address = reverse("annotation:guidelines", args=[crew.project.slug])
    assert crew.client(UserFactory.create()).get(f"{address}?sheet").status_code == 404
    # Who joined later is not told of changes before.
    assert told(crew, crew.bob) is not None
    Member.objects.filter(user=crew.bob).update(joined_at=timezone.now() + timedelta(hours=1))
    assert told(crew, crew.bob) is None


def test_managers_see_who_has_read_the_newest(crew: Crew) -> None:
    assert "no guidelines yet" in read(crew, "quality", crew.manager)
    write(crew, "Label sounds.")
    read(crew, "guidelines", crew.ann)
    write(crew, "Label all sounds.")
    read(crew, "guidelines", crew.bob)
    page = read(crew, "quality", crew.manager)

    def row(user: User) -> str:
        return page[page.index(f'<th scope="row">{user.username}') :].partition("</tr>")[0]

    assert "Not read" in row(crew.ann)
    assert "version 1," in row(crew.ann)
    assert ">Read<" in row(crew.bob)
    assert ">Read<" in row(crew.manager), "who writes them has read them"
    assert "never" in row(crew.judge)
