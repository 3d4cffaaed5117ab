"""Plain texts and tables with labels: by page, API and command, whatever their cells hold."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from annotation.formats import docbin, plain_text, prodigy, table, word_labels
from annotation.formats.records import ExportRow, Record, SkippedLine
from annotation.formats.table import TableColumns
from annotation.models import Import
from annotation.spans import labels_of_words
from leaderboard.web.csv_cells import without_formula
from tests.annotation.conftest import Crew
from tests.annotation.formats.test_exports import bring
from tests.annotation.formats.test_import_pages import decide, see
from tests.annotation.generated_captions import LABELS, works
from tests.annotation.projects.manage_page import post
from tests.leaderboard.challenges.test_commands import run

LINES = 'text,note\na dog,"x"\n{"text": "a cat"}\n'


def taken(found: Any) -> list[Record]:
    return [one for one in found if isinstance(one, Record)]


def told(found: Any) -> list[str]:
    return [str(one) for one in found if isinstance(one, SkippedLine)]


def of_table(text: str, columns: TableColumns = table.BY_HEADER) -> list[Record | SkippedLine]:
    return list(table.read(BytesIO(text.encode()), columns))


def test_a_text_has_a_caption_on_each_line_with_its_spaces() -> None:
    found = list(plain_text.read(BytesIO("\ufeffa dog\r\n\n cat, \rrain".encode())))
    assert [(one.line, one.text, one.spans) for one in taken(found)] == [
        (1, "a dog", None),
        (3, " cat, ", None),
        (4, "rain", None),
    ]


def test_lines_of_a_text_that_cannot_be_taken_are_told_and_the_others_come_in() -> None:
    data = b"one\n\xff\xfe\ntwo\n" + b"x" * 5001 + b"\nthree\0\nfour"
    found = list(plain_text.read(BytesIO(data)))
    assert [one.text for one in taken(found)] == ["one", "two", "four"]
    faults = [one for one in found if isinstance(one, SkippedLine)]
    assert sorted(one.line for one in faults) == [2, 4, 5]
    assert all(one.value for one in faults)
    found, bad = table.read(BytesIO(b"text\n\xff\xfe\ntwo\n"))  # type: ignore[assignment]
    assert [one.text for one in taken([found])] == ["two"]
    assert "is not UTF-8" in told([bad])[0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (LINES.encode("utf-16"), "is encoded as UTF-16. Save the file as UTF-8"),
        (LINES.encode("utf-16-le"), "is encoded as UTF-16. Save the file as UTF-8"),
        (b"PK\x03\x04..." + LINES.encode(), "is a zip archive"),
    ],
)
def test_what_is_no_text_is_refused_whole_with_what_to_do(data: bytes, said: str) -> None:
    for read in (plain_text.read, table.read, prodigy.read):
        (one,) = read(BytesIO(data))
        assert isinstance(one, SkippedLine)
        assert said in str(one)


@pytest.mark.parametrize("data", [b" \n", b"\xff\n" * 1001 + b"a dog", b"rain\0\n" * 1001])
def test_nothing_is_taken_of_a_text_whose_faults_are_not_all_told(data: bytes) -> None:
    for read in (plain_text.read, table.read):
        assert taken(read(BytesIO(b"text\n" * bool(data.strip()) + data))) == []


def test_a_row_with_spans_is_work_and_one_without_a_caption() -> None:
    found = of_table(
        "text,spans,annotator,source\n"
        'a dog,"[{""start"":2,""end"":5,""label"":""WHO""}]",ann,x\n'
        "a cat,,,x\n"
        "rain,[],,\n"
    )
    assert [
        (one.text, one.spans and [span["label"] for span in one.spans], one.person, one.meta)
        for one in taken(found)
    ] == [
        ("a dog", ["WHO"], "ann", {"source": "x"}),
        ("a cat", None, "", {"source": "x"}),
        ("rain", [], "", {"source": ""}),
    ]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("a dog,[,,,", "Line 2: The cell spans is not valid JSON. Write a list of spans in JSON"),
        ("a dog,{},,,", "The cell spans is not a list of spans."),
        ("a dog,[],maybe,,", "There is no such answer. Choose from: accept"),
        (
            "a dog,[],,[[0]],",
            "The tokens are not pairs of character positions. Write pairs such as [[0, 1], [2, 5]]",
        ),
        ('a dog,[],,"[[0,9]]",', "Token 0 is outside the text"),
        ('a dog,[],,,"{""a"":""\\u0000""}"', "It contains the character NUL."),
        ("a dog,[],,,5", "The cell meta is not an object."),
        ("a dog,[", "The row has 2 fields, but the header has 5."),
        ("a dog,[" + "[" * 100_000 + ",,,", "not valid JSON"),
    ],
)
def test_what_is_wrong_with_a_row_of_labels_is_told(cells: str, said: str) -> None:
    found = of_table(f"text,spans,answer,tokens,meta\n{cells}\nwind,[],accept,,\n")
    assert [one.text for one in taken(found)] == ["wind"]
    assert any(said in fault for fault in told(found)), told(found)


def test_too_many_columns_and_several_captions_with_spans_are_refused() -> None:
    (many,) = told(of_table("text" + ",x" * table.MOST_COLUMNS + "\n"))
    assert "501 columns" in many
    (two,) = told(of_table("caption_1,caption_2,spans\na,b,[]\n"))
    assert "must have exactly one column with captions" in two


def test_a_file_of_faults_is_read_up_to_so_many() -> None:
    found = of_table("text,b\n" + '"x"y,z\n' * 6000 + "a dog,z\n")
    assert taken(found) == []
    assert len(told(found)) == 5001


cells = st.text(
    st.sampled_from("=+-@'; \t\r\n,\"ab\uff1d") | st.characters(exclude_categories=["Cs"])
)


@given(cells)
def test_no_cell_is_a_formula_and_each_is_read_as_it_was(text: str) -> None:
    assert table.unmarked(table.marked(text)) == text
    assert without_formula(table.marked(text)) == table.marked(text)


@given(st.lists(works(), max_size=4))
def test_a_table_gives_back_all_that_was_written(made: list[ExportRow]) -> None:
    found = of_table("".join(table.write(made)))
    assert told(found) == []
    for one, row in zip(taken(found), made, strict=True):
        assert (one.text, one.spans, one.tokens) == (row.text, row.spans, row.tokens)
        assert (one.answer, one.person, one.meta) == (row.answer, row.annotator, row.meta)
        assert (one.flagged, one.comment, one.at) == (row.flagged, row.comment, row.at)


def test_the_columns_of_a_table_are_chosen_on_its_page(crew: Crew) -> None:
    file = SimpleUploadedFile("x.csv", b"<b>,words,words\ndog.wav,one dog,x\n")
    address = post(crew, "captions/", {"file": file})["Location"]
    assert "The header has no column with captions. Choose the column" in see(crew, address)
    assert decide(crew, address, **{"column-caption": "7"}).status_code == 422
    chosen = {"column-caption": "1", "column-sound": "0"}
    assert decide(crew, address, look="yes", **chosen).status_code == 302
    html = crew.client(crew.manager).get(address).content.decode()
    assert "<b>," not in html
    assert '<option value="1" selected>words' in html
    decide(crew, address, **{"import": "yes"}, **chosen)
    assert crew.project.items.get(text="one dog").meta["file_name"] == "dog.wav"
    assert Import.objects.get().chosen["columns"] == {"caption": "words", "sound": "<b>"}


def test_api_and_command_take_texts_and_columns(crew: Crew, tmp_path: Any) -> None:
    client = crew.client(crew.manager)
    assert bring(client, crew, b"one cat\ntwo cats", "x.txt").json()["captions"] == 2
    told = {"text_column": "words", "sound_column": "wav"}
    assert bring(client, crew, b"wav,words\na.wav,a cow\n", "x.csv", **told).json()["captions"] == 1
    file = tmp_path / "x.tsv"
    file.write_text("wav\twords\nb.wav\ta crow\n")
    arguments = [file, "--project", crew.project.slug]
    out, err = run("import_annotations", *arguments)
    assert "1 left out" in out
    assert "The header has no column with captions." in err
    out, _ = run("import_annotations", *arguments, "--text-column=words", "--sound-column=wav")
    assert "1 caption and 0 annotations added" in out
    metas = crew.project.items.exclude(meta={}).order_by("pk").values_list("meta", flat=True)
    assert [meta["file_name"] for meta in metas] == ["a.wav", "b.wav"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ({"label": [[2, 5, "WHO"]]}, "label"),
        ({"entities": [{"start_offset": 2, "end_offset": 5, "label": "WHO"}]}, "entities"),
        ({"annotations": [{"result": [{"value": {"start": 2, "labels": ["X"]}}]}]}, "annotations"),
        ({"result": [{"value": {"start": 2, "labels": ["X"]}, "type": "labels"}]}, "result"),
        ({"mine": {"by": [{"begin": 2, "end": 5, "tag": "WHO"}]}}, "mine"),
        ({"ner_tags": [0, 3]}, "ner_tags"),
        ({"tags": ["X", "Y"], "spans": []}, "tags"),
        ({"whatever": ["O", "B-WHO"], "meta": {}}, "whatever"),
        ({"tokens": ["a", "dog"], "labels": ["O", "O"], "ner": [[2, 5, "WHO"]]}, "ner"),
    ],
)
def test_what_looks_like_labels_and_is_not_read_is_named(line: dict[str, Any], key: str) -> None:
    (found,) = prodigy.read(BytesIO(json.dumps({"text": "a dog", **line}).encode()))
    assert taken([found])[0].unread == [key]
    value = json.dumps(line[key]).replace('"', '""')
    if "tokens" not in line:
        (row,) = of_table(f'text,{key}\na dog,"{value}"\n')
        assert taken([row])[0].unread == [key]


def test_what_is_no_label_is_not_warned_of() -> None:
    plain = {"keywords": ["dog", "park", "rain"], "label": "dog", "sizes": [[1, 2], [3, 4]]}
    kept = {"_input_hash": 5, "meta": {"start": 2}, "tags": ["dog"], "clip": {"start": 2, "end": 5}}
    for line in (plain, kept, {"tokens": ["a", "dog"], "labels": ["O", "O"], "label_ids": [0, 0]}):
        (found,) = prodigy.read(BytesIO(json.dumps({"text": "a dog", **line}).encode()))
        assert taken([found])[0].unread == []


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


@given(works())
def test_hugging_face_lines_have_words_labels_and_ids(made: ExportRow) -> None:
    (line,) = word_labels.write_json_lines([made], LABELS)
    row = json.loads(line)
    assert row["text"] == made.text
    assert row["tokens"] == [token["text"] for token in made.tokens]
    assert row["labels"] == labels_of_words(made.spans, len(made.tokens))
    assert [("O", *LABELS)[number] for number in row["label_ids"]] == row["labels"]


def test_a_table_has_captions_and_what_tells_of_them() -> None:
    found = of_table("file_name,caption_1,caption_2\ndog.wav,a dog barks,\n\n cat.wav,miaow,purr\n")
    assert [(one.line, one.text, one.meta) for one in found if isinstance(one, Record)] == [
        (2, "a dog barks", {"file_name": "dog.wav"}),
        (4, "miaow", {"file_name": " cat.wav"}),
        (4, "purr", {"file_name": " cat.wav"}),
    ]


def test_a_table_may_be_cut_by_semicolons_and_tabs_and_begin_with_a_mark() -> None:
    for mark in (";", "\t"):
        (found,) = of_table(f"\ufefftext{mark}source\na dog, barking{mark}x\n")
        assert isinstance(found, Record)
        assert (found.text, found.meta) == ("a dog, barking", {"source": "x"})


def test_what_is_wrong_with_a_table_is_told() -> None:
    found = of_table("file,words\nx,y\n") + of_table('text,source\na dog,x,y\n"two\ncats",x\n,x\n')
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
