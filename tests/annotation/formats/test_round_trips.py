"""Every file that a project gives comes into an empty project and comes out of it the same."""

import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from srsly import msgpack  # type: ignore[import-untyped]

from annotation.formats import docbin
from annotation.formats.records import ExportRow, Record, SkippedLine
from annotation.models import Annotation, Gold, Project
from annotation.selectors.formats import ALL, FORMATS, GOLD, ExportSelection, download_of
from annotation.services.formats.imports import ImportReport, file_read, records_import
from annotation.spans import span_of
from tests.annotation.conftest import NOW
from tests.annotation.formats.test_imports import project_of
from tests.annotation.generated_captions import work, works


def file_of(project: Project, name: str, who: str = ALL) -> tuple[str, bytes]:
    download = download_of(project, name, ExportSelection(who, "any"))
    return download.name, b"".join(download.pieces)


def brought(project: Project, name: str, data: bytes) -> ImportReport:
    return records_import(project=project, records=file_read(BytesIO(data), name), now=NOW)


def copied(name: str, data: bytes, slug: str) -> Project:
    """An empty project into which a file was brought."""
    project = project_of("aces-13", slug)
    report = brought(project, name, data)
    assert report.left_out == 0, report.skipped
    return project


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@st.composite
def answers(draw: st.DrawFn) -> list[Record]:
    """Answers of several people to some captions, texts that recur among them."""
    found: dict[tuple[str, str], Record] = {}
    captions = draw(st.lists(works(), min_size=1, max_size=3))
    for number, one in enumerate([*captions, *captions[:1]]):
        for person in draw(st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3)):
            drawn = draw(works())
            spans = one.spans if draw(st.booleans()) else edges(one, draw)
            found[f"{one.text}{number}", person] = Record(
                line=number + 1,
                text=one.text,
                tokens=one.tokens,
                meta={"source": draw(st.sampled_from(["x", "y;=z"])), "index": number},
                spans=spans,
                answer=drawn.answer,
                person=person,
                at=drawn.at,
                flagged=drawn.flagged,
                comment=drawn.comment,
            )
    return list(found.values())


PEOPLE = ["ann", "Ann", "böb", "=a/../b", "日本 -1", "ann-2"]


def edges(one: ExportRow, draw: st.DrawFn) -> list[dict[str, Any]]:
    """Spans of one word that stand side by side with one label."""
    last = draw(st.integers(0, len(one.tokens) - 1))
    return [span_of(n, n, "HOW", one.tokens) for n in range(last + 1)]


def plain(rows: bytes) -> list[dict[str, Any]]:
    """Lines for Hugging Face without the numbers of their captions."""
    return [{**json.loads(line), "id": None} for line in rows.splitlines()]


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(answers())
def test_every_format_comes_back_the_same(db: None, made: list[Record]) -> None:
    with taken_back():
        first = project_of("aces-13", "first")
        records_import(project=first, records=iter(made), now=NOW)
        for name in FORMATS:
            file_name, data = file_of(first, name)
            second = copied(file_name, data, f"second-{name}")
            _, again = file_of(second, name)
            if name == "hf":
                assert plain(again) == plain(data)
                third = copied(file_name, again, "third")
                assert file_of(third, name)[1] == again
            else:
                assert again == data, name
            # And the same file again changes nothing.
            counts = Annotation.objects.filter(item__project=second).count()
            report = brought(second, file_name, data)
            assert (report.captions, report.annotations, report.unchanged) == (0, 0, counts)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_settled_comes_into_another_project_as_work_of_a_member(
    db: None, name: str
) -> None:
    first = project_of("aces-13", "first")
    one = work("a dog barks", (1, 1, "WHO"))
    records_import(
        project=first,
        records=iter(
            [Record(1, one.text, one.tokens, one.meta, one.spans, person="ann", at=one.at)]
        ),
        now=NOW,
    )
    Gold.objects.create(
        item=first.items.get(),
        labels=["O", "WHO", "HOW"],
        spans=[span_of(1, 1, "WHO", one.tokens), span_of(2, 2, "HOW", one.tokens)],
        provenance=[],
        settled_at=NOW,
    )
    file_name, data = file_of(first, name, who=GOLD)
    second = copied(file_name, data, "second")
    row = Annotation.objects.get(item__project=second)
    assert [span["label"] for span in row.spans] == ["WHO", "HOW"]
    assert second.members.get().name in ("gold (file)", "first-gold")


def test_a_published_file_comes_out_as_it_was_and_goes_through_csv(
    db: None, shared_data: Path
) -> None:
    """That of thirteen labels goes in and out by the commands."""
    name = "aces_10_labels.jsonl"
    lines = (shared_data / "descriptors" / name).read_bytes().splitlines(keepends=True)
    data, first = b"".join(lines[:300]), project_of("aces-10", "first")
    brought(first, name, data)
    assert file_of(first, "prodigy")[1] == data
    file_name, out = file_of(first, "csv")
    second = project_of("aces-10", "second")
    assert brought(second, file_name, out).left_out == 0
    assert file_of(second, "csv")[1] == out


def rows(name: str, data: bytes) -> list[Record | SkippedLine]:
    return list(file_read(BytesIO(data), name))


def told(name: str, data: bytes) -> list[str]:
    return [str(one) for one in rows(name, data) if isinstance(one, SkippedLine)]


def test_lines_for_hugging_face_are_told_where_they_do_not_fit() -> None:
    for row, said in (
        (
            {"text": "a dog", "tokens": ["a", "dog"], "labels": ["O"]},
            "It has 2 words but 1 labels.",
        ),
        ({"text": "a cat", "tokens": ["dog"], "labels": ["O"]}, "A word is not in"),
    ):
        assert said in told("x.jsonl", json.dumps(row).encode())[0]


def packed(**changes: Any) -> bytes:
    made = b"".join(docbin.write([work("a dog barks", (1, 1, "WHO"))]))
    message = msgpack.unpackb(zlib.decompress(made), raw=False)
    return zlib.compress(msgpack.packb({**message, **changes}, use_bin_type=True))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zlib",
        zlib.compress(b"\xc1"),
        packed(lengths=struct.pack("<i", 2**30)),
        packed(attrs=[1]),
        packed(span_groups=[b"\x91"]),
        packed(user_data=[b"\xff" * 9]),
        packed(user_data=[msgpack.packb({"annotator": "\ud800"}, unicode_errors="surrogatepass")]),
        packed(flags=[5]),
    ],
)
def test_a_docbin_that_does_not_fit_is_told_and_breaks_nothing(data: bytes) -> None:
    (fault,) = told("x.spacy", data)
    assert "not a DocBin" in fault or "Document 1" in fault or "surrogate" in fault


def test_a_docbin_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docbin, "LARGEST", 1000)
    (fault,) = told("x.spacy", zlib.compress(b"\0" * 5000))
    assert "not a DocBin" in fault


def test_a_docbin_without_the_group_of_spans_brings_captions(db: None) -> None:
    (found,) = rows("x.spacy", packed(span_groups=[b""]))
    assert isinstance(found, Record)
    assert (found.text, found.spans) == ("a dog barks", None)
