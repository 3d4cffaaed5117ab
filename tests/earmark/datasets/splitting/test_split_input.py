"""Files to split: clips pooled, whose they are, and every fault with its place."""

import gzip
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.datasets.splitting import GivenFile, Part, SplitInput, read_parts, read_split_input
from earmark.datasets.splitting.kept_together import joined_groups, near_equal_clips
from earmark.datasets.splitting.parts import part_sizes
from tests.earmark.datasets.splitting.random_clips import clips

PARTS = read_parts("dev=.5,val=.5")


def table(*rows: str, header: str = "file_name,caption_1,caption_2") -> bytes:
    return "\n".join([header, *rows, ""]).encode()


DOGS = GivenFile("dogs.csv", table("a.wav,a dog barks,it barks", "b.wav,two dogs,dogs bark"))
RAIN = GivenFile("rain.csv", table("c.wav,rain falls,it rains", "d.wav,a storm,wind blows"))


def read(*files: GivenFile, metadata: str = "", **options: object) -> SplitInput:
    tables = [GivenFile("whose.csv", metadata.encode("latin-1"))] if metadata else []
    return read_split_input(files, PARTS, metadata=tables, **options)  # type: ignore[arg-type]


def told(found: SplitInput) -> list[str]:
    return [f"{fault.severity}: {fault}" for fault in found.faults]


def test_clips_of_all_files_in_order() -> None:
    found = read(DOGS, RAIN)
    assert found.usable
    assert [clip.name for clip in found.clips] == ["a.wav", "b.wav", "c.wav", "d.wav"]
    assert [(clip.file, clip.line) for clip in found.clips] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert found.clips[2].captions == ("rain falls", "it rains")
    assert found.groups.tolist() == [0, 1, 2, 3]
    assert found.kept_together == (0, 1)


def test_long_forms_and_packed_files_are_read() -> None:
    rows = table("a.wav,A dog.,a dog", "a.wav,It barks.,it barks", header="fname,raw_text,text")
    found = read(GivenFile("long.csv.gz", gzip.compress(rows)), RAIN)
    assert found.usable
    assert found.clips[0].captions == ("A dog.", "It barks.")
    assert told(read(GivenFile("bad.csv.gz", b"PK"), RAIN)) == [
        "error: bad.csv.gz: The file cannot be unpacked: Not a gzipped file (b'PK'). Pack it again."
    ]


def test_a_clip_in_two_files_is_a_fault_with_both_places() -> None:
    again = GivenFile("more.csv", table("e.wav,wind,a gust", "a.wav,a dog barks,it barks"))
    found = read(DOGS, again)
    assert not found.usable
    assert len(told(found)) == 1
    assert told(found)[0] == (
        'error: more.csv, line 3: This clip is already in line 2 of "dogs.csv" with the same'
        ' captions. Remove one of them. Found: "a.wav"'
    )


def test_one_name_with_other_captions_is_another_clip() -> None:
    other = GivenFile("more.csv", table("a.wav,a car passes,it passes"))
    found = read(DOGS, RAIN, other)
    assert found.usable
    assert found.namesakes == ((0, 4),)
    assert told(found)[0].startswith(
        'warning: more.csv, line 2: A clip of this name is in line 2 of "dogs.csv"'
    )


def test_more_of_one_name_than_parts() -> None:
    others = [GivenFile(f"{n}.csv", table(f"a.wav,word{n},other{n}")) for n in range(2)]
    assert any("3 clips have this name, for 2 parts" in one for one in told(read(DOGS, *others)))


def test_one_name_and_one_caption_can_be_neither_together_nor_apart() -> None:
    other = GivenFile("more.csv", table("a.wav,A dog barks.,it passes"))
    found = read(DOGS, RAIN, other)
    assert not found.usable
    assert "cannot be in one part" in told(found)[-1]
    assert '(the first is in line 2 of "dogs.csv")' in told(found)[-1]


def test_near_equal_captions_keep_clips_together() -> None:
    long = "a man walks over the wet gravel in front of some large house"
    file = GivenFile(
        "x.csv",
        table(f"a.wav,{long},x", "b.wav,rain,y", f"c.wav,z,{long} slowly", "d.wav,Rain!,w"),
    )
    assert read(file).groups.tolist() == [0, 1, 0, 1]
    assert read(file, similarity=Fraction(1)).groups.tolist() == [0, 1, 2, 1]


METADATA = """file_name,keywords,sound_id,manufacturer
a.wav,dog;bark,17,ann
b.wav,dog,18,bo\xe9
c.wav,rain,18,Not found
d.wav,storm,Not found,Not found
"""


def test_clips_of_one_recording_or_uploader_stay_together() -> None:
    assert read(DOGS, RAIN, metadata=METADATA).groups.tolist() == [0, 1, 1, 2]
    # d.wav has no origin, and a further table joins what the first does not.
    own = table("e.wav,wind,ann", header="file_name,caption,manufacturer")
    found = read(DOGS, RAIN, GivenFile("own.csv", own))
    assert found.groups.tolist() == [0, 1, 2, 3, 4]


def test_a_table_for_each_file() -> None:
    first = GivenFile("first.csv", b"file_name;uploader\na.wav;ann\nb.wav;bob\n")
    second = GivenFile("second.csv", b"file_name\tuploader\nc.wav\tbob\na.wav\tann\n")
    found = read_split_input([DOGS, RAIN], PARTS, metadata=[first, second])
    assert found.groups.tolist() == [0, 1, 1, 2]
    assert told(found) == [
        "warning: whole file: 1 clip not in the metadata, so their origin is unknown."
    ]
    found = read_split_input([DOGS, RAIN, RAIN], PARTS, metadata=[first, second])
    assert any("2 tables for 3 files" in one for one in told(found))


