"""DocBin, Hugging Face and CSV: the same words and labels, whatever the text."""

import json
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from annotation.formats import docbin, table, word_labels
from annotation.formats.export_rows import ExportRow
from annotation.formats.records import Record, SkippedLine
from annotation.spans import labels_of_words
from tests.annotation.generated_captions import LABELS, work, works

pytestmark = pytest.mark.one_database

NESTED = work("a big dog barks twice", (0, 2, "WHO"), (1, 1, "HOW"), (3, 3, "HOW"), (4, 4, "HOW"))


def documents(made: list[ExportRow]) -> list[Doc]:
    packed = DocBin(store_user_data=True).from_bytes(b"".join(docbin.write(made)))
    # An empty vocabulary: every string is told by the file.
    return list(packed.get_docs(Vocab()))


@settings(max_examples=50)
@given(st.lists(works(), min_size=1, max_size=3))
def test_docbin_gives_text_spans_and_words_back(made: list[ExportRow]) -> None:
    for doc, one in zip(documents(made), made, strict=True):
        assert doc.text == one.text
        assert doc.user_data["annotator"] == one.annotator
        assert [(span.start_char, span.end_char, span.label_) for span in doc.spans["sc"]] == [
            (span["start"], span["end"], span["label"]) for span in one.spans
        ]
        by_start = {token.idx: token for token in doc}
        labels = [by_start[token["start"]].ent_type_ or "O" for token in one.tokens]
        assert labels == labels_of_words(one.spans, len(one.tokens))


def test_docbin_keeps_all_spans_and_makes_entities_of_what_does_not_overlap() -> None:
    (doc,) = documents([NESTED])
    assert len(doc.spans["sc"]) == 4
    assert [(entity.text, entity.label_) for entity in doc.ents] == [
        ("a", "WHO"),
        ("big", "HOW"),
        ("dog", "WHO"),
        ("barks", "HOW"),
        ("twice", "HOW"),
    ]


@given(works())
def test_hugging_face_lines_have_words_labels_and_ids(made: ExportRow) -> None:
    (line,) = word_labels.write_json_lines([made], LABELS)
    row = json.loads(line)
    assert row["text"] == made.text
    assert row["tokens"] == [token["text"] for token in made.tokens]
    assert row["labels"] == labels_of_words(made.spans, len(made.tokens))
    assert [("O", *LABELS)[number] for number in row["label_ids"]] == row["labels"]


def rows(text: str) -> list[Record | SkippedLine]:
    return list(table.read(BytesIO(text.encode())))


def test_a_table_has_captions_and_what_tells_of_them() -> None:
    found = rows("file_name,caption_1,caption_2\ndog.wav,a dog barks,\n\n cat.wav,miaow,purr\n")
    assert [(one.line, one.text, one.meta) for one in found if isinstance(one, Record)] == [
        (2, "a dog barks", {"file_name": "dog.wav"}),
        (4, "miaow", {"file_name": " cat.wav"}),
        (4, "purr", {"file_name": " cat.wav"}),
    ]


def test_a_table_may_be_cut_by_semicolons_and_tabs_and_begin_with_a_mark() -> None:
    for mark in (";", "\t"):
        (found,) = rows(f"\ufefftext{mark}source\na dog, barking{mark}x\n")
        assert isinstance(found, Record)
        assert (found.text, found.meta) == ("a dog, barking", {"source": "x"})


def test_what_is_wrong_with_a_table_is_told() -> None:
    found = rows("file,words\nx,y\n") + rows('text,source\na dog,x,y\n"two\ncats",x\n,x\n')
    assert [str(one) for one in found if isinstance(one, SkippedLine)] == [
        (
            "Line 1: The header has no column with captions. Choose the column, or call it "
            "text or caption, or caption_1, caption_2 and so on. Found: file,words"
        ),
        (
            "Line 2: The row has 3 fields, but the header has 2. Put captions that contain "
            "commas in double quotes. Found: a dog,x,y"
        ),
        "Line 5: The text is empty. Leave the record out.",
    ]
    assert [one.line for one in found if isinstance(one, Record)] == [3]


def test_a_table_that_is_no_text_is_told() -> None:
    found, bad = table.read(BytesIO(b"text\n\xff\xfe\ntwo\n"))
    assert isinstance(found, Record)
    assert (found.line, found.text) == (3, "two")
    assert isinstance(bad, SkippedLine)
    assert (bad.line, bad.value) == (2, "\xff\xfe")
    assert "is not UTF-8" in bad.why
