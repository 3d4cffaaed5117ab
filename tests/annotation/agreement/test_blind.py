"""Who may still label a caption sees nothing of what others say; who settles not who said it."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import Gold, Item, Project, Role
from annotation.selectors.adjudication.cases import cases_of
from annotation.services.projects import member_add
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Crew, make_project
from tests.annotation.labelled import disputed_first, label, release
from tests.leaderboard.api_client import ROOT
from tests.leaderboard.scored_pages import text

NOTE = "could be a foghorn"


@dataclass(frozen=True)
class Three:
    """A project of three copies in which two have labelled the only caption, "a dog barks twice".

    They differ on "twice"; the third place is open. ``crew.judge`` settles and labels.
    """

    crew: Crew
    project: Project
    item: Item

    def read(self, name: str, *more: object, user: User | None = None, query: str = "") -> str:
        address = reverse(f"annotation:{name}", args=[self.project.slug, *more])
        response = self.crew.client(user or self.crew.judge).get(address + query)
        assert response.status_code == 200
        return response.content.decode()

    def case(self, user: User | None = None) -> str:
        return self.read("adjudicate-item", self.item.pk, user=user)

    def api(self) -> str:
        address = f"{ROOT}/labelling/{self.project.slug}/agreement"
        return self.crew.client(self.crew.judge).get(address).content.decode()


@pytest.fixture
def three(crew: Crew) -> Three:
    project = make_project(crew.manager, copies=3, texts=("a dog barks twice",))
    for user, role in (
        (crew.ann, "annotator"),
        (crew.bob, "annotator"),
        (crew.judge, "adjudicator"),
    ):
        member_add(project=project, user=user, role=Role(role))
    item = project.items.get()
    label(item, crew.ann, (1, 1, "WHO"), (3, 3, "HOW"), comment=NOTE)
    label(item, crew.bob, (1, 1, "WHO"), (3, 3, "WHEN"))
    return Three(crew, project, item)


def silent(html: str) -> bool:
    """Tell whether a page of the caption marks and labels no word and gives no note."""
    assert "twice" in html
    return not any(told in html for told in ("<mark", "gloss__said", "run__", NOTE, 'value="WHEN"'))


def settle(item: Item) -> None:
    """Bring in what is settled, as files do."""
    rows = [{"how": "chosen", "votes": {"1": "O"}}] * 4
    labels = ["O", "WHO", "O", "WHEN"]
    Gold.objects.create(item=item, labels=labels, provenance=rows, settled_at=NOW)


def test_a_caption_that_may_still_come_shows_no_votes(three: Three) -> None:
    """Not even before it is handed out: it would be, after the look."""
    for gold in (False, True):
        if gold:
            settle(three.item)
        assert silent(three.case())
        tasks_take(project=three.project, user=three.crew.judge, count=1, now=NOW, lease=LEASE)
        assert silent(three.case())
        release(three.project, three.crew.judge)
        assert silent(three.case())


def test_a_caption_that_is_not_ready_shows_no_votes_to_anyone(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (1, 1, "WHO"), comment=NOTE)
    page = reverse("annotation:adjudicate-item", args=[crew.project.slug, crew.items[0].pk])
    for user in (crew.judge, crew.manager):
        html = crew.client(user).get(page).content.decode()
        assert "its answers are not shown" in html
        assert not any(told in html for told in ("gloss__said", NOTE))


def test_lists_and_measures_leave_it_out_until_it_is_answered(three: Three) -> None:
    cell = "?a=HOW&b=WHEN"
    assert "except 1 that you may still label" in three.read("agreement")
    assert "<mark" not in three.read("agreement-captions", query=cell)
    assert "WHEN" not in re.sub(r'"names":\[[^]]*\]', "", three.api())
    assert "twice" not in three.read("adjudicate")
    # The part that is kept for one person is not given to another.
    tasks_take(project=three.project, user=three.crew.manager, count=1, now=NOW, lease=LEASE)
    assert "except 1 that you may still label" in three.read("agreement", user=three.crew.manager)
    later = NOW + timedelta(minutes=1)
    release(three.project, three.crew.manager)
    label(three.item, three.crew.judge, (1, 1, "WHO"), now=later)
    assert "1 of 1 captions have words in dispute" in text(three.read("agreement").encode())
    assert "<mark" in three.read("agreement-captions", query=cell)
    assert not silent(three.case())
    # Others decide it, unless the project allows who labelled it to.
    assert "twice" not in three.read("adjudicate")
    Project.objects.update(settle_own=True)
    assert "twice" in three.read("adjudicate")


def test_what_is_settled_of_it_is_left_out(three: Three) -> None:
    settle(three.item)
    assert "1 settled caption that you may still label is not shown" in three.read("adjudicate")
    assert "twice" not in three.read("adjudicate")
    assert "twice" in three.read("adjudicate", user=three.crew.manager)


def test_it_is_neither_read_nor_taken_back_by_who_may_still_label_it(three: Three) -> None:
    """A refusal would tell what others say: the answer to who saw something else has it."""
    settle(three.item)
    client = three.crew.client(three.crew.judge)
    for act in ("adjudicate-settle", "adjudicate-reopen"):
        page = reverse(f"annotation:{act}", args=[three.project.slug, three.item.pk])
        assert silent(client.post(page, {"seen": "", "reason": "x"}).content.decode())
    assert Gold.objects.exists()


def test_in_a_closed_project_nothing_is_left_to_label(three: Three) -> None:
    tasks_take(project=three.project, user=three.crew.judge, count=1, now=NOW, lease=LEASE)
    three.project.closed = True
    three.project.save()
    assert not silent(three.case())
    for user in (three.crew.judge, three.crew.ann):
        told = text(three.read("agreement", user=user).encode())
        assert "answers that count can no longer change" in told
        assert "1 of 1 captions have words in dispute" in told
    # An annotator sees none again once the project is open again.
    Project.objects.update(closed=False)
    page = reverse("annotation:agreement", args=[three.project.slug])
    assert three.crew.client(three.crew.ann).get(page).status_code == 404


def captions_of(crew: Crew, user: User, query: str) -> str:
    page = reverse("annotation:agreement-captions", args=[crew.project.slug])
    response = crew.client(user).get(f"{page}{query}")
    assert response.status_code == 200
    return response.content.decode()


def said(html: str) -> list[str]:
    """What stands below "twice", from above."""
    after = html.partition('<mark class="agree__mark">twice</mark>')[2]
    word = after.partition("gloss__word")[0]
    return re.findall(r'gloss__said[^"]*">([^<]*)<', word)


def test_who_settles_is_not_told_which_number_said_what(crew: Crew) -> None:
    """Whatever the numbers that are asked for, labels stand in the order of the letters."""
    item = disputed_first(crew)
    votes = cases_of(crew.project, [item.pk])[0].votes
    letters = [vote.labels[3].capitalize() for vote in votes]
    for query in ("?one=1&other=2&a=HOW&b=WHEN", "?one=2&other=1&a=HOW&b=WHEN", "?a=WHEN&b=HOW"):
        html = captions_of(crew, crew.judge, query)
        assert said(html) == letters
        assert "Annotator" not in text(html.encode())
    # Managers see who it was.
    named = captions_of(crew, crew.manager, "?one=2&other=1&a=WHEN&b=HOW")
    assert said(named) == ["When", "How"]
    assert crew.ann.username in named


def test_letters_and_labels_go_together_whoever_joined_first(crew: Crew) -> None:
    """Over many captions the first of two labels is now one person's, now the other's."""
    project = make_project(crew.manager, texts=tuple(f"a dog barks {n}" for n in range(16)))
    member_add(project=project, user=crew.judge, role=Role.ADJUDICATOR)
    for item in project.items.all():
        label(item, crew.ann, (1, 1, "WHO"))
        label(item, crew.bob, (1, 1, "WHAT"))
    html = captions_of(replace(crew, project=project), crew.judge, "?a=WHO&b=WHAT")
    rows = html.split("<mark")[1:]
    firsts = {re.findall(r'gloss__said[^"]*">([^<]*)<', row)[0] for row in rows}
    assert len(rows) == 16
    assert firsts == {"Who", "What"}


def test_counts_of_few_words_do_not_tell_it_either(crew: Crew) -> None:
    disputed_first(crew)
    address = f"{ROOT}/labelling/{crew.project.slug}/agreement"
    found = crew.client(crew.judge).get(address).json()
    table, names = found["pair"]["confusion"], found["names"]
    how, when = names.index("HOW"), names.index("WHEN")
    assert table[how][when] == table[when][how] == 1
    assert table[how][how] == 1
    assert {row["one"] for row in found["pair"]["labels"]} == {None}
    page = reverse("annotation:agreement", args=[crew.project.slug])
    html = crew.client(crew.judge).get(page).content.decode()
    assert "Words of Annotator" not in html
    assert "Words by the label of one person (rows) and another (columns)" in html
    assert html.count("1 word: How and When") == 1
    assert "1 word: When and How" not in html
