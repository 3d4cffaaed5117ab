"""Protect the lenient reading of metadata: each bend of real files, read as meant and told."""

import pytest
import yaml

from tests.earmark.packages.files import METADATA
from tests.earmark.packages.metadata_reading import GOOD, bent, told, understood


def test_a_good_file_is_read_whole_and_without_a_word() -> None:
    metadata, faults = understood(METADATA)
    assert faults == []
    whole = yaml.safe_load(METADATA)
    del whole["system"]["description"]["metric_monitored"]  # left blank
    assert metadata.to_dict() == whole


# Where it stands | as it is written well | as people write it | what is told.
VALUES = """\
system.description | learning_rate: 0.0005 | 4e-6 | Read as 4e-06.
system.description | ensemble: false | No | Read as false.
system.complexity | total_parameters: 98000000 | 98,000,000 | Read as 98000000.
system.complexity | total_parameters: 98000000 | 98M | Read as 98000000.
system.complexity | total_parameters: 98000000 | 98.5 million parameters | Read as 98500000.
system.complexity | total_parameters: 98000000 | about a hundred million | \
Not a whole number, kept as text; write one such as 98000000.
results.development_evaluation | meteor: 0.177 | 0,177 | Read as 0.177.
system.description | gradient_norm: 1.0 | n/a | Read as null.
system.description | gradient_norm: 1.0 | "!!null" | Read as null.
system.description | word_modelling: transformer | [BART, GPT-2] | \
One value is expected; read as this text.
system.external_datasets[1] | used_for: audio_and_word_modelling | audio modeling | \
Read as audio_modelling.
submission | label: Kim_SNU_task6_1 | kim system 1 | \
DCASE's labels are <LastName>_<Institute>_task6_<1-4>, such as Kim_SNU_task6_1.
submission | abbreviation: Careful | CarefulListener | \
DCASE allows at most 10 characters here; kept as it is.
"""


@pytest.mark.parametrize("line", VALUES.splitlines())
def test_each_bent_value_is_told_once_with_what_it_was_read_as(line: str) -> None:
    place, good, written, message = line.split(" | ")
    key = good.partition(":")[0]
    _, faults = bent(f" {good}\n", f" {key}: {written}\n")
    assert told(faults) == [(f"{place}.{key}", written.strip('["]'), message)]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "audio_modelling: CNN14",
            "Audio Modeling: CNN14",
            ("system.description.Audio Modeling", "", "Read as audio_modelling."),
        ),
        (
            "      affiliation:\n        institute: Seoul National University\n\n",
            "      affiliation: SNU\n\n",
            ("submission.authors[2].affiliation", "SNU", "Read as institute."),
        ),
        (
            "    ensemble: false\n",
            "    ensemble: false\n    ensemble: true\n",
            (
                "system.description.ensemble",
                "",
                "Appears twice in lines 34 and 35; the later one was read.",
            ),
        ),
    ],
)
def test_each_bent_key_is_told_once_with_what_it_was_read_as(
    old: str, new: str, fault: tuple[str, str, str]
) -> None:
    _, faults = bent(old, new)
    assert told(faults) == [fault]


@pytest.mark.parametrize("label", ["Kim_SNU_task6a_4", "O'Neill-Kim_TU-Berlin_task6_2"])
def test_labels_of_dcase_are_taken_without_a_word(label: str) -> None:
    assert bent("label: Kim_SNU_task6_1", f"label: {label}")[1] == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("98M", 98_000_000),
        ("98 M", 98_000_000),
        ("98,5M", 98_500_000),
        ("0.29 M", 290_000),
        ("1.2B", 1_200_000_000),
        ("350k", 350_000),
        ("9.8e7", 98_000_000),
        ("98_000_000", 98_000_000),
        ("98'000'000", 98_000_000),
        ("98 000 000", 98_000_000),
        ("98000000.0", 98_000_000),
        ('"98000000"', 98_000_000),
        ("7 billion", 7_000_000_000),
    ],
)
def test_counts_are_read_as_people_write_them(written: str, meant: int) -> None:
    metadata, faults = bent("total_parameters: 98000000", f"total_parameters: {written}")
    assert metadata.system.complexity.total_parameters == meant
    assert [fault.message for fault in faults] == [f"Read as {meant}."]


