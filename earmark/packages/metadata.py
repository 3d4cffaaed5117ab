"""A team's description of its system, in DCASE's terms (task 6, automated audio captioning).

Texts are stripped, None where there is none. ``more`` keeps the keys that are not
DCASE's as they were. A field of numbers or of yes and no holds text where neither
could be read.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from earmark.packages.scalars import (
    ReadScalar,
    Value,
    read_flag,
    read_number,
    read_text,
    read_whole,
    read_yes_no,
)
from earmark.packages.tree import Scalar

Reader = Callable[[Scalar], ReadScalar]
More = dict[str, Any]


def _of(reader: Reader, label: str) -> Any:
    """Declare a field whose value ``reader`` reads."""
    return field(default=None, metadata={"reader": reader, "label": label})


text = partial(_of, read_text)
flag = partial(_of, read_flag)
yes_no = partial(_of, read_yes_no)
number = partial(_of, read_number)
count = partial(_of, read_whole)


def part(of: type[Any]) -> Any:
    """Declare a part with fields of its own."""
    return field(default_factory=of, metadata={"part": of})


def parts(of: type[Any]) -> Any:
    """Declare a list of parts."""
    return field(default=(), metadata={"parts": of})


def more() -> Any:
    """Declare the field that keeps unknown keys."""
    return field(default_factory=dict)


@dataclass(frozen=True)
class Affiliation:
    """Where an author works."""

    abbreviation: str | None = text("Abbreviation")
    institute: str | None = text("Institute")
    department: str | None = text("Department")
    location: str | None = text("Location")
    more: More = more()


@dataclass(frozen=True)
class Author:
    """An author of the system."""

    lastname: str | None = text("Last name")
    firstname: str | None = text("First name")
    email: str | None = text("E-mail")
    corresponding: Value = yes_no("Corresponding")
    affiliation: Affiliation = part(Affiliation)
    more: More = more()


@dataclass(frozen=True)
class SubmissionInfo:
    """Which submission this is: DCASE's ``submission``."""

    label: str | None = text("Label")
    name: str | None = text("Name")
    abbreviation: str | None = text("Abbreviation")
    authors: tuple[Author, ...] = parts(Author)
    more: More = more()


@dataclass(frozen=True)
class Description:
    """How the system works: ``system.description``."""

    input_sampling_rate: str | None = text("Sampling rate")
    acoustic_features: str | None = text("Acoustic features")
    word_embeddings: str | None = text("Word embeddings")
    data_augmentation: str | None = text("Data augmentation")
    machine_learning_method: str | None = text("Method")
    learning_scheme: str | None = text("Learning scheme")
    ensemble: Value = flag("Ensemble")
    audio_modelling: str | None = text("Encoder")
    word_modelling: str | None = text("Decoder")
    loss_function: str | None = text("Loss")
    optimizer: str | None = text("Optimiser")
    learning_rate: Value = number("Learning rate")
    gradient_clipping: Value = flag("Gradient clipping")
    gradient_norm: Value = number("Gradient norm")
    metric_monitored: str | None = text("Metric monitored")
    more: More = more()


@dataclass(frozen=True)
class Complexity:
    """How large the system is: ``system.complexity``."""

    total_parameters: Value = count("Parameters")
    more: More = more()


@dataclass(frozen=True)
class Dataset:
    """Data beyond the challenge's own: an item of ``system.external_datasets``."""

    name: str | None = text("Name")
    url: str | None = text("Address")
    has_audio: Value = yes_no("Audio")
    has_images: Value = yes_no("Images")
    has_video: Value = yes_no("Video")
    has_captions: Value = yes_no("Captions")
    nb_captions_per_audio: Value = count("Captions per clip")
    total_audio_length: Value = number("Length of audio")
    used_for: str | None = text("Used for")
    more: More = more()


@dataclass(frozen=True)
class System:
    """The system: DCASE's ``system``."""

    description: Description = part(Description)
    complexity: Complexity = part(Complexity)
    external_datasets: tuple[Dataset, ...] = parts(Dataset)
    source_code: str | None = text("Source code")
    more: More = more()


@dataclass(frozen=True)
class Development:
    """Scores on the public split, as the team computed them."""

    meteor: Value = number("METEOR")
    cider: Value = number("CIDEr")
    spice: Value = number("SPICE")
    spider: Value = number("SPIDEr")
    spiderfl: Value = number("SPIDEr-FL")
    more: More = more()


@dataclass(frozen=True)
class Results:
    """DCASE's ``results``."""

    development_evaluation: Development = part(Development)
    more: More = more()


@dataclass(frozen=True)
class Metadata:
    """All of a metadata file."""

    submission: SubmissionInfo = part(SubmissionInfo)
    system: System = part(System)
    results: Results = part(Results)
    more: More = more()

    def to_dict(self) -> dict[str, Any]:
        """The metadata in DCASE's names and nesting, without empty fields."""
        return as_dict(self)

    @property
    def empty(self) -> bool:
        """Whether there is no value at all."""
        return not self.to_dict()


# The field that a bare text is where a whole part is expected.
FIELD_OF_BARE_TEXT: dict[type[Any], str] = {
    Affiliation: "institute",
    Author: "lastname",
    Complexity: "total_parameters",
    Dataset: "name",
}


def as_dict(value: Any) -> dict[str, Any]:
    """A part as a dictionary, its own keys first and then the unknown ones."""
    values: dict[str, Any] = {}
    for spec in fields(value):
        inner = getattr(value, spec.name)
        if spec.name == "more":
            continue
        if "part" in spec.metadata:
            inner = as_dict(inner) or None
        elif "parts" in spec.metadata:
            inner = [as_dict(item) for item in inner] or None
        if inner is not None:
            values[spec.name] = inner
    return {**values, **value.more}


def labels_of(kind: type[Any]) -> dict[str, str]:
    """Labels of the single values of a part, as readers see them."""
    return {spec.name: spec.metadata["label"] for spec in fields(kind) if "label" in spec.metadata}


PRIVATE = {"authors", "author", "email", "e-mail", "phone", "corresponding"}


def without_people(value: Any) -> Any:
    """Stored metadata without authors, addresses and telephone numbers at any depth."""
    if isinstance(value, dict):
        return {
            key: without_people(inner)
            for key, inner in value.items()
            if str(key).strip().lower() not in PRIVATE
        }
    if isinstance(value, list):
        return [without_people(inner) for inner in value]
    return value
