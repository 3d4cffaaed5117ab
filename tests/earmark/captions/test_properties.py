"""Whatever is in a file, reading answers; whatever is written, reading gives back."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from earmark.captions import (
    Candidates,
    ReadResult,
    References,
    read_candidates,
    read_references,
    write_candidates_csv,
)

CLIPS = References.build((f"clip {n}.wav", ["a dog", "a cat"]) for n in range(4))
PIECES = (
    *(
        "file_name",
        "caption_predicted",
        "caption_predicted_2",
        "caption_1",
        "youtube_id",
        "caption",
    ),
    *(",", "\t", ";", "\n", "\r\n", "\r", '"', '""', " ", "\0", "\ufeff", "&#39;", "\ud83d"),
    *("clip 0.wav", "clip 1.wav", "clip 9.wav", "a dog", "nan", "...", "é", "\x85", "\u2028"),
    *("[", "]", "{", "}", ":", "null", "1e999", '"file_name": ', '"clip 0.wav": "x"', "\\ud800"),
)
SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
NAMES = st.sampled_from(["", "x.csv", "x.json", "x.jsonl", "x.tsv"])
# A caption with at least one word and no character that is refused.
CAPTIONS = st.text(
    st.one_of(
        st.sampled_from(',"\n\r\t; é🐕'),
        st.characters(exclude_categories=("Cc", "Cs")),
    ),
    max_size=30,
).map(lambda text: f"{text}a{text}")


def check(reading: ReadResult[References] | ReadResult[Candidates]) -> None:
    assert (reading.value is None) == bool(reading.errors)
    lines = [fault.line for fault in reading.faults if fault.line is not None]
    assert lines == sorted(lines)
    for fault in reading.faults:
        assert fault.message
        assert str(fault).isprintable()
        str(fault).encode()


@given(st.binary(max_size=300), NAMES)
@example(b"\xff\xfe", "")
@example(b'a,"', "x.csv")
@example(b"{", "x.json")
def test_bytes_never_raise(data: bytes, name: str) -> None:
    check(read_references(data, file_name=name))
    check(read_candidates(data, CLIPS, file_name=name))


@given(SOUP, NAMES, st.sampled_from(["utf-8", "utf-16", "latin-1"]))
def test_nearly_right_files_never_raise(text: str, name: str, encoding: str) -> None:
    data = text.encode(encoding, errors="replace" if encoding == "latin-1" else "surrogatepass")
    check(read_references(data, file_name=name))
    check(read_candidates(data, CLIPS, file_name=name))


@given(st.lists(st.lists(CAPTIONS, min_size=1, max_size=3), min_size=4, max_size=4))
def test_what_is_written_is_read_back(captions: list[list[str]]) -> None:
    candidates = Candidates(tuple(tuple(ranked) for ranked in captions))
    reading = read_candidates(write_candidates_csv(candidates, CLIPS).encode(), CLIPS)
    assert reading.errors == ()
    assert reading.value == candidates


@given(st.permutations(range(4)), st.lists(CAPTIONS, min_size=4, max_size=4))
@settings(max_examples=30)
def test_the_order_of_rows_does_not_matter(order: list[int], captions: list[str]) -> None:
    shuffled = References(tuple(CLIPS.clips[index] for index in order))
    written = Candidates.single(captions[index] for index in order)
    data = write_candidates_csv(written, shuffled).encode()
    assert read_candidates(data, CLIPS).value == Candidates.single(captions)
