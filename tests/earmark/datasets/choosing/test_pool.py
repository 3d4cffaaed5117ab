"""Reading a pool: the headers of the field, and every fault by line, value and fix."""

import math

import pytest

from earmark.captions.faults import Fault
from earmark.datasets.choosing import ClipPool, PoolColumns, read_pool


def read(text: str, **columns: str | bool) -> ClipPool:
    reading = read_pool(text.encode(), PoolColumns(**columns))  # type: ignore[arg-type]
    assert reading.faults == ()
    assert reading.pool is not None
    return reading.pool


def faults(text: str, **columns: str | bool) -> list[tuple[int | None, str | None, str]]:
    reading = read_pool(text.encode(), PoolColumns(**columns))  # type: ignore[arg-type]
    return [(fault.line, fault.column, fault.value) for fault in reading.faults]


def test_tags_as_clothos_metadata_has_them() -> None:
    pool = read(
        "file_name,keywords,sound_id,license\n"
        "Door.wav,door;Wood  Creak; hinge ;door,1,CC0\n"
        '"rain, heavy.wav",rain;water,2,CC-BY\n'
    )
    assert [(clip.name, clip.tags) for clip in pool.clips] == [
        ("Door.wav", ("door", "wood creak", "hinge")),
        ("rain, heavy.wav", ("rain", "water")),
    ]
    assert [clip.line for clip in pool.clips] == [2, 3]


def test_labels_as_audiosets_lists_of_segments_have_them() -> None:
    pool = read(
        "# Segments csv created\n"
        "# num_ytids=2, num_segs=2\n"
        "# YTID, start_seconds, end_seconds, positive_labels\n"
        '--PJHxphWEs, 30.000, 40.000, "/m/09x0r,/t/dd00088"\n'
        '--ZhevVpy1s, 50.000, 60.000, "/m/012xff"\n',
        separator=",",
    )
    assert [(clip.name, clip.tags) for clip in pool.clips] == [
        ("--PJHxphWEs", ("/m/09x0r", "/t/dd00088")),
        ("--ZhevVpy1s", ("/m/012xff",)),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_tables_with_other_delimiters_and_columns_that_are_named(delimiter: str) -> None:
    header = delimiter.join(["sound", "what", "length", "user"])
    row = delimiter.join(["a.wav", "dog|cat", "12.5", "ann"])
    columns = {"name": "sound", "tags": "what", "duration": "length", "group": "user"}
    pool = read(f"{header}\n{row}\n", separator="|", **columns)
    (clip,) = pool.clips
    assert (clip.name, clip.tags, clip.seconds, clip.group) == (
        "a.wav",
        ("dog", "cat"),
        12.5,
        "ann",
    )
    assert (pool.duration_column, pool.group_column) == ("length", "user")


def test_all_faults_are_found_at_once() -> None:
    found = faults(
        "file_name,tags,duration\n"
        "a.wav,dog,1:30\n"
        ",dog,3\n"
        "b.wav,;,nan\n"
        "a.wav,dog\n"
        "a.wav,dog,-2\n"
        "c.wav,dog,\n"
        "d.wav,dog,1_0\n"
    )
    assert found == [
        (2, "duration", "1:30"),
        (3, "file_name", ""),
        (4, "tags", ";"),
        (4, "duration", "nan"),
        (5, None, "a.wav,dog"),
        (6, "duration", "-2"),
        (6, "file_name", "a.wav"),
        (8, "duration", "1_0"),
    ]


def test_a_faulty_pool_is_given_for_other_checks_without_its_durations_made_up() -> None:
    reading = read_pool(b"file_name,tags,duration\na.wav,dog,long\nb.wav,dog,\n", PoolColumns())
    assert reading.pool is not None
    first, second = reading.pool.clips
    assert first.seconds is not None
    assert math.isnan(first.seconds)
    assert second.seconds is None


def message(fault: Fault) -> str:
    return fault.message


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        ("name,tags\na,b\n", PoolColumns(), ['no column "file_name"']),
        ("a,b\n1,2\n", PoolColumns(), ['no column "file_name"', 'no column "tags"']),
        (
            "file_name,tags\na,b\n",
            PoolColumns(duration="length", group="by"),
            ['no column "length"', 'no column "by"'],
        ),
        ("file_name,tags\n", PoolColumns(), ["no clips"]),
        ("# only\n# comments\n", PoolColumns(), ["no header"]),
        ("", PoolColumns(), ["empty"]),
    ],
)
def test_headers_that_do_not_do(text: str, columns: PoolColumns, words: list[str]) -> None:
    reading = read_pool(text.encode(), columns)
    assert len(reading.faults) == len(words)
    for fault, expected in zip(reading.faults, words, strict=True):
        assert expected in message(fault)


def test_clips_without_tags_can_be_left_out() -> None:
    pool = read("file_name,tags\na.wav,dog\nb.wav,\n", skip_untagged=True)
    assert [clip.name for clip in pool.clips] == ["a.wav"]
