"""Files of the field are read as they are."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import (
    Candidates,
    References,
    candidates_template,
    read_candidates,
    read_references,
    write_candidates_csv,
)
from earmark.captions.corpus import one_reference_against_others
from earmark.pipeline import score_family
from earmark.workspace import Workspace

CLIPS = References.build([("a.wav", ["A one.", "A two."]), ("b.wav", ["B one.", "B two."])])
WANTED = Candidates.single(["first", "second"])


@pytest.fixture(scope="module")
def clotho(shared_data: Path) -> References:
    reading = read_references((shared_data / "clotho/clotho_captions_evaluation.csv").read_bytes())
    assert reading.value is not None
    assert reading.faults == ()
    return reading.value


def test_clotho_evaluation(clotho: References) -> None:
    assert (len(clotho), clotho.counts_label) == (1045, "5")
    assert clotho.clips[0].file_name == "Santa Motor.wav"
    assert clotho.clips[0].references[4] == (
        "While rhythmically punching or stamping, a machine whines and squeals."
    )


@pytest.mark.parametrize("system", ["audiocaption", "dcase2022_baseline", "dcase2023_baseline"])
def test_published_systems_merge_to_one_caption_per_clip(
    clotho: References, shared_data: Path, system: str
) -> None:
    reading = read_candidates((shared_data / f"systems/{system}.csv").read_bytes(), clotho)
    assert reading.value is not None
    assert len(reading.value) == 1045
    # Every clip is there five times: 1,045 x 4 rows too many.
    (warning,) = reading.faults
    assert (warning.severity, warning.line) == ("warning", 3)
    assert warning.message.startswith("4,180 rows ")


def test_captions_stand_with_their_clips(clotho: References, shared_data: Path) -> None:
    data = (shared_data / "systems/audiocaption.csv").read_bytes()
    candidates = read_candidates(data, clotho).value
    assert candidates is not None
    index = clotho.file_names.index("San Francisco Traffic at Powell And O&#39;Farrell.wav")
    assert candidates.first[index] == "music plays as a vehicle passes by"
    plain = data.replace(b"O&#39;Farrell", b"O'Farrell")
    assert read_candidates(plain, clotho).value == candidates


# Clips and references of the files as their README and a spreadsheet count them.
CORPORA = [
    ("clotho/clotho_development.csv.gz", 3839, "5"),
    ("clotho/clotho_validation.csv.gz", 1045, "5"),
    ("audiocaps/test.csv", 975, "5"),
    ("audiocaps/val.csv", 495, "5"),
]


@pytest.mark.parametrize(("path", "clips", "counts"), CORPORA)
def test_reference_corpora(shared_data: Path, path: str, clips: int, counts: str) -> None:
    data = (shared_data / path).read_bytes()
    reading = read_references(gzip.decompress(data) if path.endswith("gz") else data)
    assert reading.value is not None
    assert (len(reading.value), reading.value.counts_label) == (clips, counts)
    assert reading.faults == ()


def test_audiocaps_training_captions_stand_alone(shared_data: Path) -> None:
    data = gzip.decompress((shared_data / "audiocaps/train.csv.gz").read_bytes())
    reading = read_references(data)
    assert reading.value is not None
    assert (len(reading.value), reading.value.counts_label) == (49838, "1")
    assert len(reading.warnings) == 21
    assert reading.warnings[20].message.startswith("49,818 further clips")


SHAPES = {
    "commas": b"file_name,caption_predicted\na.wav,first\nb.wav,second\n",
    "any order": b"file_name,caption_predicted\nb.wav,second\na.wav,first",
    "columns swapped": b"caption_predicted,file_name\nfirst,a.wav\nsecond,b.wav\n",
    "tabs": b"file_name\tcaption_predicted\na.wav\tfirst\nb.wav\tsecond\n",
    "mark and CRLF": b"\xef\xbb\xbffile_name,caption_predicted\r\na.wav,first\r\nb.wav,second\r\n",
    "everything quoted": b'"file_name","caption_predicted"\n"a.wav","first"\n"b.wav", "second"\n',
    "spaces around names": b"file_name, caption_predicted\n a.wav,first\nb.wav ,second\n",
    "blank rows and columns": b"\nfile_name,caption_predicted,,\na.wav,first,,\n,,,\n\n"
    b"b.wav,second\n",
    "one numbered candidate": b"file_name,caption_predicted_1\na.wav,first\nb.wav,second\n",
    "list": b'[{"file_name":"b.wav","caption_predicted":"second"},'
    b'{"file_name":"a.wav","caption_predicted":"first"}]',
    "numbered list": b'[{"file_name":"b.wav","caption_predicted_1":"second"},'
    b'{"file_name":"a.wav","caption_predicted_1":"first","caption_predicted_2":null}]',
    "mapping": b'{"b.wav": "second", "a.wav": ["first"]}',
    "pretty mapping": b'\xef\xbb\xbf{\r\n  "b.wav": "second",\r\n  "a.wav": "first"\r\n}\r\n',
    "JSONL": b'{"file_name":"b.wav","caption_predicted":"second"}\n\n'
    b'{"file_name":"a.wav","caption_predicted":"first"}\n',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_predictions(shape: str) -> None:
    reading = read_candidates(SHAPES[shape], CLIPS)
    assert reading.faults == ()
    assert reading.value == WANTED


def test_one_jsonl_line_is_an_item_and_not_a_mapping() -> None:
    one = References.build([("a.wav", ["x", "y"])])
    data = b'{"file_name": "a.wav", "caption_predicted": "first"}'
    assert read_candidates(data, one).value == Candidates.single(["first"])
    assert read_candidates(b'{"a.wav": "first"}', one).value == Candidates.single(["first"])


def test_several_candidates_may_differ_in_number() -> None:
    csv = b"file_name,caption_predicted_1,caption_predicted_2\na.wav,x,y\nb.wav,z,\n"
    wanted = Candidates((("x", "y"), ("z",)))
    assert read_candidates(csv, CLIPS).value == wanted
    assert read_candidates(b'{"a.wav": ["x", "y"], "b.wav": "z"}', CLIPS).value == wanted


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        (" a.wav", "a.wav"),
        ("a.wav ", "a.wav"),
        ("a.wav", " a.wav "),
        ("O&#39;F.wav", "O'F.wav"),
        ("O'F.wav", "O&#39;F.wav"),
        ("R&amp;B.wav", "R&B.wav"),
        ("caf\u00e9.wav", "cafe\u0301.wav"),
        ("a,b.wav", "a,b.wav"),
    ],
)
def test_names_match_as_they_are_really_written(reference: str, candidate: str) -> None:
    references = References.build([(reference, ["x", "y"])])
    data = f'file_name,caption_predicted\n"{candidate}",first\n'.encode()
    reading = read_candidates(data, references)
    assert reading.faults == ()
    assert reading.value == WANTED.__class__.single(["first"])


TWO = [("a.wav", ["A one.", "A two."]), ("b.wav", ["B one.", "B two."])]
REFERENCE_SHAPES = {
    "clotho": b"file_name,caption_1,caption_2\na.wav,A one.,A two.\nb.wav,B one.,B two.\n",
    "numbers with zeros": b"file_name,caption_reference_02,caption_reference_01\n"
    b"a.wav,A two.,A one.\nb.wav,B two.,B one.\n",
    "audiocaps": b"audiocap_id,youtube_id,start_time,caption\r\n1,a.wav,0,A one.\r\n"
    b"2,b.wav,0,B one.\r\n3,b.wav,0,B two.\r\n4,a.wav,0,A two.\r\n",
    "long": b"fname,raw_text,text\na.wav,A one.,a one\na.wav,A two.,a two\n"
    b"b.wav,B one.,b one\nb.wav,B two.,b two\n",
    "objects": json.dumps([{"file_name": n, "captions": c} for n, c in TWO]).encode(),
    "numbered objects": json.dumps(
        [{"file_name": n, "caption_1": c[0], "caption_2": c[1]} for n, c in TWO]
    ).encode(),
    "mapping": json.dumps(dict(TWO)).encode(),
    "JSONL": "\n".join(json.dumps({"file_name": n, "captions": c}) for n, c in TWO).encode(),
    "long JSONL": "\n".join(
        json.dumps({"youtube_id": n, "caption": text}) for n, c in TWO for text in c
    ).encode(),
}


@pytest.mark.parametrize("shape", REFERENCE_SHAPES)
def test_shapes_of_references(shape: str) -> None:
    reading = read_references(REFERENCE_SHAPES[shape])
    assert reading.faults == ()
    assert reading.value == CLIPS


def test_references_may_differ_in_number_but_not_be_none() -> None:
    data = b"file_name,caption_1,caption_2,caption_3\na.wav,x,,y\nb.wav,z,,\nc.wav,,,\n"
    reading = read_references(data)
    assert reading.value is None
    assert [(fault.line, fault.severity, fault.value) for fault in reading.faults] == [
        (3, "warning", "b.wav"),
        (4, "error", "c.wav"),
    ]
    usable = read_references(data.replace(b"c.wav,,,", b"")).value
    assert usable == References.build([("a.wav", ["x", "y"]), ("b.wav", ["z"])])


def test_references_given_twice() -> None:
    data = REFERENCE_SHAPES["clotho"]
    (fault,) = read_references(data + b"a.wav,A one.,A two.\n").faults
    assert (fault.line, fault.severity) == (4, "warning")
    (fault,) = read_references(data + b"a.wav,Other.,A two.\n").faults
    assert (fault.line, fault.severity) == (4, "error")
    assert 'here: "Other.", there: "A one."' in fault.message


# A references file, and line, severity and words of its only fault.
BROKEN_REFERENCES = [
    (b"file_name,caption_1,caption_2\n,x,y\na.wav,x,y\n", 2, "error", "file name is empty"),
    (b'file_name,caption_1,caption_2\n"a\n.wav",x,y\n', 2, "error", "control character or a line"),
    (b"file_name,caption_1,caption_2\na.wav,x,...\n", 2, "error", "no words"),
    (b"file_name,caption_1,caption_2\na.wav,x\n", 2, "error", "end the row with 1 more comma"),
    (b"file_name,caption_1,caption_3\na.wav,x,y\n", 1, "warning", "with the number 2"),
    (b"file_name,caption_1,caption_2,tags\na.wav,x,y,z\n", 1, "warning", "column is not read"),
    (b"a.wav,x,y\nb.wav,x,y\n", 1, "error", "header is missing"),
    (b"clip,sentence\na.wav,x\na.wav,y\n", 1, "error", 'Rename "clip" to "file_name"'),
    (b"file_name,caption_1\n", None, "error", "file has no rows"),
    (b'[{"file_name": "a.wav"}]', 1, "error", 'no "captions"'),
    (b'[{"file_name": "a.wav", "captions": ["x", "y"], "k": 1}]', 1, "warning", "key is not read"),
    (b'[{"file_name": "a.wav", "captions": "x", "captions": "y"}]', 1, "error", "more than once"),
    (b'[{"file_name": "a.wav", "caption_1": "x", "caption_2": 2}]', 1, "error", "This is a number"),
]


@pytest.mark.parametrize(("data", "line", "severity", "words"), BROKEN_REFERENCES)
def test_broken_references(data: bytes, line: int | None, severity: str, words: str) -> None:
    fault = read_references(data).faults[0]
    assert (fault.line, fault.severity) == (line, severity)
    assert words in fault.message


def test_too_many_references_of_a_clip() -> None:
    data = b"youtube_id,caption\n" + b"a,A dog barks\n" * 101
    (fault,) = read_references(data).faults
    assert fault.message.startswith("The clip has 101 references and the limit is 100.")


def test_two_people_may_write_the_same_caption() -> None:
    data = b"youtube_id,caption\na,A dog barks\na,A dog barks\n"
    assert read_references(data).value == References.build([("a", ["A dog barks"] * 2)])


def test_the_template_only_lacks_captions() -> None:
    assert candidates_template(CLIPS) == "file_name,caption_predicted\na.wav,\nb.wav,\n"
    found = read_candidates(candidates_template(CLIPS).encode(), CLIPS).faults
    assert [(fault.line, fault.column) for fault in found] == [
        (2, "caption_predicted"),
        (3, "caption_predicted"),
    ]


def test_writing_needs_a_caption_per_clip() -> None:
    with pytest.raises(ValueError, match="shorter"):
        write_candidates_csv(Candidates.single(["x"]), CLIPS)


CAPTION = st.text("ab ", min_size=1, max_size=6)
CAPTIONS = st.lists(st.lists(CAPTION, min_size=1, max_size=4), min_size=1, max_size=6)


@given(CAPTIONS, st.integers(0, 5))
def test_nothing_is_lost_and_nothing_added(captions: list[list[str]], seed: int) -> None:
    references = References.build((f"{i}.wav", texts) for i, texts in enumerate(captions))
    plural = [clip for clip in references.clips if len(clip.references) > 1]
    if not plural:
        with pytest.raises(ValueError, match="two references"):
            one_reference_against_others(references, seed=seed)
        return
    said, others = one_reference_against_others(references, seed=seed)
    assert others.file_names == tuple(clip.file_name for clip in plural)
    for clip, caption, left in zip(plural, said.first, others.clips, strict=True):
        assert Counter(clip.references) == Counter([caption, *left.references])


def test_the_draw_depends_on_the_seed_alone() -> None:
    references = References.build((f"{i}.wav", list("abcde")) for i in range(30))
    drawn = [one_reference_against_others(references, seed=seed)[0].first for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) > 1


def test_rarity_is_still_counted_over_all_references() -> None:
    rows = [("a.wav", ["a dog barks", "one dog barks"]), ("b.wav", ["rain falls", "it rains"])]
    whole = References.build([*rows, ("c.wav", ["a dog sleeps"])])
    said, others = one_reference_against_others(whole)
    value = score_family("cider_d", said, others, Workspace())["cider_d"].per_clip[0]
    said, others = one_reference_against_others(References.build(rows))
    assert value != score_family("cider_d", said, others, Workspace())["cider_d"].per_clip[0]
