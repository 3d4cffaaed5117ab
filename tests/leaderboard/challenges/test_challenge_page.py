"""A challenge's page: its text made safe, its phases and their rules."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from leaderboard.models import AudioFile, Counting
from leaderboard.selectors.organising.challenges import timeline_of
from leaderboard.templatetags import prose
from leaderboard.templatetags.prose import LONGEST_HTML, markdown
from tests.factories import PhaseFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def url(cast: Cast) -> str:
    return reverse("leaderboard:challenge", args=[cast.phase.challenge.slug])


def test_shows_phase_rules_leader_and_the_way_in(cast: Cast) -> None:
    cast.rules(counting=Counting.CHOSEN, quota_per_day=3, quota_total=10)
    scored(cast.phase, cast.team, "Ahead", 0.25)
    response = cast.client(None).get(url(cast))
    seen = text(response.content)
    assert f"1 Ahead {cast.team.name} 0.250 0.250 to 0.250" in seen
    assert (
        "the one that the team chooses 3 a day, 10 in total "
        "Daily and total limits are shared by all teams that one person made." in seen
    )
    submit = cast.at("submission-create")
    assert f'href="{submit}"' in response.content.decode()


def test_an_example_is_heard_with_its_captions_where_clips_may_be_seen(cast: Cast) -> None:
    references = cast.phase.reference_set
    assert references is not None
    AudioFile.objects.create(reference_set=references, position=1, sha256="0" * 64, size=1)
    seen = cast.client(None).get(url(cast)).content
    assert f'src="/audio/{references.pk}/2/"' in seen.decode()
    assert references.read().clips[1].references[0] in text(seen)
    cast.rules(references_public=False)
    hidden = cast.client(None).get(url(cast)).content
    assert b"<audio" not in hidden
    assert references.read().clips[1].references[0] not in text(hidden)


def test_a_phase_without_references_takes_nothing(cast: Cast) -> None:
    cast.rules(reference_set=None)
    response = cast.client(None).get(url(cast))
    assert "Not ready" in text(response.content)
    assert "submit/" not in response.content.decode()


def test_phases_stand_in_the_organisers_order(cast: Cast) -> None:
    PhaseFactory.create(challenge=cast.phase.challenge, name="Zeroth", position=0)
    cast.rules(position=1, name="Aftermath")
    seen = text(cast.client(None).get(url(cast)).content)
    assert seen.index("Zeroth") < seen.index("Aftermath")


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](https://example.org/pixel.png)",
        "[x](https://example.org \"onmouseover='alert(1)'\"><script>)",
        "<https://example.org/<script>>",
    ],
)
def test_markdown_lets_no_markup_through(hostile: str) -> None:
    html = str(markdown(hostile))
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="data' not in html


def test_markdown_links_vouch_for_nothing_and_headings_fit_the_page() -> None:
    assert markdown("# A\n\n[b](https://example.org)") == (
        '<h3>A</h3>\n<p><a href="https://example.org" rel="nofollow noopener">b</a></p>\n'
    )


def test_headings_of_a_text_that_begins_lower_leave_no_level_out() -> None:
    assert markdown("## A\n### B\n## C") == "<h3>A</h3>\n<h4>B</h4>\n<h3>C</h3>\n"


# Little text that made much HTML: 17 MB, and a second's work for 660 kB.
REPEATED = "[a]: /" + "b" * 10_000 + "\n\n" + "[a]" * 3_300
WIDE = "|" + "a|" * 800 + "\n|" + "-|" * 800 + "\n" + "|\n" * 800


@pytest.mark.parametrize("text", [REPEATED, WIDE])
def test_little_markdown_does_not_become_much_html(text: str) -> None:
    html = markdown(text)
    assert len(html) <= LONGEST_HTML
    assert html.strip()


def test_a_text_that_is_too_much_is_shown_as_it_was_written() -> None:
    html = markdown(f"{REPEATED}<script>")
    assert html.startswith("<pre>[a]: /bbb")
    assert html.endswith("[a]&lt;script&gt;</pre>")


def test_the_same_text_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Rendered *once*, whoever reads it."
    first = markdown(text)
    monkeypatch.setattr(prose, "_rendered", lambda _: pytest.fail("rendered again"))
    assert markdown(text) == first
    assert isinstance(markdown(text), SafeString)


def test_dates_of_phases_stand_in_their_order_with_the_next_marked(cast: Cast) -> None:
    now = timezone.now()
    days = {"Development": (-9, -2), "Evaluation": (-1, 4), "Workshop": (6, None)}
    phases = [
        PhaseFactory.create(
            challenge=cast.phase.challenge,
            name=name,
            opens_at=now + timedelta(days=opens),
            closes_at=None if closes is None else now + timedelta(days=closes),
        )
        for name, (opens, closes) in days.items()
    ]
    events = timeline_of([cast.phase, *reversed(phases)], now)
    names = ("opens", "is_past", "is_next")
    assert [(event["phase"].name, *map(event.get, names)) for event in events] == [
        ("Development", True, True, False),
        ("Development", False, True, False),
        ("Evaluation", True, True, False),
        ("Evaluation", False, False, True),
        ("Workshop", True, False, False),
    ]
    seen = text(cast.client(None).get(url(cast)).content)
    assert "Evaluation closes (next)" in seen


def test_how_to_cite_is_the_organisers_text_or_the_address(cast: Cast) -> None:
    plain = text(cast.client(None).get(url(cast)).content)
    assert "name this challenge with its address" in plain
    page = cast.managed("text")
    client = cast.client(cast.organiser)
    form = client.get(page).context["form"]
    sent = {name: form[name].value() for name in form.fields}
    written = "@misc{sounds, title={<b>Sounds</b>}}"
    assert client.post(page, {**sent, "citation": written}).status_code == 302
    content = cast.client(None).get(url(cast)).content
    assert "@misc{sounds, title={&lt;b&gt;Sounds&lt;/b&gt;}}" in content.decode()
    assert "name this challenge" not in text(content)
