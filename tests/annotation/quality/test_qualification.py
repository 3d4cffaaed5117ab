"""A qualification: nothing is handed out before it is passed, and it counts nowhere."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import (
    Annotation,
    Assignment,
    Gold,
    Member,
    Project,
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
    Qualified,
)
from annotation.selectors.projects import events_of
from annotation.selectors.qualification import feedback_of, serving_items
from annotation.selectors.schemes import SchemeDraft
from annotation.services.projects import ProjectAct, member_add
from annotation.services.qualification import (
    qualification_answer,
    qualification_choose,
    qualification_set,
)
from annotation.services.schemes import scheme_publish
from annotation.services.tasks import tasks_take
from annotation.spans import labels_of_words, span_of, tokenized
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import LEASE, NOW, TEXTS, Crew
from tests.annotation.projects.manage_page import text_file
from tests.factories import UserFactory

RULES: dict[str, Any] = {"on": True, "pass_mark": 90, "tries": 2}


def act(crew: Crew) -> ProjectAct:
    return ProjectAct(crew.manager, NOW)


def switch_on(crew: Crew, rules: dict[str, Any] = RULES) -> None:
    """Have annotators qualify on the first two captions, with WHO on their second words."""
    for item in crew.items[:2]:
        labels = ["O", "WHO", *["O"] * (len(item.tokens) - 2)]
        Gold.objects.get_or_create(
            item=item,
            defaults={
                "labels": labels,
                "provenance": [],
                "settled_at": NOW,
                "note": "It <b>acts</b>.",
            },
        )
    chosen = [item.pk for item in crew.items[:2]]
    qualification_choose(project=crew.project, items=chosen, act=act(crew))
    qualification_set(project=crew.project, **rules, act=act(crew))


@pytest.fixture
def new(crew: Crew) -> User:
    user: User = UserFactory.create()
    member_add(project=crew.project, user=user)
    return user


def handed(crew: Crew, user: User) -> list[str]:
    rows = tasks_take(project=crew.project, user=user, count=6, now=NOW, lease=LEASE)
    return [row.item.text for row in rows]


def send(crew: Crew, user: User, label: str, *, number: int = 1) -> Any:
    """Answer the next caption on the page, with this label on its second word."""
    client, address = (
        crew.client(user),
        reverse("annotation:qualification", args=[crew.project.slug]),
    )
    caption = client.get(address).context["caption"]
    data = {"caption": caption.pk, "try": number, "word-1": label}
    return client.post(address, data, follow=True)


def test_nothing_is_handed_out_before_it_is_passed(crew: Crew, new: User) -> None:
    switch_on(crew)
    assert handed(crew, new) == []
    client, base = crew.client(new), f"/api/v1/labelling/{crew.project.slug}"
    body = client.post(f"{base}/tasks", {"count": 6}, "application/json").json()
    assert (body["tasks"], body["own"]["must_qualify"]) == ([], True)
    label = client.get(reverse("annotation:label", args=[crew.project.slug]))
    assert label["Location"] == reverse("annotation:qualification", args=[crew.project.slug])
    assert client.get(f"{base}/items/{crew.items[2].pk}").status_code == 404
    answered = send(crew, new, "WHO")
    page = answered.content.decode()
    assert "7 of 7 words as expected" in page
    assert "Why: It &lt;b&gt;acts&lt;/b&gt;." in page
    # The page after an answer begins at what was said of it.
    assert answered.redirect_chain[0][0].endswith("#feedback")
    assert '<section class="section section--first" id="feedback"' in page
    assert "<title>Caption 2 of 2 · Qualification" in page
    assert handed(crew, new) == []
    assert "You passed" in send(crew, new, "WHO").content.decode()
    assert Member.objects.get(user=new).qualified == Qualified.PASSED
    assert handed(crew, new) == list(TEXTS[2:]), "not what was met there"
    assert not Annotation.every.exists(), "it counts nowhere"
    assert client.get(f"{base}/own").json()["left"] == 2


def test_tries_are_limited_and_a_manager_lets_in_by_hand(crew: Crew, new: User) -> None:
    switch_on(crew)
    for number in (1, 2):
        assert "<td>Who</td>" in send(crew, new, "O", number=number).content.decode()
        last = send(crew, new, "HOW", number=number).content.decode()
    assert "No tries left" in last
    assert list(QualificationTry.objects.values_list("same", "words")) == [(12, 14)] * 2
    assert handed(crew, new) == []
    page = crew.client(crew.manager).get(f"/annotate/{crew.project.slug}/quality/")
    assert "Not yet" in page.content.decode()
    member = Member.objects.get(user=new)
    address = reverse("annotation:quality-let-in", args=[crew.project.slug, member.pk])
    assert crew.client(crew.judge).post(address).status_code == 404
    crew.client(crew.manager).post(address)
    assert handed(crew, new)


def test_an_answer_sent_twice_changes_nothing_and_begins_no_try(crew: Crew, new: User) -> None:
    switch_on(crew)
    address = reverse("annotation:qualification", args=[crew.project.slug])
    captions = list(crew.project.qualification_captions.all())
    for caption in (*captions, *captions):
        crew.client(new).post(address, {"caption": caption.pk, "try": 1})
    for caption in captions:
        crew.client(new).post(address, {"caption": caption.pk, "try": 1, "word-1": "WHO"})
    assert QualificationAnswer.objects.count() == 2
    assert QualificationTry.objects.get().same == 12
    late = crew.client(new).post(address, {"caption": captions[0].pk, "try": 3})
    assert late.status_code == 422
    assert "This is try 2, not 3" in late.content.decode()


def test_who_is_at_work_goes_on_unless_the_manager_says_otherwise(crew: Crew, new: User) -> None:
    assert handed(crew, crew.ann)
    switch_on(crew)
    assert Member.objects.get(user=crew.ann).qualified == Qualified.AT_WORK
    assert handed(crew, crew.ann)
    assert handed(crew, crew.bob) == handed(crew, new) == []
    assert handed(crew, crew.judge), "adjudicators know what is settled"
    qualification_set(project=crew.project, **RULES, everyone=True, act=act(crew))
    assert handed(crew, crew.ann) == []
    assert not Assignment.objects.filter(user=crew.ann, done=False).exists()
    qualification_set(project=crew.project, **RULES | {"on": False}, act=act(crew))
    assert handed(crew, crew.bob)


def test_the_page_sets_the_rules_and_the_last_caption_which_is_no_test_stays(crew: Crew) -> None:
    address = reverse("annotation:quality-rules", args=[crew.project.slug])
    client, data = crew.client(crew.manager), {"on": "on", "pass_mark": "70", "tries": "1"}
    refused = client.post(address, data)
    assert refused.status_code == 422
    assert "no captions to qualify on" in refused.content.decode()
    Assignment.objects.filter(item=crew.items[0]).update(done=True)
    switch_on(crew, RULES | {"on": False})
    assert client.post(address, data).status_code == 302
    crew.project.refresh_from_db()
    assert (crew.project.qualification_on, crew.project.pass_mark) == (True, 70)
    assert not serving_items(crew.project).exists()
    for caption in crew.project.qualification_captions.all():
        address = reverse("annotation:quality-remove", args=[crew.project.slug, caption.pk])
        page = client.post(address, follow=True).content.decode()
    assert "This is the last caption." in page
    assert crew.project.qualification_captions.count() == 1


def test_a_caption_that_was_answered_is_taken_out_when_that_is_meant(crew: Crew, new: User) -> None:
    switch_on(crew)
    send(crew, new, "WHO")
    caption = QualificationAnswer.objects.get().caption
    client = crew.client(crew.manager)
    address = reverse("annotation:quality-remove", args=[crew.project.slug, caption.pk])
    for asked in (client.get(address), client.post(address)):
        assert "1 answer to it is deleted too. This cannot be undone." in asked.content.decode()
    assert QualificationAnswer.objects.exists()
    client.post(address, {"remove": "yes"})
    assert not QualificationAnswer.objects.exists()
    history = [event["text"] for event in events_of(crew.project)]
    assert "removed a caption from the qualification" in history


def test_what_is_settled_now_is_what_is_expected(crew: Crew, new: User) -> None:
    """A correction of gold reaches a qualification that has begun."""
    switch_on(crew)
    first = Gold.objects.get(item=crew.items[0])
    first.labels, first.note = ["O", "WHAT", *first.labels[2:]], "It is a thing."
    first.save()
    page = send(crew, new, "WHAT").content.decode()
    assert "7 of 7 words as expected" in page
    assert "Why: It is a thing." in page
    # Corrected once more before the try ends, it counts as it is then.
    first.labels = ["O", "HOW", *first.labels[2:]]
    first.save()
    send(crew, new, "WHO")
    assert QualificationTry.objects.get().same == 13
    # One that is no longer settled keeps its labels and says so.
    first.delete()
    page = crew.client(crew.manager).get(f"/annotate/{crew.project.slug}/quality/").content.decode()
    assert page.count("No longer settled") == 1


DOG = "a large brown dog barks"


def judged(
    crew: Crew, expected: list[tuple[int, int, str]], labels: str, begins: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Label DOG with one letter a word (W: WHO, H: HOW), where these spans are expected."""
    tokens = tokenized(DOG)
    spans = [span_of(first, last, label, tokens) for first, last, label in expected]
    caption = QualificationCaption.objects.create(
        project=crew.project,
        text=DOG,
        tokens=tokens,
        labels=labels_of_words(spans, len(tokens)),
        spans=spans,
    )
    crew.project.qualification_on = True
    crew.project.save()
    member = Member.objects.get(user=crew.ann)
    names = {"W": "WHO", "H": "HOW", "O": "O"}
    answer = qualification_answer(
        member=member,
        caption=caption,
        labels=[names[letter] for letter in labels],
        begins=begins,
        number=1,
        now=NOW,
    )
    assert feedback_of(crew.project, answer)["same"] == answer.attempt.same
    return feedback_of(crew.project, answer)


