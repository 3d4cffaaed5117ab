"""Every kind of broken predictions file is refused with the exact line and a fix."""

import pytest

from earmark.captions import Fault, Limits, References, read_candidates, read_references
from tests.earmark.predictions import GOOD, HEADER, faults


def with_row(row: str, *, clip: str = "dog.wav") -> str:
    """Replace the row of one clip in the good file; the row of dog.wav is line 2."""
    lines = GOOD.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(clip))
    return "\n".join([*lines[:at], row, *lines[at + 1 :]]) + "\n"


# What is wrong with line 2, the column named, and words that the message must have.
ROWS = [
    ("dog.wav,", "caption_predicted", "caption is empty"),
    ("dog.wav,...", "caption_predicted", "no words"),
    ("dog.wav,a dog\x07", "caption_predicted", "U+0007 at character 6"),
    ("dog.wav,a dog\x92s bark", "caption_predicted", "U+0092"),
    ("dog.wav," + "a" * 1001, "caption_predicted", "1,001 characters and the limit is 1,000"),
    ("dog.wav", None, "1 field and the header has 2. Write a value for caption_predicted"),
    ("dog.wav\ta dog", None, "Separate them by commas"),
    ("dog.wav,a dog, a cat", None, 'in double quotes: dog.wav,"a dog, a cat"'),
    ('dog.wav,"a dog', None, 'never closed. Close it: "a dog"'),
    ('dog.wav,"Woof" it says', None, 'Double the quotes inside a quoted field: """Woof"" it says"'),
]


@pytest.mark.parametrize(("row", "column", "words"), ROWS)
def test_a_broken_row_is_named_by_its_line_and_hides_nothing_else(
    row: str, column: str | None, words: str
) -> None:
    (found,) = faults(with_row(row))
    assert (found.line, found.column, found.severity) == (2, column, "error")
    assert words in found.message
    assert faults(with_row("dog.wav,a dog")) == ()


@pytest.mark.parametrize("caption", ["nan", "None", "NULL", "a <unk> barks", "a dog \ufffd"])
def test_what_an_export_leaves_behind_is_a_warning(caption: str) -> None:
    (found,) = faults(with_row(f"dog.wav,{caption}"))
    assert (found.line, found.column, found.severity) == (2, "caption_predicted", "warning")


# A header, and words that the only message must have.
HEADERS = [
    ("filename,caption\n", 'Rename "filename" to "file_name" and "caption" to "caption_predicted"'),
    ("file_name,caption\n", 'Rename "caption" to "caption_predicted".'),
    ("File_Name,caption_predicted\n", 'Rename "File_Name" to "file_name".'),
    ("", "header is missing. Put this line before the first row: file_name,caption_predicted"),
]


@pytest.mark.parametrize(("header", "words"), HEADERS)
def test_a_wrong_header_is_one_fault_and_the_rows_are_still_checked(
    header: str, words: str
) -> None:
    body = GOOD.removeprefix(HEADER)
    (found,) = faults(header + body)
    assert (found.line, found.severity) == (1, "error")
    assert words in found.message
    assert [fault.line for fault in faults(header + body + "cat.wav,a cat\n")][1:] == [
        1 + len((header + body).splitlines())
    ]


def test_columns_too_many() -> None:
    text = "".join(f"{n},{line}\n" for n, line in enumerate(GOOD.splitlines()))
    (found,) = faults(text.replace("0,file_name", ",file_name"))
    assert (found.line, found.value) == (1, ",file_name,caption_predicted")
    assert "to_csv(..., index=False)" in found.message
    (found,) = faults("file_name,caption_predicted,score\n")[:1]
    assert (found.line, found.column) == (1, "score")


def test_a_references_file_is_recognised() -> None:
    (found,) = faults("file_name,caption_1,caption_2\ndog.wav,a,b\n")
    assert "header of a references file" in found.message
    (found,) = read_references(GOOD.encode()).faults
    assert "header of a predictions file" in found.message


