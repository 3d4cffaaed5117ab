"""Labels from elsewhere: earlier versions, published schemes, other projects, files."""

import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.formats.scheme_file import SchemeFileFault, read_scheme, write_scheme
from annotation.models import Annotation
from annotation.services.projects import member_add
from tests.annotation.conftest import Crew, make_project
from tests.annotation.labelled import label
from tests.annotation.schemes.scheme_page import SchemePage, fields_of

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_what_is_downloaded_is_read_as_it_was(crew: Crew, kind: str) -> None:
    page = SchemePage(crew)
    response = page.client.get(f"{page.path}file/?format={kind}")
    assert response["Content-Disposition"] == f'attachment; filename="aces-13-1.{kind}"'
    told = read_scheme(response.content)
    assert told.labels == crew.project.scheme.inventory
    assert (told.title, told.summary) == (crew.project.scheme.title, crew.project.scheme.summary)


@pytest.mark.parametrize(
    ("line", "changed", "message"),
    [
        (
            "  key: t",
            "  key: a",
            'Line 17, key: "a" is the key of "Accept" on the labelling page. Choose another for',
        ),
        ("  tone: 2", "  tone: red", 'Line 18: tone "red" is not a colour. Write a number from 0'),
        ("  tone: 2", "  hue: 2", 'Line 18: a label has no "hue". It has: name, title'),
        ("  title: What", "  title: Who", 'Line 16, title: "Who" is too similar to that of "WHO"'),
        ("  title: What", "  title: [", "this is neither JSON nor YAML"),
    ],
)
def test_a_fault_of_a_file_names_line_value_and_fix(
    crew: Crew, line: str, changed: str, message: str
) -> None:
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
    assert "Nothing holds before" in text
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


def test_what_is_wrong_with_a_file_is_listed(crew: Crew) -> None:
    file = SimpleUploadedFile("x.yaml", b"labels:\n- name: <b>\n  tone: 1\n")
    status, text, _ = start(SchemePage(crew), file=file)
    assert status == 422
    assert "Line 2, name: &quot;&lt;b&gt;&quot; cannot be used as a name in files" in text
    assert start(SchemePage(crew))[:1] == (422,)


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
    page.publish(
        **{f"{page.row('WHEN')}fate": "into:HOW", f"{page.row('WHO')}name": "BEING"},
    )
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


def test_before_anybody_labelled_what_a_start_lacks_is_removed_unasked(crew: Crew) -> None:
    """Who begins with no labels would open and answer one after another, for nothing."""
    page = SchemePage(crew)
    _, text, fields = start(page, source="empty")
    assert "Merge or remove it" not in text
    assert fields["title"] == crew.project.name
    added = {"name": "BEING", "title": "Being", "place": "1", "tone": "1"}
    sent = fields | {f"label-{fields['rows']}-{key}": value for key, value in added.items()}
    sent["rows"] = str(int(fields["rows"]) + 1)
    assert page.client.post(page.path, sent | {"publish": "yes"}).status_code == 302
    crew.project.refresh_from_db()
    assert crew.project.scheme.names == ("BEING",)