@pytest.mark.parametrize(
    ("expected", "labels", "begins", "same", "edges"),
    [
        ([(1, 3, "WHO")], "OWWWO", (), 5, []),
        ([(1, 3, "WHO")], "OOWWO", (), 4, ["your span starts 1 word late."]),
        ([(2, 3, "WHO")], "WWWWW", (), 2, ["your span starts 2 words early and ends 1 word late."]),
        ([(1, 3, "WHO")], "OWWWO", (3,), 4, ["is one span; you made 2."]),
        ([(1, 2, "WHO"), (3, 3, "WHO")], "OWWWO", (3,), 5, []),
        (
            [(1, 2, "WHO"), (3, 3, "WHO")],
            "OWWWO",
            (),
            4,
            ["is a span of its own; yours goes on into another."] * 2,
        ),
        ([(1, 3, "WHO")], "OHHHO", (2,), 2, []),
    ],
)
def test_edges_of_spans_count_and_are_told(
    crew: Crew,
    expected: list[tuple[int, int, str]],
    labels: str,
    begins: tuple[int, ...],
    same: int,
    edges: list[str],
) -> None:
    feedback = judged(crew, expected, labels, begins)
    assert feedback["same"] == same
    assert len(feedback["edges"]) == len(edges)
    assert all(said.endswith(edge) for said, edge in zip(feedback["edges"], edges, strict=True))


