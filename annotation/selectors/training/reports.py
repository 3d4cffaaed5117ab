"""What was measured in a training, as its page shows it: values and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Annotation, Answer, Item, Project, TrainingRun
from annotation.selectors.projects import names_of
from annotation.selectors.training.material import LabelSource, words_with_labels
from annotation.selectors.training.runs import MAIN_STAGE, own_part
from earmark.models.descriptors.words import words_of
from leaderboard.models import User
from leaderboard.selectors.figures.figure import Figure, Numbers, axis, base_layout, plain, three
from leaderboard.selectors.labellers.scores import cells_off_diagonal, measure_rows


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """A training's report over the project's inventory; ``stored`` is all of it."""

    stored: dict[str, Any]
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
    def comparison(self) -> dict[str, Any]:
        """The labeller in use on the same captions."""
        return dict(self.stored.get("comparison") or {})

    @property
    def per_label(self) -> list[tuple[str, dict[str, Any]]]:
        """Each label that people or the labeller gave, in the order of the inventory.

        With precision, recall and F1, 0 to 1, and the words that people gave it.
        """
        scores: dict[str, Any] = self.own["labels"]
        return [(name, scores[name]) for name in self.labels if name in scores]

    @property
    def measures(self) -> list[dict[str, Any]]:
        """The figures of the labeller, of the folds and of the labeller in use, where measured."""
        in_use = self.comparison.get("scores")
        return measure_rows(*(part for part in (self.own, self.folds, in_use) if part))

    @property
    def confusions(self) -> list[tuple[str, str, int]]:
        """Words labelled otherwise than by people: people's label, the labeller's, count."""
        return cells_off_diagonal(self.labels, self.counts)

    def count(self, by_people: str, by_labeller: str) -> int:
        """Count the words that people call the one and the labeller the other."""
        return self.counts[self.labels.index(by_people)][self.labels.index(by_labeller)]


def training_report(run: TrainingRun) -> TrainingReport | None:
    """The report of a training that is done."""
    stored: dict[str, Any] = run.report
    own = own_part(run, stored.get("inventories"))
    if own is None:
        return None
    folds = own_part(run, stored.get("folds"))
    return TrainingReport(stored, own, folds)


def errors_between(
    report: TrainingReport, by_people: str, by_labeller: str
) -> list[dict[str, Any]]:
    """The captions with words of one cell of the confusion matrix; all for ""."""
    if not by_people:
        return report.errors
    return [
        error
        for error in report.errors
        if (by_people, by_labeller) in zip(error["given"], error["found"], strict=True)
    ]


def items_of(project: Project, errors: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Find the captions of the project that errors are of, by their words."""
    wanted = {" ".join(error["words"]) for error in errors}
    if not wanted:
        return {}
    items = {}
    rows = Item.objects.filter(project=project).order_by("-position").values_list("pk", "tokens")
    for pk, tokens in rows:
        # Cut as the reader of trainings cuts: by the tokens, not by the text.
        words = [word.text for token in tokens for word in words_of(str(token["text"]))]
        if (key := " ".join(words)) in wanted:
            items[key] = pk
    return items


def annotators_of(
    run: TrainingRun, errors: Sequence[dict[str, Any]], items: Iterable[int], reader: User
) -> list[str]:
    """Whose labels each error is compared with: a member's name, "you", "gold", or "" for nobody.

    A caption that several people accepted stands among the errors once for each. ``items`` are
    the captions that the errors are of. What was changed since is nobody's any more.
    """
    if run.chosen.get("source") == LabelSource.GOLD:
        return ["gold"] * len(errors)
    names = {**names_of(run.project), reader.pk: "you"}
    annotators: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    texts = Item.objects.filter(pk__in=items).values("text")
    rows = Annotation.objects.filter(
        item__project=run.project, item__text__in=texts, answer=Answer.ACCEPT
    ).order_by("item__position", "pk")
    for user, tokens, spans in rows.values_list("user", "item__tokens", "spans"):
        pairs = words_with_labels({"tokens": tokens, "spans": spans})
        key = tuple(word for word, _ in pairs), tuple(label for _, label in pairs)
        annotators.setdefault(key, []).append(names.get(user, ""))
    whose = []
    for error in errors:
        left = annotators.get((tuple(error["words"]), tuple(error["given"])), [])
        # Of people who labelled it alike each error is one's.
        whose.append(left.pop(0) if left else "")
    return whose


# What is drawn of epochs: title, name of the axis, and its range.
_DRAWN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "loss": ("Loss by epoch", "Loss", {"rangemode": "tozero"}),
    "f1": ("F1 on held-out captions by epoch", "Token F1, micro, without O", {"range": [0, 1.03]}),
}


def epochs_figure(rows: Sequence[dict[str, Any]], name: str) -> Figure:
    """The mean ``loss`` of each epoch, or the micro ``f1`` on held-out captions after it."""
    title, measure, span = _DRAWN[name]
    known = [row for row in rows if row[name] is not None]
    last = max((row["epochs"] for row in rows), default=1)
    # The training itself is drawn last, over the others.
    stages = sorted(dict.fromkeys(row["stage"] for row in known), key=lambda one: one == MAIN_STAGE)
    return Figure(
        name=name,
        title=title,
        alt="Lines; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(stage),
                "x": [row["epoch"] for row in known if row["stage"] == stage],
                "y": [round(row[name], 4) for row in known if row["stage"] == stage],
                "marker": {"size": 7},
                "meta": {} if stage == MAIN_STAGE else {"tone": "soft"},
                "hovertemplate": f"{plain(stage)}, epoch %{{x}}: %{{y:.3f}}<extra></extra>",
            }
            for stage in stages
        ],
        layout=base_layout(
            260,
            # The whole range from the start, so that the axis does not move while epochs come.
            xaxis=axis("Epoch", range=[0.5, last + 0.5], dtick=1 if last <= 12 else 5, tick0=0),
            yaxis=axis(measure, **span),
        ),
        numbers=Numbers(
            ("Stage", "Epoch", measure),
            tuple((row["stage"], str(row["epoch"]), three(row[name])) for row in known),
        ),
        point="epoch",
    )