def test_semicolons_are_named_and_read_on() -> None:
    (found,) = faults(
        "file_name;caption_predicted\ndog.wav;a\nRain, far.wav;b\nO'Farrell.wav;c\ntrain.wav;d\n"
    )
    assert (found.line, found.message) == (
        1,
        "The fields are separated by semicolons. Save the file with commas.",
    )


def test_candidate_numbers_must_run_from_one() -> None:
    found = faults("file_name,caption_predicted_1,caption_predicted_3\ndog.wav,a,b\n")
    assert (found[0].line, found[0].column) == (1, "caption_predicted_1")
    assert "no caption column with the number 2" in found[0].message


def test_candidates_may_end_early_but_not_have_a_gap() -> None:
    text = (
        "file_name,caption_predicted_1,caption_predicted_2,caption_predicted_3\n"
        'dog.wav,a,b,c\n"Rain, far.wav",a,,\nO\'Farrell.wav,a,,c\ntrain.wav,,,\n'
    )
    assert [(fault.line, fault.column) for fault in faults(text)] == [
        (4, "caption_predicted_2"),
        (5, "caption_predicted_1"),
    ]
    shorter = text.replace("O'Farrell.wav,a,,c", "O'Farrell.wav,a,b").replace("wav,,,", "wav,a,,")
    (found,) = faults(shorter)
    assert found.line == 4
    assert "end the row with 1 more comma" in found.message


def test_too_many_candidates_are_one_fault_whatever_they_are() -> None:
    (found,) = faults(
        '[{"file_name": "dog.wav", "caption_predicted": ["a", "a", "\\u0001"]},\n'
        ' {"file_name": "Rain, far.wav", "caption_predicted": ["r", "s"]},\n'
        ' {"file_name": "O\'Farrell.wav", "caption_predicted": "r"},\n'
        ' {"file_name": "train.wav", "caption_predicted": "r"}]',
        limits=Limits(max_candidates=2),
    )
    assert (found.line, found.message.split(".")[0]) == (
        1,
        "The clip has 3 candidates and the limit is 2",
    )


def test_identical_rows_merge_with_one_warning() -> None:
    (found,) = faults(GOOD + "dog.wav,a dog\n dog.wav ,a dog \ntrain.wav,a train\n")
    assert (found.line, found.severity) == (6, "warning")
    assert found.message.startswith("3 rows only repeat the clip and the captions")


def test_conflicting_rows_name_both_lines_and_both_captions() -> None:
    (found,) = faults(GOOD + "dog.wav,a cat\n")
    assert found.line == 6
    assert 'different captions: "a dog" in line 2 and "a cat" in line 6' in found.message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dgo.wav", None),
        ("dog", "dog.wav"),
        ("evaluation/DOG.wav", "dog.wav"),
        ("O_Farrel.wav", "O&#39;Farrell.wav"),
        ("whale.wav", None),
    ],
)
def test_an_unknown_clip_is_named_with_the_nearest(name: str, meant: str | None) -> None:
    (found,) = faults(GOOD + f"{name},x\n")
    assert (found.line, found.column, found.value) == (6, "file_name", name)
    fix = f'Did you mean "{meant}"?' if meant else "Remove the row."
    assert found.message == f"No clip of the references has this name. {fix}"


def test_missing_clips_are_listed_up_to_twenty_and_then_counted() -> None:
    many = References.build((f"{n}.wav", ["a", "b"]) for n in range(30))
    found = read_candidates(f"{HEADER}29.wav,x\n".encode(), many).faults
    assert [fault.value for fault in found[:20]] == [f"{n}.wav" for n in range(20)]
    assert found[20].message.startswith("9 further clips without a row.")
    assert len(found) == 21


