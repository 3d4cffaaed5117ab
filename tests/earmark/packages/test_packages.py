"""Protect the reading of packages: what is found in them, what is told, what is refused."""

import io
import struct
import zipfile

import pytest

from earmark.packages.archive import MAX_ENTRIES
from earmark.packages.reading import File, Package, package_read
from tests.earmark.packages.files import CSV, LABEL, METADATA, PDF, archive, package


def read(
    files: dict[str, bytes | str] | bytes, *, name: str = "package.zip", system: str = ""
) -> Package:
    data = files if isinstance(files, bytes) else archive(files)
    return package_read(File(name, data), system=system)


def only_error(found: Package) -> str:
    (fault,) = found.errors
    assert found.captions is None or fault.file
    return fault.message


def several(*labels: str) -> dict[str, bytes | str]:
    """The files of a team's package with several systems and one report."""
    files: dict[str, bytes | str] = {"task6/report.pdf": PDF}
    for label in labels:
        files[f"task6/{label}/{label}_output.csv"] = CSV + label.encode() + b",x\n"
        files[f"task6/{label}/{label}.meta.yaml"] = METADATA.replace(LABEL, label)
    return files


LABELS = tuple(f"Kim_SNU_task6_{number}" for number in (1, 2, 3, 4))


def test_a_package_gives_captions_metadata_and_report() -> None:
    found = read(package())
    assert found.captions == File(f"{LABEL}_output.csv", CSV)
    assert found.metadata is not None
    assert found.metadata.submission.name == "Careful listener"
    assert found.report == File(f"{LABEL}_report.pdf", PDF)
    assert (found.label, found.systems, found.faults) == (LABEL, (LABEL,), ())


@pytest.mark.parametrize(
    "files",
    [
        {f"{LABEL}_output.csv": CSV, f"{LABEL}.meta.yaml": METADATA},
        {f"{LABEL}.output.csv": CSV, f"{LABEL}_metadata.yaml": METADATA},
        {f"a/b/{LABEL}/{LABEL}.output.csv": CSV, f"a/b/{LABEL}/{LABEL}.meta.yml": METADATA},
        {f"{LABEL}\\OUTPUT.CSV": CSV, f"{LABEL}\\META.YAML": METADATA},
        {"output.csv": CSV, "metadata.yaml": METADATA},
        {
            f"{LABEL}/{LABEL}_output.csv": CSV,
            f"{LABEL}.meta.yaml": METADATA,
            f"__MACOSX/{LABEL}/._{LABEL}_output.csv": b"rubbish",
            ".DS_Store": b"rubbish",
            f"{LABEL}/Thumbs.db": b"rubbish",
            "README.txt": b"hello",
        },
    ],
)
def test_packages_as_people_make_them_are_read_without_a_word(
    files: dict[str, bytes | str],
) -> None:
    found = read(files)
    assert found.captions is not None
    assert found.captions.data == CSV
    assert found.metadata is not None
    assert (found.label, found.faults) == (LABEL, ())


def test_captions_alone_are_captions() -> None:
    found = package_read(File(f"{LABEL}_output.csv", CSV))
    assert found.captions == File(f"{LABEL}_output.csv", CSV)
    assert (found.label, found.metadata, found.faults) == (LABEL, None, ())


def test_metadata_and_report_may_come_beside_the_captions() -> None:
    found = package_read(
        File("c.csv", CSV), metadata=File("m.yaml", METADATA.encode()), report=File("r.pdf", PDF)
    )
    assert found.label == LABEL
    assert found.report == File("r.pdf", PDF)


def test_metadata_beside_a_package_stands_before_that_in_it() -> None:
    other = METADATA.replace("Careful listener", "Other").encode()
    found = package_read(File("p.zip", package()), metadata=File("other.yaml", other))
    assert found.metadata is not None
    assert found.metadata.submission.name == "Other"
    assert [str(fault) for fault in found.faults] == [
        "other.yaml: Was used instead of the metadata in the package."
    ]


def test_of_several_systems_one_must_be_named() -> None:
    found = read(several(*LABELS))
    assert found.captions is None
    assert found.systems == LABELS
    message = only_error(found)
    assert "4 systems" in message
    assert all(label in message for label in LABELS)


@pytest.mark.parametrize("wanted", ["Kim_SNU_task6_3", "kim_snu_TASK6_3", "3", " 3 "])
def test_the_system_that_is_named_is_taken_with_its_own_metadata(wanted: str) -> None:
    found = read(several(*LABELS), system=wanted)
    assert found.captions is not None
    assert b"Kim_SNU_task6_3,x" in found.captions.data
    assert found.label == "Kim_SNU_task6_3"
    assert found.metadata is not None
    assert found.metadata.submission.label == "Kim_SNU_task6_3"
    assert found.report == File("report.pdf", PDF), "one report of all systems"
    assert found.faults == ()


def test_a_system_that_is_not_there_is_told_with_those_that_are() -> None:
    assert only_error(read(several(*LABELS[:2]), system="7")) == (
        '"7" is not one of the systems: "Kim_SNU_task6_1", "Kim_SNU_task6_2".'
    )


