"""How a metric family describes itself, in the ``__init__.py`` of its folder.

A descriptor is all that the rest of the program knows of a family before it is
computed: importing it loads neither numpy nor a model.
"""

import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal, get_args

from earmark.metrics.facets import ClipFacet
from earmark.signature import field_in, plain_number

Direction = Literal["higher", "lower"]
Queue = Literal["cpu", "gpu", "outside"]
InstalledModel = Literal["language", "clap"]
Detail = Mapping[str, Any]
Steps = Callable[[Detail], list[str]]

AFTER_OURS = 1000
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def listed(texts: Iterable[str]) -> str:
    """Join texts of a worked example; "none" where there are none."""
    return "; ".join(texts) or "none"


def plain_steps(detail: Detail) -> list[str]:
    """Details of a clip by their names, for families without texts of their own."""
    return [f"{name.replace('_', ' ')}: {value}" for name, value in detail.items()]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of a metric for readers who meet it for the first time.

    ``what``: how the number is computed; ``misses``: what it does not measure; ``clip``:
    the clip of the packaged example that shows it; ``steps``: how the value of a clip
    came about, in lines of plain text, from the details of that clip.
    """

    what: str
    misses: str
    clip: str
    steps: Steps = plain_steps


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """Description of a metric: its names, range, source and explanation.

    ``direction`` says which values are better, ``decimals`` to how many a value is shown.
    ``source`` names the paper or program and ``link`` is its address. ``several``: it
    exists only where a clip has several candidates. ``not_judged`` says why it is not
    compared with human judgments, where it is not. ``learned_from_judgments``: it is not
    compared with those of AudioCaps-Eval, from which it was learned, but with others.
    ``gaps`` says why it gives some clips no value, ``alone`` what it is worth where there is one
    clip only. ``is_count``: it tells how much there is and not how good it is, so that it ranks
    nothing. ``family`` is filled in by the registry, ``differences`` where the parameters are not
    the defaults: what differs, as it stands in the label, too.
    """

    name: str
    label: str
    low: float
    high: float
    summary: str
    source: str
    link: str
    explanation: Explanation
    direction: Direction = "higher"
    decimals: int = 3
    several: bool = False
    not_judged: str = ""
    learned_from_judgments: bool = False
    gaps: str = ""
    alone: str = ""
    is_count: bool = False
    family: str = ""
    differences: str = ""

    @property
    def column(self) -> str:
        """Its name as the heading of a column of a file, with what differs from the defaults."""
        return f"{self.name} ({self.differences})" if self.differences else self.name

    def note(self, coverage: int, clips: int, documents: int) -> str:
        """What to know of a value of ``coverage`` of ``clips`` clips; mostly nothing.

        ``documents``: of how many clips the references are that document frequencies come from.
        """
        gaps = self.gaps if coverage < clips else ""
        return self.alone if documents == 1 and self.alone else gaps


@dataclass(frozen=True, slots=True)
class FamilyOption:
    """A keyword argument of a family: its default, and how signatures and texts name its value.

    ``default`` is None where there is none, so that every value is part of the metric's label.
    ``signed`` is its field in signatures, ``key:`` and what stands before the value; ``shipped``
    how signatures write the default, ``signed_as`` how a choice, where they do otherwise.
    ``metrics``: those of the family that it changes; empty: all. ``texts`` replace what the
    summary and the explanation say of the default, with ``{}`` for the value. ``bare``: labels
    have the value without the option's name.
    ``choices``: the values it may have. ``names_labeller``: its value is the identity of
    a labeller that the installation keeps, and the family is given that labeller's folder.
    ``names_installed``: its value is the name under which an installation's settings have a
    language model or a CLAP model, and the family is given the model's own name, or its folder.
    """

    name: str
    default: str | float | None = None
    signed: str = ""
    shipped: str = ""
    signed_as: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    bare: bool = False
    choices: tuple[str, ...] = ()
    names_labeller: bool = False
    names_installed: InstalledModel | None = None

    def given(self, value: Any) -> str:
        """A value of the option as labels write it; empty where it is the default."""
        if value in (None, "", self.default, self.shipped):
            return ""
        if isinstance(value, int | float):
            return str(plain_number(float(value)))
        return str(value) if self.choices or self.bare else PurePath(str(value)).name

    def signed_value(self, signature: str) -> str:
        """The value that a signature has, as labels write it; empty where it is the default."""
        key, _, before = self.signed.partition(":")
        text = field_in(signature, key).removeprefix(before)
        if self.choices:
            chosen = (one for one in self.choices if self._is_choice(text, one))
            return self.given(next(chosen, None))
        if not text or text in (self.shipped, self.given_default):
            return ""
        name, is_model, _ = text.partition("@")
        if "@" in self.shipped and not is_model:
            return ""
        return text if self.names_labeller or name == self.shipped.partition("@")[0] else name

    @property
    def words(self) -> str:
        """Its name in labels."""
        return self.name.replace("_", " ")

    @property
    def given_default(self) -> str:
        """The default as signatures write it."""
        number = isinstance(self.default, int | float)
        return str(plain_number(float(self.default or 0))) if number else str(self.default)

    def _is_choice(self, text: str, choice: str) -> bool:
        written = self.signed_as.get(choice, choice)
        return text == written or text.startswith((f"{written}-", f"{written}@"))


@dataclass(frozen=True, slots=True)
class FamilyInfo:
    """Metrics that are computed together: where their class is, and what is known of them.

    ``path`` is ``module:Class``. ``queue`` says which workers compute it, ``group`` under
    which heading pages list it, ``order`` where it stands among the families.
    ``revision`` is raised when the family's numbers change, and only then. ``made_of``:
    families whose numbers go into its own, so that their revisions count for it.
    ``seconds``: what 1,000 clips take on one core, roughly; cheap families are computed first.
    ``judged_with``: parameters with which it is compared with human judgments.
    ``facet``: what the clips of a system can be filtered by. ``configured_by_phase``: it needs
    parameters that only an organiser can give, so that it is computed in phases that give
    some and nowhere else. ``package`` is filled in by the registry for families of other
    installed packages.
    """

    name: str
    path: str
    queue: Queue
    group: str
    metrics: tuple[MetricInfo, ...]
    order: int = AFTER_OURS
    revision: int = 1
    seconds: float = 10.0
    made_of: tuple["FamilyInfo", ...] = ()
    options: tuple[FamilyOption, ...] = ()
    judged_with: Mapping[str, Any] = field(default_factory=dict)
    facet: ClipFacet[Any] | None = None
    configured_by_phase: bool = False
    package: str = ""

    @property
    def signed_revision(self) -> int:
        """The revision in signatures: it grows, too, when a family that this is made of changes."""
        return self.revision + sum(part.signed_revision - 1 for part in self.made_of)

    def choices(self, option: str) -> tuple[str, ...]:
        """Values that an option may have; empty: no list of them is known."""
        return next((one.choices for one in self.options if one.name == option), ())

    @property
    def labeller_options(self) -> tuple[str, ...]:
        """Options whose value is the identity of a labeller."""
        return tuple(one.name for one in self.options if one.names_labeller)


def descriptor_faults(family: object) -> Iterator[str]:
    """Everything that a descriptor lacks or has wrong, one sentence each."""
    if not isinstance(family, FamilyInfo):
        yield f"FAMILY is {type(family).__name__}, not earmark.metrics.descriptor.FamilyInfo."
        return
    if not _NAME.fullmatch(family.name):
        yield f"The name {family.name!r} is not made of small letters, digits and underscores."
    if not family.group:
        yield "It has no group: the heading under which pages list it."
    if family.queue not in get_args(Queue):
        yield f"Its queue {family.queue!r} is none of: {', '.join(get_args(Queue))}."
    if not family.seconds > 0:
        yield f"Its seconds are {family.seconds}; write what 1,000 clips take, more than 0."
    if family.revision < 1:
        yield f"Its revision is {family.revision}; the first is 1."
    if not family.metrics:
        yield "It has no metrics."
    yield from _path_faults(family.path)
    for metric in family.metrics:
        for fault in _metric_faults(metric):
            yield f"{metric.name}: {fault}"


def _path_faults(path: str) -> Iterator[str]:
    module, _, name = path.partition(":")
    try:
        exists = bool(module and name) and importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        exists = False
    if not exists:
        yield f"Its path {path!r} is not the module:Class of an installed module."


def _metric_faults(metric: MetricInfo) -> Iterator[str]:
    if not _NAME.fullmatch(metric.name):
        yield "its name is not made of small letters, digits and underscores."
    for part in ("label", "summary", "source"):
        if not getattr(metric, part):
            yield f"it has no {part}."
    if not metric.link.startswith(("https://", "http://")):
        yield "it has no link to its source."
    if metric.direction not in get_args(Direction):
        yield f"its direction {metric.direction!r} is none of: {', '.join(get_args(Direction))}."
    if not metric.low < metric.high:
        yield f"its range is empty: {metric.low} to {metric.high}."
    if not isinstance(metric.explanation, Explanation):
        yield "it has no explanation."
        return
    for part in ("what", "misses", "clip"):
        if not getattr(metric.explanation, part):
            yield f"its explanation does not say {part!r}."