def test_a_comma_in_a_file_name_is_seen() -> None:
    found = faults(with_row("Rain, far.wav,rain, falling", clip='"Rain'))
    assert [fault.line for fault in found] == [3]
    assert found[0].message.endswith('double quotes: "Rain, far.wav","rain, falling"')
    swapped = "caption_predicted,file_name\na dog, a cat,dog.wav\n"
    assert faults(swapped)[0].message.endswith('double quotes: "a dog, a cat",dog.wav')
    tabs = "file_name\tcaption_predicted\ndog.wav\ta dog\ta cat\n"
    assert "Write no tab inside a caption" in faults(tabs)[0].message
    several = "file_name,caption_predicted_1,caption_predicted_2\ndog.wav,a,b,c\n"
    assert "A caption with a comma must be in double quotes" in faults(several)[0].message


def test_a_clip_twice_is_named_even_where_a_row_is_broken() -> None:
    found = faults(with_row("dog.wav,a, b") + "dog.wav,c\n")
    assert [fault.line for fault in found] == [2, 6]
    assert found[1].message == "This clip is already in line 2. Keep one of the two rows."


def test_a_header_of_hundreds_of_columns_is_refused() -> None:
    (found,) = faults("file_name," + "x," * 500 + "y\n")
    assert "502 columns and the limit is 200" in found.message
    (found, *_) = faults("file_name,caption_predicted,caption_predicted\ndog.wav,a,a\n")
    assert "more than once" in found.message


def test_a_file_for_other_clips_is_called_that() -> None:
    assert "right split" in faults(f"{HEADER}x1.wav,x\nx2.wav,y\n")[2].message


# Files that are wrong as a whole, and words that the first message must have.
FILES: list[tuple[bytes, int | None, str]] = [
    (b"", None, "file is empty"),
    (b" \r\n\n\xef\xbb\xbf", None, "file is empty"),
    (HEADER.encode(), None, "file has no rows"),
    (b"PK\x03\x04....", None, "zip archive"),
    (b"PK\x03\x04......[Content_Types].xml", None, "Excel workbook"),
    (b"\x89PNG....", None, "a picture"),
    (b"RIFF....", None, "a recording"),
    (GOOD.encode("utf-16"), 1, "encoded as UTF-16"),
    (GOOD.encode("utf-16-le"), 1, "encoded as UTF-16"),
    (GOOD.encode("utf-32"), 1, "encoded as UTF-32"),
    (b"just text\n", 1, "header is wrong"),
]


@pytest.mark.parametrize(("data", "line", "words"), FILES)
def test_a_file_wrong_as_a_whole_has_one_fault(data: bytes, line: int | None, words: str) -> None:
    found = faults(data)
    if data.startswith(b" "):
        assert found  # white space and a stray mark: nothing readable, whatever it is called
        return
    (only,) = found
    assert only.line == line
    assert words in only.message


def test_bytes_that_are_not_utf8_are_placed_and_read_on() -> None:
    text = with_row("dog.wav,un café à côté").encode("latin-1") + b"caf\xe9.wav,x\n"
    found = faults(text)
    assert [fault.line for fault in found] == [2, 6, 6]
    assert found[0].message.startswith("Character 15 of this line (byte 0xe9) is not UTF-8")
    assert found[0].value == "dog.wav,un café à côté"


@pytest.mark.parametrize(
    ("file", "cause"),
    [
        (GOOD.replace(".wav", ""), 'The file names lack ".wav". Add it to each of them.'),
        (
            GOOD.replace("\n", "\neval/").removesuffix("eval/").replace('eval/"', '"eval/'),
            'The file names have the folder "eval/" in front. Leave it out.',
        ),
        (
            GOOD.replace("\n", ", b\n").replace("predicted, b", "predicted"),
            "Captions with commas are not in double quotes. Put each of them in double quotes.",
        ),
    ],
)
def test_what_is_wrong_in_every_line_is_told_once(file: str, cause: str) -> None:
    (found,) = faults(file)
    assert (found.line, found.message) == (2, f"{cause} Affected: 4 lines, the first 2, 3 and 4.")