@pytest.mark.parametrize(
    "written", ["-5", "1.5", "98M or 99M", "1e999", "9" * 60, "1,23,4", ".inf"]
)
def test_what_is_no_count_is_kept_as_it_was_written(written: str) -> None:
    metadata, faults = bent("total_parameters: 98000000", f"total_parameters: {written}")
    assert metadata.system.complexity.total_parameters == written
    assert "kept as text" in faults[0].message


def test_a_number_that_may_be_two_is_not_guessed() -> None:
    metadata, faults = bent("total_audio_length: 7662", "total_audio_length: 7,662")
    assert metadata.system.external_datasets[0].total_audio_length == "7,662"
    assert "kept as text" in faults[0].message


def test_authors_and_abbreviation_at_the_top_are_read_where_they_belong() -> None:
    head, _, rest = METADATA.partition("  abbreviation: Careful\n")
    authors, _, tail = rest.partition("# System information")
    moved = "\n".join(line.removeprefix("  ") for line in authors.split("\n"))
    metadata, faults = understood(f"{head}abbreviation: Careful\n{moved}# System information{tail}")
    assert metadata == GOOD
    assert told(faults) == [
        ("abbreviation", "", "Belongs to submission.abbreviation, and was read there."),
        ("authors", "", "Belongs to submission.authors, and was read there."),
    ]


def test_fields_at_other_levels_are_read_where_they_belong() -> None:
    metadata, faults = understood(
        "label: Kim_SNU_task6_1\naudio_modelling: CNN14\ntotal_parameters: 5\n"
        "system:\n  word_modelling: BART\nspider: 0.2\n"
        "submission:\n  authors:\n    - lastname: Kim\n      corresponding: true\n"
        "      institute: SNU\n"
    )
    assert metadata.to_dict() == {
        "submission": {
            "label": "Kim_SNU_task6_1",
            "authors": [
                {"lastname": "Kim", "corresponding": True, "affiliation": {"institute": "SNU"}}
            ],
        },
        "system": {
            "description": {"audio_modelling": "CNN14", "word_modelling": "BART"},
            "complexity": {"total_parameters": 5},
        },
        "results": {"development_evaluation": {"spider": 0.2}},
    }
    assert len(faults) == 5


def test_a_key_at_home_stands_before_one_elsewhere() -> None:
    metadata, faults = understood(METADATA + "label: Lee_SNU_task6_1\n")
    assert metadata.submission.label == "Kim_SNU_task6_1"
    assert told(faults) == [("label", "", "Not read, because submission.label is also given.")]


def test_of_two_corresponding_authors_the_first_is_it() -> None:
    metadata, faults = bent(
        "email: jun.lee@example.org", "email: jun.lee@example.org\n      corresponding: true"
    )
    assert [author.corresponding for author in metadata.submission.authors] == [True, False]
    assert told(faults) == [
        (
            "submission.authors",
            "",
            "Authors 1, 2 are marked as corresponding; the first of them was used.",
        )
    ]


def test_no_corresponding_author_is_told() -> None:
    _, faults = bent("      corresponding: true\n", "")
    assert [fault.message for fault in faults] == ["No author is marked as corresponding."]


def test_keys_that_dcase_does_not_know_are_kept_as_they_are() -> None:
    metadata, faults = understood(
        METADATA.replace(
            "  complexity:\n", "  complexity:\n    macs: 5.5 G\n    trained: {on: [GPU, 2]}\n"
        )
        + "comment: 'No'\nyear: 2024\n"
    )
    assert faults == []
    assert metadata.more == {"comment": "No", "year": 2024}
    assert metadata.system.complexity.more == {"macs": "5.5 G", "trained": {"on": ["GPU", 2]}}
    assert metadata.to_dict()["system"]["complexity"]["macs"] == "5.5 G"


def test_data_sets_may_be_a_list_of_names() -> None:
    text = "system:\n  external_datasets: AudioCaps, WavCaps\n"
    metadata, faults = understood(text)
    assert [dataset.name for dataset in metadata.system.external_datasets] == [
        "AudioCaps",
        "WavCaps",
    ]
    assert [fault.message for fault in faults] == ["Read as a list of 2."]
    metadata, _ = understood("system:\n  external_datasets: None\n")
    assert metadata.system.external_datasets == ()
