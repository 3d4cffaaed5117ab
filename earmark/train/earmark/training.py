"""From files of judgments and references to a file of weights and a report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.benchmark import Accuracy, JudgedCaption, Judgments, Preferences, queries, shares
from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.metrics.earmark.metric import PARTS, Earmark
from earmark.metrics.earmark.weights import weights_json
from earmark.train.earmark.altered_captions import AlteredPair, altered_pairs
from earmark.train.earmark.fitting import (
    PartPairs,
    Setting,
    ablation,
    ablation_json,
    choose_setting,
    fit,
    nested_validation,
)
from earmark.workspace import Workspace

Floats = NDArray[np.float64]
WEIGHTS_FILE = "weights.json"
REPORT_FILE = "report.json"
ABLATION_FILE = "ablation.json"


@dataclass(frozen=True, slots=True)
class EarmarkRecipe:
    """``name`` appears in signatures; altered captions are made of ``clips`` of each corpus.

    ``ablated``: the validation is done anew without each part, too.
    """

    name: str = "earmark-2"
    seed: int = 0
    clips: int = 500
    ablated: bool = False


class TooFewPairs(ScoringError):
    """Judgments from which nothing can be validated."""

    def __init__(self, clips: int) -> None:
        super().__init__(
            f"People's judgments are of {clips} clip{'' if clips == 1 else 's'}. "
            "Give judgments of at least 20, so that weights can be tried on clips not seen."
        )


@dataclass(frozen=True, slots=True)
class EarmarkReport:
    """What was learned and how well it does.

    ``validated``: accuracy on people's pairs by kind of pair, each pair ordered by weights that
    saw nothing of its clip. ``altered``: by what is wrong with a caption, the share of pairs
    of references that were kept out of the fit whose better caption is preferred.
    """

    weights: dict[str, float]
    setting: Setting
    validated: dict[str, Accuracy]
    altered: dict[str, Accuracy]

    def as_json(self) -> str:
        """Write it for the model card."""
        shown = {
            name: {kind: round(share.percent, 1) for kind, share in rows.items() if share.pairs}
            for name, rows in (("validated", self.validated), ("altered", self.altered))
        }
        counts = {
            "pairs of people": self.validated["Total"].pairs,
            "altered pairs kept out": sum(share.pairs for share in self.altered.values()),
        }
        weights = {name: round(weight, 4) for name, weight in self.weights.items()}
        content = {"weights": weights, "setting": asdict(self.setting), **counts, **shown}
        return json.dumps(content, indent=1) + "\n"


def train(
    judgments: Judgments,
    corpora: Sequence[References],
    folder: Path,
    workspace: Workspace,
    *,
    recipe: EarmarkRecipe,
    log: Callable[[str], None],
) -> EarmarkReport:
    """Learn weights, write them with a report into ``folder``, and return the report.

    Altered captions of every fifth clip are kept out of the fit and measured. Raises
    ``TooFewPairs`` and what the parts raise.
    """
    people = _people(judgments, workspace)
    if (groups := len(np.unique(people.groups))) < 20:
        raise TooFewPairs(groups)
    log(f"{len(people.groups):,} pairs that people judged, of {groups:,} clips")
    seed = recipe.seed
    pairs = [
        pair for corpus in corpora for pair in altered_pairs(_some(corpus, recipe.clips), seed=seed)
    ]
    altered = _altered(pairs, workspace)
    kept_out = np.array([pair.clip % 5 == 0 for pair in pairs], np.bool_)
    log(f"{len(pairs):,} pairs of altered captions, {int(kept_out.sum()):,} of them kept out")
    fitted = altered[~kept_out]
    right = nested_validation(people, fitted, seed=seed)
    setting = choose_setting(people, fitted, seed=seed)
    weights = fit(people, fitted, setting)
    report = EarmarkReport(
        dict(zip(PARTS, weights.tolist(), strict=True)),
        setting,
        _accuracies(judgments, right),
        _by_kind(pairs, altered @ weights > 0, kept_out),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WEIGHTS_FILE).write_text(weights_json(recipe.name, _rounded(report.weights)))
    (folder / REPORT_FILE).write_text(report.as_json())
    if recipe.ablated:
        rows = ablation(people, fitted, right, seed=seed, log=log)
        (folder / ABLATION_FILE).write_text(ablation_json(rows))
    return report


def _people(judgments: Judgments, workspace: Workspace) -> PartPairs:
    """People's decidable pairs, better less worse."""
    captions = queries(judgments)
    values = dict(zip(captions, _values(captions, workspace), strict=True))
    pairs = judgments.decidable
    rows = [(values[pair.first] - values[pair.second]) * np.sign(pair.truth) for pair in pairs]
    return PartPairs(np.array(rows), np.array([pair.clip for pair in pairs], np.int64))


def _altered(pairs: Sequence[AlteredPair], workspace: Workspace) -> Floats:
    """Differences of parts, better less worse, shape (pairs, parts)."""
    if not pairs:
        return np.zeros((0, len(PARTS)))
    sides = [
        (JudgedCaption(pair.better, pair.references), JudgedCaption(pair.worse, pair.references))
        for pair in pairs
    ]
    captions = list(dict.fromkeys(caption for side in sides for caption in side))
    values = dict(zip(captions, _values(captions, workspace), strict=True))
    return np.array([values[better] - values[worse] for better, worse in sides])


def _values(captions: Sequence[JudgedCaption], workspace: Workspace) -> Floats:
    """The parts of captions, each against its own references, shape (captions, parts)."""
    references = References.build(
        (str(at), caption.references) for at, caption in enumerate(captions)
    )
    metric = Earmark()
    prepared = metric.prepare(references, workspace)
    candidates = Candidates.single(caption.caption for caption in captions)
    return metric.part_values(candidates, references, prepared, workspace)


def _some(corpus: References, clips: int) -> References:
    """At most so many clips, evenly over the corpus."""
    step = max(1, -(-len(corpus) // clips))
    return References(corpus.clips[::step])


def _accuracies(judgments: Judgments, right: NDArray[np.bool_]) -> dict[str, Accuracy]:
    people = Preferences.of(judgments.decidable, {})
    return shares(people, np.where(right, people.truth, -people.truth))


def _by_kind(
    pairs: Sequence[AlteredPair], right: NDArray[np.bool_], chosen: NDArray[np.bool_]
) -> dict[str, Accuracy]:
    kinds = np.array([pair.kind for pair in pairs])
    return {
        str(kind): Accuracy(int(right[of].sum()), int(of.sum()))
        for kind in sorted(set(kinds.tolist()))
        if (of := chosen & (kinds == kind)).any()
    }


def _rounded(weights: dict[str, float]) -> dict[str, float]:
    """Weights to four digits that still add up to 1; what is below half a per mille is left out."""
    kept: dict[str, Any] = {part: weight for part, weight in weights.items() if weight >= 0.0005}
    total = sum(kept.values())
    rounded = {part: round(weight / total, 4) for part, weight in kept.items()}
    largest = max(rounded, key=lambda part: rounded[part])
    rounded[largest] = round(rounded[largest] + 1 - sum(rounded.values()), 4)
    return rounded
