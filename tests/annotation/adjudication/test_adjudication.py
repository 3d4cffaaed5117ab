"""The pages on which captions are settled: who may, what is asked, what is kept."""

import re

import pytest
from django.http import HttpResponse
from django.urls import reverse

from annotation.models import Gold, Item
from annotation.selectors.adjudication.cases import cases_of
from leaderboard.models import User
from tests.annotation.conftest import Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.leaderboard.scored_pages import plain, text


def address(crew: Crew, name: str, item: Item | None = None) -> str:
    args: list[object] = [crew.project.slug]
    return reverse(f"annotation:{name}", args=args if item is None else [*args, item.pk])


def opened(crew: Crew, item: Item, user: User | None = None, query: str = "") -> str:
    response = crew.client(user or crew.judge).get(address(crew, "adjudicate-item", item) + query)
    assert response.status_code == 200
    return response.content.decode()


def form(crew: Crew, item: Item, **chosen: str) -> dict[str, str]:
    seen = cases_of(crew.project, [item.pk])[0].stamp
    return {"seen": seen, **{name.replace("_", "-"): value for name, value in chosen.items()}}


def send(crew: Crew, item: Item, data: dict[str, str], user: User | None = None) -> HttpResponse:
    client = crew.client(user or crew.judge)
    return client.post(address(crew, "adjudicate-settle", item), data)  # type: ignore[return-value]


def test_neither_items_of_other_projects_nor_a_closed_project_are_settled_by_annotators(
    crew: Crew,
) -> None:
    other = make_project(crew.manager).items.first()
    client = crew.client(crew.judge)
    assert client.get(address(crew, "adjudicate-item", other)).status_code == 404
    crew.project.closed = True
    crew.project.save()
    assert crew.client(crew.ann).get(address(crew, "adjudicate")).status_code == 404


def test_only_words_in_dispute_are_asked_for_and_not_who_said_what(crew: Crew) -> None:
    html = opened(crew, disputed_first(crew))
    assert re.findall(r"<legend>([^<]*)</legend>", html) == ["twice", "in the distance"]
    split = opened(crew, crew.items[0], query="?split=1")
    assert re.findall(r"<legend>([^<]*)</legend>", split) == ["twice", "in", "the", "distance"]
    for user in (crew.ann, crew.bob):
        assert user.username not in text(html.encode())


def test_letters_do_not_follow_people_from_caption_to_caption(crew: Crew) -> None:
    project = make_project(crew.manager, texts=tuple(f"a dog barks {n}" for n in range(16)))
    firsts = set()
    for item in project.items.all():
        label(item, crew.ann, (1, 1, "WHO"))
        label(item, crew.bob, (1, 1, "WHAT"))
        case = cases_of(project, [item.pk])[0]
        # The same at every look.
        assert case.votes == cases_of(project, [item.pk])[0].votes
        firsts.add(case.votes[0].labels[1])
    assert firsts == {"WHO", "WHAT"}


def test_a_decision_by_plain_form_is_kept_and_leads_on(crew: Crew) -> None:
    item = disputed_first(crew)
    after = crew.items[2]
    label(after, crew.ann, (1, 1, "WHO"))
    label(after, crew.bob)
    agreed = agreed_second(crew)
    data = form(crew, item, word_3="other", other_3="SOUND_PROPERTY", word_4="WHERE")
    response = send(crew, item, data)
    assert response.status_code == 302
    assert response["Location"] == address(crew, "adjudicate-item", after)
    gold = Gold.objects.get(item=item)
    assert gold.labels == ["O", "WHO", "HOW", "SOUND_PROPERTY", "WHERE", "WHERE", "WHERE"]
    # What all agree on needs nobody.
    assert Gold.objects.filter(item=agreed).exists()
    last = send(crew, after, form(crew, after, word_1="O"))
    assert last["Location"] == address(crew, "adjudicate")
    assert Gold.objects.get(item=after).labels[1] == "O"


