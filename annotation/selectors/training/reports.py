"""What was measured of a training, as its page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Item, Project, TrainingRun
from scoring.models.descriptors.words import words_of

MICRO, WEIGHTED, SPAN, ACCURACY = "micro", "weighted", "span", "accuracy"
# Title and definition of each figure, in the order of the page.
FIGURES = (
    (
        MICRO,
        "Token F1, micro, without O",
        (
            "Over all words that have a label, by people or by the labeller: right labels counted "
            "twice over the labels of both. Words that both leave without a label do not count."
        ),
    ),
    (
        WEIGHTED,
        "Token F1, weighted, with O",
        (
            "The F1 of each label, no label being one of them, weighted by the words that people "
            "gave it. Many papers report this; easy words without a label raise it."
        ),
    ),
    (
        SPAN,
        "F1 of exact spans",
        (
            "A run of words with one label is right where its first word, its last word and its "
            "label are."
        ),
    ),
    (ACCURACY, "Words labelled right", "Share of all words, those without a label among them."),
)


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label: precision, recall and F1, 0 to 1, and the words that people gave it."""

    name: str
    precision: float
    recall: float
    f1: float
    words: int


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure on held-out captions; None where something was not measured."""

    title: str
    about: str
    value: float | None
    folds: float | None
    in_use: float | None


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """A training's report over the project's inventory; ``told`` is all of it."""

    told: dict[str, Any]
    own: dict[str, Any]
    folds: dict[str, Any] | None

    @property
    def labels(self) -> list[str]:
        """The labels in the order of the confusion matrix, "O" last."""
        return list(self.own["confusion"]["labels"])

    @property
    def counts(self) -> list[list[int]]:
        """Words by people's label (rows) and the labeller's (columns)."""
        return [list(row) for row in self.own["confusion"]["counts"]]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Held-out captions with wrong words, worst first, at most 200."""
        return list(self.own["errors"])

    @property
    def curve(self) -> list[dict[str, Any]]:
        """F1 by the number of captions learned from; empty where not asked for."""
        return list(self.told.get("curve") or [])

    @property
    def comparison(self) -> dict[str, Any]:
        """The labeller in use on the same captions."""
        return dict(self.told.get("comparison") or {})

    @property
    def others(self) -> list[tuple[str, dict[str, Any]]]:
        """What was measured of inventories that helped, by name."""
        return [row for row in self.told["inventories"].items() if row[1] is not self.own]

    @property
    def per_label(self) -> list[LabelRow]:
        """Each label that people or the labeller gave, in the order of the inventory."""
        told: dict[str, Any] = self.own["labels"]
        return [LabelRow(name, **told[name]) for name in self.labels if name in told]

    @property
    def figures(self) -> list[FigureRow]:
        """The figures in the order of the page."""
        in_use = self.comparison.get("scores") or {}
        folds = self.folds or {}
        return [
            FigureRow(title, about, self.own[name], folds.get(name), in_use.get(name))
            for name, title, about in FIGURES
        ]

    @property
    def confusions(self) -> list[tuple[str, str, int]]:
        """Words labelled otherwise than by people: people's label, the labeller's, count."""
        cells = [
            (one, other, count)
            for one, row in zip(self.labels, self.counts, strict=True)
            for other, count in zip(self.labels, row, strict=True)
            if one != other and count
        ]
        return sorted(cells, key=lambda cell: -cell[2])

    def count(self, given: str, found: str) -> int:
        """Count the words that people call the one and the labeller the other."""
        return self.counts[self.labels.index(given)][self.labels.index(found)]


def training_report(run: TrainingRun) -> TrainingReport | None:
    """Give the report of a training that is done."""
    told: dict[str, Any] = run.report
    own = (told.get("inventories") or {}).get(run.project.scheme.slug)
    if own is None:
        return None
    folds = (told.get("folds") or {}).get(run.project.scheme.slug)
    return TrainingReport(told, own, folds)


def errors_between(report: TrainingReport, given: str, found: str) -> list[dict[str, Any]]:
    """Give the captions with words of one cell of the confusion matrix; all for ""."""
    if not given:
        return report.errors
    return [
        error
        for error in report.errors
        if (given, found) in zip(error["given"], error["found"], strict=True)
    ]


def items_of(project: Project, errors: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Find the captions of the project that errors are of, by their words."""
    wanted = {" ".join(error["words"]) for error in errors}
    if not wanted:
        return {}
    found = {}
    rows = Item.objects.filter(project=project).order_by("-position").values_list("pk", "tokens")
    for pk, tokens in rows:
        # Cut as the reader of trainings cuts: by the tokens, not by the text.
        words = [word.text for token in tokens for word in words_of(str(token["text"]))]
        if (key := " ".join(words)) in wanted:
            found[key] = pk
    return found