def test_a_thousand_damaged_lines_are_enough() -> None:
    def file(byte: bytes) -> bytes:
        return GOOD.encode() + b"".join(b"dog.wav,a dog" + byte + b"\n" for _ in range(1500))

    known = ("Character", "Lines", "500", "The file seems")
    damaged = [fault for fault in faults(file(b"\0 ")) if fault.message.startswith(known)]
    assert len(damaged) == 1001
    first, rest = (fault for fault in faults(file(b"\xff")) if fault.message.startswith(known))
    assert first.message.endswith("Affected: 1,000 lines, the first 6, 7 and 8.")
    assert rest.message.startswith("Lines after this one are not listed.")


def test_limits_of_bytes_and_rows() -> None:
    (found,) = faults(GOOD, limits=Limits(max_bytes=10))
    assert f"{len(GOOD)} bytes and the limit is 10" in found.message
    (found,) = faults(GOOD, limits=Limits(max_rows=3))
    assert (found.line, "more than 3 rows" in found.message) == (5, True)


def test_line_numbers_count_physical_lines() -> None:
    text = (
        HEADER.replace("\n", "\r\n")
        + '\r\n"Rain, far.wav","rain\r\nfalls\r\non"\r\ndog.wav,\r\n\r\ncat.wav,x\r\n'
        + "train.wav,t\rO'Farrell.wav,?"
    )
    assert [fault.line for fault in faults(text)] == [6, 8, 10]


def test_a_stray_quote_does_not_swallow_the_rows_after_it() -> None:
    found = faults(with_row('dog.wav,"a dog').replace("cars", '"cars, many"'))
    assert [(fault.line, fault.message.split(".")[0]) for fault in found] == [
        (2, "A quote is opened in this line and never closed")
    ]
    # Closed by accident further down: the rows in between would be gone without a word.
    found = faults(GOOD.replace(",cars", ',"cars').replace(",a train", ',a train"'))
    assert found[0].line == 4
    assert "This caption holds 1 row of the file" in found[0].message


def test_a_file_with_many_faults_shows_them_all() -> None:
    names = [f"clip{n:02}.wav" for n in range(24)]
    references = References.build((name, ["a", "b"]) for name in names)
    bodies = [
        *("", " ", "?!", "nan", "a <unk>", "a\x01b", "a" * 1001, "a, b", '"a', '"a" b', "caf\xe9"),
        *("a\0b", "fine", "fine"),
    ]
    rows = [f"{name},{body}" for name, body in zip(names, bodies, strict=False)]
    rows += [
        f"{names[13]},other",  # line 16: conflict
        f"{names[12]},fine",  # line 17: repeat
        ",x",  # line 18: no name
        "clip-14.wav,x",  # line 19: misspelt
        "unknown.wav,x",  # line 20
        names[15],  # line 21: no caption
        f"{names[16]}\tx",  # line 22: tab
        "file_name,caption_predicted",  # line 23: the header again
    ]
    data = ("filename,caption_predicted\n" + "\n".join(rows) + "\n").encode("latin-1")
    reading = read_candidates(data, references)
    lines = [fault.line for fault in reading.faults]
    assert lines[:22] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, *range(16, 24), None]
    # Clips 14 and 17 to 23 have no row that could be read as theirs.
    assert [fault.value for fault in reading.faults[21:]] == [
        names[n] for n in (14, 17, 18, 19, 20, 21, 22, 23)
    ]
    assert len({fault.message for fault in reading.faults[:21]}) >= 19


def test_a_fault_is_one_printable_line() -> None:
    fault = Fault(12, "caption_predicted", "a\nb" + "c" * 100, "Wrong.\nFix it.")
    assert str(fault) == (
        'line 12, column caption_predicted: Wrong.\\nFix it. Found: "a\\nb' + "c" * 75 + '…"'
    )
    assert len(fault.value) == 80
    assert str(Fault(None, None, "", "Empty.")) == "whole file: Empty."
    assert Fault(1, None, "\ud800\0", "x").value.isprintable()