def test_another_label_counts_without_its_button_and_not_against_a_choice(crew: Crew) -> None:
    item = disputed_first(crew)
    send(crew, item, form(crew, item, other_3="OTHER", word_4="O", other_4="WHO"))
    assert Gold.objects.get().labels[3:] == ["OTHER", "O", "O", "O"]


def test_what_is_missing_or_came_second_is_said_and_what_was_written_stays(crew: Crew) -> None:
    item = disputed_first(crew)
    missing = send(crew, item, form(crew, item, word_3="WHEN", note="Heard twice."))
    assert missing.status_code == 422
    html = missing.content.decode()
    assert 'still open: "in", "the", "distance"' in plain(html)
    assert re.search(r'name="word-3"\s+value="WHEN"[^>]*checked', html)
    assert not Gold.objects.exists()
    mine = form(crew, item, word_3="HOW", word_4="WHERE", note="Heard twice.")
    send(crew, item, form(crew, item, word_3="WHEN", word_4="WHERE"), crew.manager)
    second = send(crew, item, mine)
    assert second.status_code == 409
    assert "settled, or its annotations changed" in plain(second.content.decode())
    assert Gold.objects.get().labels[3] == "WHEN"
    for response in (missing, second):
        assert 'value="Heard twice."' in response.content.decode()


def test_the_overview_says_how_far_it_is_and_settles_what_all_agree_on(crew: Crew) -> None:
    client = crew.client(crew.judge)
    assert "No caption has been completed" in text(client.get(address(crew, "adjudicate")).content)
    item, agreed = disputed_first(crew), agreed_second(crew)
    main = text(client.get(address(crew, "adjudicate")).content)
    assert "Settled 0 of 2" in main
    assert "All annotators agree, not settled yet 1" in main
    # Looking changes nothing.
    assert not Gold.objects.exists()
    response = client.post(address(crew, "adjudicate-start"), {"then": "decide"})
    assert response["Location"] == address(crew, "adjudicate-item", item)
    assert Gold.objects.get().item == agreed
    send(crew, item, form(crew, item, word_3="WHEN", word_4="WHERE"))
    label(item, crew.bob, (0, 0, "WHO"))
    main = text(client.get(address(crew, "adjudicate")).content)
    assert "Settled 1 of 2" in main
    assert "Annotations changed since" in main