def test_several_files_of_one_system_are_named_and_one_can_be_chosen() -> None:
    files: dict[str, bytes | str] = {f"{LABEL}/first.csv": CSV, f"{LABEL}/second.csv": CSV + b"2"}
    message = only_error(read(files))
    assert f'"{LABEL}/first.csv", "{LABEL}/second.csv"' in message
    found = read(files, system="second.csv")
    assert found.captions == File("second.csv", CSV + b"2")


def test_the_output_is_taken_before_that_of_other_splits() -> None:
    found = read(
        {
            f"{LABEL}/{LABEL}.output.csv": CSV,
            f"{LABEL}/{LABEL}.output.analysis.csv": b"other",
            f"{LABEL}/clips.csv": b"list",
        }
    )
    assert found.captions == File(f"{LABEL}.output.csv", CSV)
    assert len(found.faults) == 1
    assert "output.analysis.csv" in found.faults[0].message
    assert found.faults[0].severity == "warning"


def test_a_label_that_differs_from_the_files_is_told() -> None:
    found = read(package(metadata=METADATA.replace(LABEL, "Kim_SNU_task6_2")))
    assert found.label == "Kim_SNU_task6_2"
    assert [fault.column for fault in found.faults] == ["submission.label"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "The archive is empty."),
        ({"a/b.txt": b""}, 'It contains "a/b.txt".'),
        ({f"{LABEL}.zip": package()}, "in an archive inside this archive. Unpack that one first."),
        ({"captions.xlsx": b"PK"}, "Save the captions as CSV."),
        ({"c.csv": CSV, "a.yaml": METADATA, "b.yaml": METADATA}, "Keep only one."),
        ({"c.csv": CSV, "r.pdf": b"MZ not a document"}, "is not a PDF document."),
        ({"c.csv": CSV, "m.yaml": "a: [b"}, "The metadata cannot be read"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_what_to_do(
    files: dict[str, bytes | str], message: str
) -> None:
    assert message in only_error(read(files))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("m.yaml", METADATA.encode(), "This is a metadata file."),
        ("c.csv", PDF, "This is a PDF document."),
        ("p.zip", CSV, "This is not a zip archive."),
        ("p.tar.gz", b"\x1f\x8b123", "This is not a zip archive."),
        ("p.zip", package()[:-40], "damaged or incomplete"),
        ("p.zip", package()[:100], "damaged or incomplete"),
    ],
    # Archives hold the time; every process must call a test the same.
    ids=["metadata", "report", "captions", "tar", "cut short", "cut off"],
)
def test_files_of_another_kind_are_told_apart(name: str, data: bytes, message: str) -> None:
    assert message in only_error(package_read(File(name, data)))


def test_a_bomb_is_read_only_as_far_as_the_limit() -> None:
    bomb = archive({"c.csv": b"\0" * 50_000_000})
    found = package_read(File("p.zip", bomb), max_bytes=10_000)
    assert only_error(found) == "The file has more than 10,000 bytes, which is the limit."
    assert found.captions is None


def test_a_size_that_lies_is_not_believed() -> None:
    bomb = bytearray(archive({"c.csv": b"x" * 1_000_000}))
    at = bomb.rindex(b"PK\x01\x02")
    bomb[at + 24 : at + 28] = struct.pack("<I", 10)
    found = package_read(File("p.zip", bytes(bomb)), max_bytes=10_000)
    assert found.captions is None or len(found.captions.data) <= 10_000


def test_an_archive_of_very_many_files_is_refused() -> None:
    many = archive({f"{number}.csv": b"" for number in range(MAX_ENTRIES + 1)})
    assert "1,001 files" in only_error(read(many))


def test_encrypted_files_are_refused_in_words() -> None:
    locked = bytearray(archive({"c.csv": CSV}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + offset] |= 1
    assert "password" in only_error(read(bytes(locked)))


def test_links_and_paths_out_of_the_archive_are_left_out_and_told() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        link = zipfile.ZipInfo("link.csv")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        for name in ("../up.csv", "/root.csv", "C:\\drive.csv"):
            made.writestr(name, CSV)
        made.writestr("good.csv", CSV)
    found = read(out.getvalue())
    assert found.captions == File("good.csv", CSV)
    assert [fault.severity for fault in found.faults] == ["warning"] * 4


def test_names_in_other_encodings_do_not_matter() -> None:
    data = archive({"Müller_KIT_task6_1/Müller_KIT_task6_1_output.csv": CSV})
    assert read(data).label == "Müller_KIT_task6_1"
    # Without the mark for UTF-8, as old programs write names in the code page of their machine.
    old = bytearray(data.replace("Müller".encode(), b"M\xff\xfeller"))
    for mark, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        old[old.index(mark) + offset] = 0
    assert read(bytes(old)).captions == File("M\u00a0\u25a0ller_KIT_task6_1_output.csv", CSV)


def test_all_faults_of_a_package_are_told_at_once() -> None:
    found = read({"c.csv": CSV, "m.yaml": "a: [b", "r.pdf": b"no"})
    assert len(found.errors) == 2
    assert found.captions is not None, "so that its faults can be listed as well"