def test_new_labels_reach_what_is_expected_and_what_was_said(crew: Crew, new: User) -> None:
    switch_on(crew)
    send(crew, new, "WHO")
    base = crew.project.scheme
    who, *others = base.inventory
    draft = SchemeDraft("Ours", "", (replace(who, name="BEING"), *others), {"WHO": "BEING"})
    scheme_publish(project=crew.project, draft=draft, base=base, act=act(crew))
    assert "You now get captions" in send(crew, new, "BEING").content.decode()
    assert QualificationTry.objects.get().percent == 100


def bring(crew: Crew, project: Project, *rows: dict[str, Any]) -> Any:
    address = reverse("annotation:quality-captions", args=[project.slug])
    return crew.client(crew.manager).post(address, {"file": text_file(*rows)}, follow=True)


def test_captions_come_from_a_file_with_every_fault_told(crew: Crew) -> None:
    span = {"token_start": 1, "token_end": 1, "start": 2, "end": 5, "label": "WHO"}
    good = {"text": "a dog barks", "spans": [span], "comment": "A dog acts."}
    bad = {"text": "a cat purrs", "spans": [{**span, "label": "CAT"}]}
    refused = bring(crew, crew.project, good, bad, {"text": "no labels"})
    assert refused.status_code == 422
    page = unescape(refused.content.decode())
    assert 'Line 2: Span 1: there is no label "CAT"' in page
    assert 'Line 3: "no labels" has no accepted labels' in page
    assert not crew.project.qualification_captions.exists()
    assert "1 caption added" in bring(crew, crew.project, good, good).content.decode()
    caption = crew.project.qualification_captions.get()
    assert (caption.labels, caption.note) == (["O", "WHO", "O"], "A dog acts.")


def test_the_page_takes_edges(crew: Crew, new: User) -> None:
    switch_on(crew)
    caption = crew.project.qualification_captions.first()
    assert caption is not None
    spans = [span_of(at, at, "WHO", caption.tokens) for at in (1, 2)]
    labels = labels_of_words(spans, len(caption.tokens))
    Gold.objects.filter(item=crew.items[0]).update(labels=labels, spans=spans)
    address = reverse("annotation:qualification", args=[crew.project.slug])
    data = {"caption": caption.pk, "try": 1, "word-1": "WHO", "word-2": "WHO", "begins-2": "on"}
    said = crew.client(new).post(address, data, follow=True)
    assert "7 of 7 words as expected" in said.content.decode()


def test_labels_that_do_not_fit_the_caption_are_refused(crew: Crew, new: User) -> None:
    switch_on(crew)
    member = Member.objects.get(user=new)
    caption = crew.project.qualification_captions.all()[0]
    for labels, why in ((["O"], "1 labels for 7 words"), (["X"] * 7, 'no label "X"')):
        with pytest.raises(Refused, match=why):
            qualification_answer(member=member, caption=caption, labels=labels, number=1, now=NOW)
