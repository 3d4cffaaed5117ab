"""What DCASE asks of metadata beyond its form: the label, the corresponding author, the uses."""

import re
from dataclasses import replace

from leaderboard.packages.metadata import About, Dataset, Metadata
from leaderboard.packages.notes import Notes

LABEL = re.compile(r"[^\W_][^\s_]*_[^\s_]+_task\d+[a-z]?_[1-9]\d?")
USES = ("audio_modelling", "word_modelling", "audio_and_word_modelling")
MAX_ABBREVIATION = 10
_SHAPE = "<LastName>_<Institute>_task6_<1-4>, such as Kim_SNU_task6_1"


def checked(metadata: Metadata, notes: Notes) -> Metadata:
    """Note what is not as DCASE wants it; give the metadata with one corresponding author."""
    about = metadata.submission
    _check_label(about, notes)
    about = _one_corresponding(about, notes)
    datasets = tuple(
        _use(dataset, number, notes)
        for number, dataset in enumerate(metadata.system.external_datasets, 1)
    )
    system = replace(metadata.system, external_datasets=datasets)
    return replace(metadata, submission=about, system=system)


def _check_label(about: About, notes: Notes) -> None:
    if about.label and not LABEL.fullmatch(about.label):
        notes.warn(None, "submission.label", about.label, f"DCASE's labels are {_SHAPE}.")
    if about.abbreviation and len(about.abbreviation) > MAX_ABBREVIATION:
        notes.warn(
            None,
            "submission.abbreviation",
            about.abbreviation,
            f"DCASE takes at most {MAX_ABBREVIATION} characters here; kept as it is.",
        )


def _one_corresponding(about: About, notes: Notes) -> About:
    marked = [at for at, author in enumerate(about.authors) if author.corresponding is True]
    if len(marked) == 1 or not about.authors:
        return about
    if not marked:
        notes.warn(None, "submission.authors", "", "No author is marked as corresponding.")
        return about
    names = ", ".join(str(at + 1) for at in marked)
    notes.warn(
        None,
        "submission.authors",
        "",
        f"Authors {names} are marked as corresponding; the first of them was read as such.",
    )
    authors = tuple(
        replace(author, corresponding=False) if at in marked[1:] else author
        for at, author in enumerate(about.authors)
    )
    return replace(about, authors=authors)


def _use(dataset: Dataset, number: int, notes: Notes) -> Dataset:
    """Write what a data set was used for as DCASE does, where that can be told."""
    said = dataset.used_for
    if not said or said in USES:
        return dataset
    path = f"system.external_datasets[{number}].used_for"
    plain = re.sub(r"[\s\-]+", "_", said.lower()).replace("modeling", "modelling")
    if plain in USES:
        notes.warn(None, path, said, f"Read as {plain}.")
        return replace(dataset, used_for=plain)
    notes.warn(None, path, said, f"DCASE knows {', '.join(USES)}; kept as it is.")
    return dataset