def test_notes_of_annotators_are_shown_by_letter_and_as_text(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"), comment="<b>twice</b> could be WHEN")
    label(item, crew.bob, (1, 1, "WHAT"))
    html = opened(crew, item)
    assert "<b>twice</b>" not in html
    assert re.search(r"[AB] notes <b>twice</b> could be WHEN", plain(html))


def test_every_label_has_a_key_that_no_letter_takes(crew: Crew) -> None:
    """The scheme gives "b" to WHAT/WHERE; here it chooses B, and Shift goes with the label."""
    fieldset = opened(crew, disputed_first(crew)).split("<fieldset")[1]
    keys = " ".join(re.findall(r'data-key="([^"]*)"', fieldset)).split()
    assert len(keys) == len(set(keys)) == 2 + 12 + 1
    assert {"a", "b", "B", "w", "-"} <= set(keys)


@pytest.mark.parametrize(
    ("audio", "played"),
    [
        ("/media/dog.wav", True),
        ("//evil.example/dog.wav", False),
        ("https://evil.example/dog.wav", False),
        ("javascript:alert(1)", False),
        (["/media/dog.wav"], False),
    ],
)
def test_only_sounds_of_this_site_are_played(crew: Crew, audio: object, played: bool) -> None:
    item = disputed_first(crew)
    item.meta = {"audio": audio}
    item.save()
    assert ("<audio" in opened(crew, item)) is played


def test_three_people_are_three_letters(crew: Crew) -> None:
    project = make_project(crew.manager, copies=3, texts=("a dog barks twice",))
    item = project.items.get()
    label(item, crew.ann, (1, 1, "WHO"), (3, 3, "HOW"))
    label(item, crew.bob, (1, 1, "WHO"), (3, 3, "WHEN"))
    # The third may still label it.
    assert not cases_of(project, [item.pk])[0].ready
    label(item, crew.judge, (1, 1, "WHAT"), (3, 3, "HOW"))
    page = reverse("annotation:adjudicate-item", args=[project.slug, item.pk])
    html = crew.client(crew.manager).get(page).content.decode()
    first = html.split("<fieldset")[1]
    letters = re.findall(r'decide__letters">([^<]*)<', first)
    assert sorted("".join(letters).replace(", ", "")) == ["A", "B", "C"]
    assert len(letters) == 2
    # Each person's letter takes what that person said, also where two say the same.
    keys = re.findall(r'data-key="([a-c](?: [a-c])?)"', first)
    assert sorted(" ".join(keys).split()) == ["a", "b", "c"]
    assert len(keys) == 2


# -- edges, corrections, history -------------------------------------------------------


def edges_differ(crew: Crew) -> Item:
    """The second caption: both call "metal roof" WHERE, ann as one span, bob as two."""
    item = crew.items[1]
    label(item, crew.ann, (1, 1, "WHAT"), (5, 6, "WHERE"))
    label(item, crew.bob, (1, 1, "WHAT"), (5, 5, "WHERE"), (6, 6, "WHERE"))
    return item


def test_where_only_edges_differ_one_span_or_two_is_asked(crew: Crew) -> None:
    item = edges_differ(crew)
    html = opened(crew, item)
    assert re.findall(r"<legend>([^<]*)</legend>", html) == ["metal | roof"]
    main = text(html.encode())
    # Each person's spans are told apart, also by ear.
    assert re.search(r"metal roof \( Where \)", main)
    assert re.search(r"metal \( Where \) roof \( Where \)", main)
    refused = send(crew, item, form(crew, item))
    assert refused.status_code == 422
    assert 'still open: between "metal" and "roof"' in plain(refused.content.decode())
    send(crew, item, form(crew, item, edge_6="begin"))
    spans = Gold.objects.get().spans
    assert [(span["token_start"], span["token_end"]) for span in spans] == [(1, 1), (5, 5), (6, 6)]
    assert re.search(r'name="edge-6"\s+value="begin"[^>]*checked', opened(crew, item))
    listed = crew.client(crew.judge).get(address(crew, "adjudicate"))
    assert "1 word decided" in text(listed.content)


def test_any_word_of_what_all_agree_on_is_corrected_by_plain_form(crew: Crew) -> None:
    item = agreed_second(crew)
    crew.client(crew.judge).post(address(crew, "adjudicate-start"))
    html = opened(crew, item)
    assert html.count("<fieldset") == 7
    assert re.search(r'name="word-1"\s+value="WHAT"[^>]*checked', html)
    # As the browser sends it: every word with what stands, but for what is corrected.
    labels = {f"word_{n}": name for n, name in enumerate(Gold.objects.get().labels)}
    changed = labels | {
        "word_5": "other",
        "other_5": "WHERE",
        "word_6": "other",
        "other_6": "WHERE",
    }
    data = form(crew, item, **changed, edge_6="begin", every="1", note="  A roof is\na place. ")
    response = send(crew, item, data)
    assert response["Location"] == address(crew, "adjudicate-item", item)
    gold = Gold.objects.get()
    assert (gold.labels[5:], gold.note) == (["WHERE", "WHERE"], "A roof is a place.")
    assert [row["how"] for row in gold.provenance] == ["agreed"] * 5 + ["chosen"] * 2
    assert [span["token_start"] for span in gold.spans] == [1, 2, 5, 6]
    main = text(opened(crew, item).encode())
    assert "Settled again by" in main
    assert "Why: A roof is a place." in main
    assert "metal roof from No label to Where" in main
    assert "Settled, as all agree" in main


def test_a_correction_is_shown_chosen_and_not_lost_by_the_next(crew: Crew) -> None:
    """The short form of a caption in dispute also asks for the word that was corrected."""
    item = disputed_first(crew)
    send(
        crew,
        item,
        form(
            crew,
            item,
            word_1="SOUND_TYPE",
            word_3="WHEN",
            word_4="O",
            every="1",
            word_5="O",
            word_6="O",
        ),
    )
    assert Gold.objects.get().labels[1] == "SOUND_TYPE"
    html = opened(crew, item)
    assert re.findall(r"<legend>([^<]*)</legend>", html) == ["dog", "twice", "in the distance"]
    assert re.search(r'<option value="SOUND_TYPE"[^>]*selected', html)
    send(crew, item, form(crew, item, word_3="HOW", word_4="O"))
    assert Gold.objects.get().labels[1:4] == ["SOUND_TYPE", "HOW", "HOW"]


def test_words_asked_for_apart_are_read_apart(crew: Crew) -> None:
    """Sent as the page has them: "in the" and "distance", chosen apart before."""
    item = disputed_first(crew)
    send(
        crew,
        item,
        form(crew, item, word_3="WHEN", word_4="O", word_5="O", word_6="WHERE", split="1"),
    )
    send(crew, item, form(crew, item, word_3="HOW", word_4="O", word_6="WHERE"))
    assert Gold.objects.get().labels[3:] == ["HOW", "O", "O", "WHERE"]


def test_what_all_agree_on_is_reopened_with_a_reason_and_waits(crew: Crew) -> None:
    item = agreed_second(crew)
    client = crew.client(crew.judge)
    client.post(address(crew, "adjudicate-start"))
    data = form(crew, item, reason="Is rain a what?")
    client.post(address(crew, "adjudicate-reopen", item), data)
    assert not Gold.objects.exists()
    client.post(address(crew, "adjudicate-start"))
    assert not Gold.objects.exists()
    main = text(client.get(address(crew, "adjudicate")).content)
    assert "Taken back" in main
    main = text(opened(crew, item).encode())
    assert (
        "was taken back. It now waits for a new decision, although all of its annotators "
        "agree" in main
    )
    assert f"Taken back by {crew.judge.username}" in main
    assert "Why: Is rain a what?" in main
    assert send(crew, item, form(crew, item, every="1")).status_code == 302
    assert Gold.objects.get().labels[1] == "WHAT"


def test_a_decision_that_somebody_replaced_meanwhile_is_not_taken_back(crew: Crew) -> None:
    item = disputed_first(crew)
    send(crew, item, form(crew, item, word_3="WHEN", word_4="WHERE"))
    stale = form(crew, item, reason="Both fit.")
    send(crew, item, form(crew, item, word_3="HOW", word_4="WHERE"), crew.manager)
    client = crew.client(crew.judge)
    response = client.post(address(crew, "adjudicate-reopen", item), stale)
    assert response.status_code == 409
    assert 'value="Both fit."' in response.content.decode()
    assert Gold.objects.get().labels[3] == "HOW"


def test_a_caption_of_one_person_is_corrected_and_reopened_on_its_page(crew: Crew) -> None:
    project = make_project(crew.manager, copies=1)
    item = project.items.all()[0]
    label(item, crew.ann, (1, 1, "WHO"))
    client = crew.client(crew.manager)
    page = reverse("annotation:adjudicate-item", args=[project.slug, item.pk])
    assert "<fieldset" not in client.get(page).content.decode()
    client.post(reverse("annotation:adjudicate-single", args=[project.slug]))
    html = client.get(page).content.decode()
    assert html.count("<fieldset") == 7
    assert "Reason for taking the decision back" in html
    seen = cases_of(project, [item.pk])[0].stamp
    settle = reverse("annotation:adjudicate-settle", args=[project.slug, item.pk])
    client.post(settle, {"seen": seen, "every": "1", "word-1": "other", "other-1": "WHAT"})
    assert [row["how"] for row in Gold.objects.get().provenance[:3]] == [
        "single",
        "chosen",
        "single",
    ]
    assert Gold.objects.get().labels[1] == "WHAT"
    seen = cases_of(project, [item.pk])[0].stamp
    reopen = reverse("annotation:adjudicate-reopen", args=[project.slug, item.pk])
    client.post(reopen, {"seen": seen})
    assert not Gold.objects.exists()
    assert client.get(page).content.decode().count("<fieldset") == 7
