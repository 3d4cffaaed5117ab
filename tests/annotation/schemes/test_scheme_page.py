"""The page of a project's label scheme: what is written becomes the next version."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.formats.scheme_file import SchemeFileFault, read_scheme, write_scheme
from annotation.label_rules import ACTION_KEYS, TONES
from annotation.models import Annotation, KeyChoice, Scheme
from annotation.selectors.schemes import newest_schemes
from annotation.services.projects import member_add
from annotation.services.schemes import keys_choose
from annotation.templatetags.labelling_tags import TONES as NUMBER_OF_TONES
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.labelled import label
from tests.annotation.schemes.scheme_page import SchemePage, fields_of

ROOT = Path(__file__).parents[3]


def test_a_change_is_a_version_of_the_projects_own(crew: Crew) -> None:
    published = crew.project.scheme
    page = SchemePage(crew)
    page.publish(
        title="Our labels",
        label__0__title="Being",
        label__0__key="z",
        label__0__tone="7",
        label__0__guideline="What breathes.",
        label__0__examples="a [man] talks\n\n a [dog]  barks ",
    )
    own = crew.project.scheme
    assert (own.version, own.title, own.published) == (2, "Our labels", False)
    assert own.slug not in {"aces-10", "aces-13"}
    assert (own.previous, own.made_by) == (published, crew.manager)
    first = own.inventory[0]
    assert (first.name, first.title, first.key, first.tone) == ("WHO", "Being", "z", 7)
    assert first.guideline == "What breathes."
    assert first.examples == ("a [man] talks", "a [dog] barks")
    assert own.inventory[1:] == published.inventory[1:]
    published.refresh_from_db()
    assert published.inventory[0].title == "Who"
    told = page.client.get(page.path).content.decode()
    assert "title, key, colour, description, examples changed." in told
    manage = page.client.get(f"/annotate/{crew.project.slug}/manage/").content.decode()
    assert "made version 2 of the labels" in manage


def test_versions_are_of_one_inventory_that_no_other_project_meets_in_the_order_of_places(
    crew: Crew,
) -> None:
    page = SchemePage(crew)
    assert page.send("preview").status_code == 302, "nothing changed"
    assert Scheme.objects.count() == 2
    keys_choose(user=crew.ann, scheme=crew.project.scheme, keys={"label:WHO": "y"}, now=NOW)
    page.publish(label__0__title="Being")
    slug = crew.project.scheme.slug
    page.publish(label__11__place="1", label__0__place="2")
    assert (crew.project.scheme.slug, crew.project.scheme.version) == (slug, 3)
    assert crew.project.scheme.names[:2] == ("OTHER", "WHO")
    assert "The order of the labels changed." in page.client.get(page.path).content.decode()
    assert {scheme.slug for scheme in newest_schemes()} == {"aces-10", "aces-13"}
    kept = KeyChoice.objects.get(user=crew.ann, scheme=crew.project.scheme)
    assert kept.keys == {"label:WHO": "y"}


def test_what_was_changed_meanwhile_is_not_overwritten_and_what_was_written_stays(
    crew: Crew,
) -> None:
    page = SchemePage(crew)
    stale = page.fields()
    page.publish(label__0__title="Being")
    response = page.client.post(page.path, stale | {"publish": "yes", "label-0-title": "Creature"})
    assert response.status_code == 409
    told = response.content.decode()
    assert f"Version 2 was made by {crew.manager.username} in the meantime" in told
    assert "Creature" in told
    crew.project.refresh_from_db()
    assert crew.project.scheme.inventory[0].title == "Being"


def test_what_cannot_stand_is_said_at_its_field_and_loses_nothing(crew: Crew) -> None:
    for field, value, message in (
        (
            *("key", "a"),
            '"a" is the key of "Accept" on the labelling page. Choose another for "Who", or none.',
        ),
        ("key", "y", '"y" is the key of "Play the sound from its start" on the labelling page.'),
        ("key", "!", '"!" is typed by shift and a digit, which stands for a label by its place'),
        ("key", "3", '"3" stands for a label by its place already.'),
        ("key", "W", '"W" is not one character typed without shift.'),
        ("key", "t", '"t" is already the key of "WHAT". Choose another for "Other", or none.'),
        ("title", "what", '"what" is too similar to that of "WHAT".'),
        ("title", "x" * 41, "The title has 41 characters. Shorten it to 40."),
        ("title", "a\u200bb", "has an invisible character"),
        ("guideline", "x" * 1001, "The description has 1,001 characters. Shorten it to 1,000."),
        ("examples", "a man talks", '"a man talks" marks no words.'),
        ("examples", "\n".join(["a [b]"] * 11), "There are 11 examples. Keep at most 10."),
        ("examples", "[x]" * 67, "has 201 characters. Shorten it to 200."),
    ):
        page = SchemePage(crew)
        prefix = "label-11" if message.endswith(('"WHAT".', '"Other", or none.')) else "label-0"
        fields = page.fields() | {f"{prefix}-{field}": value, "label-5-title": "Moment"}
        response = page.client.post(page.path, fields | {"publish": "yes"})
        assert response.status_code == 422
        told = response.content.decode()
        assert message in unescape(told)
        assert "Moment" in told
        assert Scheme.objects.count() == 2


def test_the_keys_of_the_page_are_those_of_its_script() -> None:
    folder = ROOT / "static/js/labelling"
    scripts = [folder / "keys.js", folder / "kinds/label-words/keys.js"]
    text = "".join(script.read_text() for script in scripts)
    keys = set(re.findall(r'\{ id: "[a-z-]+",[^}]*? key: "(.)"', text))
    assert keys - {" "} == set(ACTION_KEYS)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_every_colour_stands_out_from_paper_in_light_and_dark() -> None:
    css = (ROOT / "static/css/tokens.css").read_text()
    colours = re.findall(r"--label-[\w-]+: (#\w{6})", css)
    papers = re.findall(r"--paper(?:-raised|-sunk)?: (#\w{6})", css)
    assert len(colours) == 2 * len(TONES) == 2 * NUMBER_OF_TONES
    for own, shown in ((colours[:12], papers[:3]), (colours[12:], papers[3:6])):
        for colour in own:
            for paper in shown:
                one, other = sorted((_luminance(colour), _luminance(paper)))
                # WCAG 2.2, 1.4.11: what is no text and has to be made out.
                assert (other + 0.05) / (one + 0.05) >= 3, (colour, paper)


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_what_is_downloaded_is_read_as_it_was(crew: Crew, kind: str) -> None:
    page = SchemePage(crew)
    response = page.client.get(f"{page.path}file/?format={kind}")
    assert response["Content-Disposition"] == f'attachment; filename="aces-13-1.{kind}"'
    scheme = crew.project.scheme
    assert read_scheme(response.content) == (scheme.title, scheme.summary, scheme.inventory)


def test_a_fault_of_a_file_names_line_value_and_fix(crew: Crew) -> None:
    for line, changed, message in (
        (
            "  key: t",
            "  key: a",
            'Line 17, key: "a" is the key of "Accept" on the labelling page. Choose another for',
        ),
        ("  tone: 2", "  tone: red", 'Line 18: tone "red" is not a colour. Write a number from 0'),
        ("  tone: 2", "  hue: 2", 'Line 18: a label has no "hue". It has: name, title'),
        ("  title: What", "  title: Who", 'Line 16, title: "Who" is too similar to that of "WHO"'),
        ("  title: What", "  title: [", "this is neither JSON nor YAML"),
    ):
        text = write_scheme(crew.project.scheme, "yaml")
        rows = text.split("\n")
        at = rows.index("  title: What")
        text = "\n".join(rows[:at]) + "\n" + "\n".join(rows[at:]).replace(line, changed, 1)
        with pytest.raises(SchemeFileFault) as raised:
            read_scheme(text.encode())
        found = " ".join(raised.value.faults)
        assert message.partition(" ")[2].partition(" ")[2] in found or message in found
        assert found.startswith("Line ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "Line 1: this is not UTF-8."),
        (b"", "Line 1: this is not a scheme."),
        (b"{}", "Line 1: there are no labels."),
        (b"[" * 50_000, "neither JSON nor YAML"),
        (b" " * 200_001, "larger than 200 kB"),
        (b'{"labels": [\n\t{"name": "A B", "tone": 1}]}', 'Line 2, name: "A B" cannot be used'),
        (b"labels: [" + b"{name: a}," * 41 + b"]", "Keep at most 40."),
        (b'{"labels": [\n{"name": "\\ud800"}]}', "Line 2: U+D800 cannot be stored."),
        (b'title: "x\\0"', "Line 1: U+0000 cannot be stored."),
        (b"x: &a [*a, *a]", "Line 1: there are no labels."),
    ],
)
def test_what_is_no_scheme_says_so(content: bytes, message: str) -> None:
    with pytest.raises(SchemeFileFault, match=re.escape(message)):
        read_scheme(content)


def start(page: SchemePage, **data: object) -> tuple[int, str, dict[str, str]]:
    response = page.client.post(f"{page.path}start/", data)
    return response.status_code, response.content.decode(), fields_of(response.content)


def test_a_file_comes_into_the_form_and_what_it_lacks_has_to_be_said(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    page = SchemePage(crew)
    told = {"title": "Two", "labels": [{"name": "WHO", "tone": 3}, {"name": "NEW", "tone": 4}]}
    file = SimpleUploadedFile("two.json", json.dumps(told).encode())
    status, text, fields = start(page, file=file)
    assert status == 200
    assert "Nothing changes until" in text
    assert "Merge or remove it" in text
    assert (fields["label-0-was"], fields["label-1-was"], fields["label-1-name"]) == (
        "WHO",
        "",
        "NEW",
    )
    response = page.client.post(page.path, fields | {"preview": "yes"})
    assert response.status_code == 422
    assert "Choose what to do with this label" in response.content.decode()
    fates = {key: "removed" for key in fields if key.endswith("-fate") and not fields[key]}
    sent = fields | fates | {"label-1-fate": "", "publish": "yes", "asks_again": "no"}
    assert page.client.post(page.path, sent).status_code == 302
    crew.project.refresh_from_db()
    assert crew.project.scheme.names == ("WHO", "NEW")
    assert crew.project.scheme.title == "Two"


def test_labels_of_ones_other_projects_are_offered_and_of_nobody_elses(crew: Crew) -> None:
    page = SchemePage(crew)
    page.publish(label__0__title="Being")
    other = make_project(crew.manager)
    page.path = f"/annotate/{other.slug}/scheme/"
    _, _, fields = start(page, source=f"project-{crew.project.pk}")
    assert fields["label-0-title"] == "Being"
    member_add(project=other, user=crew.judge, role="manager")  # type: ignore[arg-type]
    stranger = SchemePage(crew, crew.judge)
    stranger.path = page.path
    assert start(stranger, source=f"project-{crew.project.pk}")[0] == 422
    assert start(stranger, source="empty")[0] == 200


def test_going_back_brings_labels_of_answers_back_as_they_were_given(crew: Crew) -> None:
    first = crew.project.scheme
    label(crew.items[0], crew.ann, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHEN"))
    page = SchemePage(crew)
    page.publish(**{f"{page.row('WHEN')}fate": "into:HOW", f"{page.row('WHO')}name": "BEING"})
    assert [span["label"] for span in Annotation.objects.get().spans] == ["BEING", "HOW", "HOW"]
    fields = page.fields(f"?version={first.pk}")
    response = page.client.post(page.path, fields | {"preview": "yes"})
    assert '"BEING" was renamed to "WHO".' in unescape(response.content.decode())
    assert page.client.post(page.path, fields | {"publish": "yes"}).status_code == 302
    crew.project.refresh_from_db()
    assert crew.project.scheme.version == 3
    assert crew.project.scheme.restores == first
    assert crew.project.scheme.inventory == first.inventory
    assert [span["label"] for span in Annotation.objects.get().spans] == ["WHO", "HOW", "WHEN"]