def test_columns_of_ones_own() -> None:
    metadata = "file_name,site\na.wav,pond\nb.wav,pond\nc.wav,street\nd.wav,n/a\n"
    found = read(DOGS, RAIN, metadata=metadata, columns=["site"])
    assert found.groups.tolist() == [0, 0, 1, 2]
    found = read(DOGS, RAIN, metadata=METADATA, columns=["place"])
    assert told(found)[-1].startswith("error: --keep-together: No table has this column. There are")
    assert "manufacturer" in told(found)[-1]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ("name,uploader\na.wav,ann\n", "no column with names of clips"),
        ("file_name,keywords\na.wav,dog\n", "none of the columns recording"),
        ("file_name,uploader\na.wav\n", "The row has 1 field and the header has 2"),
        ('file_name,uploader\na.wav,"ann\n', "never closed"),
        ('[{"file_name": "a.wav"}]', "no table in this file"),
        ("  ", "no table in this file"),
    ],
)
def test_faults_of_metadata(metadata: str, said: str) -> None:
    found = read(DOGS, RAIN, metadata=metadata)
    assert not found.usable
    assert any(said in one and "whose.csv" in one for one in told(found)), told(found)


def test_all_faults_of_parts_files_and_tables_come_at_once() -> None:
    bad = GivenFile("bad.csv", table("x.wav,only one"))
    found = read_split_input(
        [DOGS, bad], read_parts("a=.5,b=.6"), metadata=[GivenFile("whose.csv", b"x,y\n1,2\n")]
    )
    places = [fault.file for fault in found.faults if fault.severity == "error"]
    assert places == ["--parts", "bad.csv", "whose.csv"]


def test_too_few_clips_or_groups() -> None:
    one = GivenFile("one.csv", table("a.wav,a dog,x"))
    assert any("1 clip for 2 parts" in said for said in told(read(one)))
    same = GivenFile("same.csv", table("a.wav,a dog,x", "b.wav,A dog!,y"))
    assert any("1 group that stay together" in said for said in told(read(same)))


@given(st.integers(1, 12), st.data())
def test_groups_are_the_parts_that_are_joined(count: int, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, count - 1), min_size=1, max_size=4)
    sets = data.draw(st.lists(places, max_size=6))
    groups = joined_groups(count, sets).tolist()
    reached = {place: {place} for place in range(count)}
    for _ in range(count):
        for members in sets:
            joined = set().union(*(reached[place] for place in members))
            for place in joined:
                reached[place] = reached[place] | joined
    for one, other in combinations(range(count), 2):
        assert (groups[one] == groups[other]) == (other in reached[one])
    firsts = [groups.index(group) for group in range(max(groups) + 1)]
    assert firsts == sorted(firsts), "groups are numbered by their first clips"


SIMILARITIES = st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(3, 4), Fraction(1, 2)])


@given(clips, SIMILARITIES)
def test_every_near_equal_pair_is_found_and_no_other(
    texts: list[list[str]], similarity: Fraction
) -> None:
    found = {
        pair
        for places in near_equal_clips(texts, similarity)
        for pair in combinations(sorted(set(places)), 2)
    }
    sets = [[set(text.split()) for text in captions] for captions in texts]
    near = {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if any(
            Fraction(len(a & b), len(a | b)) >= similarity for a in sets[one] for b in sets[other]
        )
    }
    assert found == near


def test_parts_in_their_order_with_exact_shares() -> None:
    read = read_parts("development=.6, validation=1/5 ,evaluation=0.2")
    assert read.faults == ()
    assert [part.name for part in read.parts] == ["development", "validation", "evaluation"]
    assert [part.share for part in read.parts] == [Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a=.5,b=.4", "must add up to 1"),
        ("a=.7,b=.7", "0.7 + 0.7 = 1.4"),
        ("a=1/3,b=1/3", "1/3 + 1/3 = 2/3"),
        ("a=.5,b", "Write NAME=SHARE"),
        ("a=.5,b=half", "Write NAME=SHARE"),
        ("a=.5,b=1/0", "Write NAME=SHARE"),
        ("a=1.5,b=-.5", "above 0 and below 1"),
        ("a=.5,../b=.5", "name of its file"),
        ("a=.5,.b=.5", "name of its file"),
        ("a=.5,b\tc=.5", "name of its file"),
        ("a=.5,=.5", "name of its file"),
        ("Dev=.5,dev=.5", "Two parts have this name"),
        ("a=.5", "at least two parts"),
        ("", "at least two parts"),
    ],
)
def test_a_fault_says_what_to_do(text: str, said: str) -> None:
    told = [str(fault) for fault in read_parts(text).faults]
    assert any(said in one for one in told), told


def test_faults_come_all_at_once() -> None:
    told = [fault.message for fault in read_parts("a/b=.6,c=x,d=2,D=.1").faults]
    assert len(told) == 4


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.integers(0, 500))
def test_sizes_are_shares_rounded_and_add_up(weights: list[int], clips: int) -> None:
    parts = [Part(str(at), Fraction(weight, sum(weights))) for at, weight in enumerate(weights)]
    sizes = part_sizes(parts, clips)
    assert sum(sizes) == clips
    assert all(abs(size - part.share * clips) < 1 for size, part in zip(sizes, parts, strict=True))


def test_sizes_of_clotho() -> None:
    parts = read_parts("development=.6,validation=.2,evaluation=.2").parts
    # 3557.4, 1185.8 and 1185.8.
    assert part_sizes(parts, 5929) == (3557, 1186, 1186)
