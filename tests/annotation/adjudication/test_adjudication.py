"""The pages on which captions are settled: who may, what is asked, what is kept."""

import re

from django.http import HttpResponse
from django.urls import reverse

from annotation.models import Gold, Item
from annotation.selectors.adjudication.cases import cases_of
from leaderboard.models import User
from tests.annotation.conftest import Crew
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


def test_only_words_in_dispute_are_asked_for_and_not_who_said_what(crew: Crew) -> None:
    item = disputed_first(crew)
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHEN"), comment="<b>so</b>?")
    html = opened(crew, item)
    assert re.findall(r"<legend>([^<]*)</legend>", html) == ["twice", "in the distance"]
    split = opened(crew, item, query="?split=1")
    assert re.findall(r"<legend>([^<]*)</legend>", split) == ["twice", "in", "the", "distance"]
    for user in (crew.ann, crew.bob):
        assert user.username not in text(html.encode())
    assert "<b>so</b>" not in html
    assert re.search(r"[AB] notes <b>so</b>\?", plain(html))
    # Another label counts without its button, and not against a choice.
    send(crew, item, form(crew, item, other_3="OTHER", word_4="O", other_4="WHO"))
    assert Gold.objects.get().labels[3:] == ["OTHER", "O", "O", "O"]


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


def test_only_sounds_of_this_site_are_played(crew: Crew) -> None:
    for audio, played in (
        ("/media/dog.wav", True),
        ("//evil.example/dog.wav", False),
        ("javascript:alert(1)", False),
    ):
        item = disputed_first(crew)
        item.meta = {"audio": audio}
        item.save()
        assert ("<audio" in opened(crew, item)) is played
