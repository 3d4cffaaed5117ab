"""Sets of metrics under one name: what each year's DCASE challenge ranked by and reported."""

from collections.abc import Iterable
from dataclasses import dataclass

from earmark.errors import UnknownMetric, UnusableInput
from earmark.registry import METRICS, metrics_for

ALL = "all"


class NoMetricNamed(UnusableInput):
    """A list of metrics without a single name."""

    def __init__(self) -> None:
        super().__init__(
            'No metric is named. Give names such as "fense", a set such as "dcase2024", or'
            f' "{ALL}".'
        )


@dataclass(frozen=True, slots=True)
class MetricSet:
    """Metrics that a challenge reported, and the one by which it ranked systems."""

    name: str
    ranked_by: str
    metrics: tuple[str, ...]


_CAPTIONING = ("meteor", "cider_d", "spice", "spider")
_FROM_TRANSLATION = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l")

# Task 6 (6a in 2022 and 2023), automated audio captioning. The metric that ranks is that of the
# challenge's rules; the others are those reported beside it as far as is known here: they have not
# been checked against the challenge's tables of results.
METRIC_SETS: dict[str, MetricSet] = {
    one.name: one
    for one in (
        MetricSet("dcase2020", "spider", (*_FROM_TRANSLATION, *_CAPTIONING)),
        MetricSet("dcase2021", "spider", (*_FROM_TRANSLATION, *_CAPTIONING)),
        MetricSet("dcase2022", "spider", (*_FROM_TRANSLATION, *_CAPTIONING)),
        MetricSet("dcase2023", "spider_fl", (*_CAPTIONING, "spider_fl", "sbert_sim", "fense")),
        MetricSet("dcase2024", "fense", (*_CAPTIONING, "spider_fl", "fense", "vocab")),
    )
}


def metric_names(
    wanted: str | Iterable[str], every: tuple[str, ...] | None = None
) -> tuple[str, ...]:
    """Names of the metrics that are wanted, each once, in the order used everywhere.

    ``wanted`` holds names of metrics and of sets (``known_name``), in a list or in one text with
    commas between; "all" stands for ``every`` (else for all that need no parameters of a phase).
    Raises ``UnknownMetric``, also for a name beside "all", and ``NoMetricNamed``.

    >>> metric_names("rouge_l, bleu_1")
    ('bleu_1', 'rouge_l')
    >>> metric_names(["dcase2023", "fense"])
    ('meteor', 'cider_d', 'spice', 'spider', 'spider_fl', 'sbert_sim', 'fense')
    """
    names = split_names(wanted)
    if not names:
        raise NoMetricNamed
    chosen: set[str] = set()
    for name in names:
        if name == ALL:
            chosen.update(every or metrics_for(several=True))
        elif name in METRIC_SETS:
            chosen.update(METRIC_SETS[name].metrics)
        elif name in METRICS:
            chosen.add(name)
        else:
            raise UnknownMetric(name, (*METRICS, *METRIC_SETS, ALL))
    return tuple(name for name in METRICS if name in chosen)


def split_names(wanted: str | Iterable[str]) -> list[str]:
    """Single names of a list of them, or of a text with commas between, as ``known_name``."""
    names = wanted.split(",") if isinstance(wanted, str) else wanted
    return [known_name(name.strip()) for name in names if name.strip()]


def known_name(name: str) -> str:
    """Name of the metric or set that is meant by a name in any case or by a label; else as given.

    >>> [known_name(name) for name in ("FENSE", "SPIDEr-FL", "SPICE+", "DCASE2024", "mine")]
    ['fense', 'spider_fl', 'spice_plus', 'dcase2024', 'mine']
    """
    return _ALIASES.get(_plain(name), name)


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


# A name comes before a label, and of equal labels our own before that of another package.
_ALIASES = {_plain(info.label): name for name, info in reversed(METRICS.items())}
_ALIASES |= {_plain(name): name for name in (*METRICS, *METRIC_SETS, ALL)}
