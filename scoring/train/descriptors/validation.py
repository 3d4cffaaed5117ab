"""Cross-validation: how well a recipe labels captions that it has not seen."""

from collections.abc import Callable, Sequence

from scoring.errors import ScoringError
from scoring.train.descriptors.evaluation import Agreement, agreement
from scoring.train.descriptors.folds import folds_of, without_fold
from scoring.train.descriptors.reading import LabelSet
from scoring.train.descriptors.training import Recipe, Told, predict, train

Log = Callable[[str], None]


class TooAlike(ScoringError):
    """Captions of which too many belong together to be parted."""

    def __init__(self, folds: int, groups: int) -> None:
        super().__init__(
            f"The captions cannot be parted into {folds} folds: captions of one clip or of nearly"
            f" one text stay together, and there are {groups} such groups. Give more captions, or"
            " leave --folds out."
        )


def cross_validate(
    sets: Sequence[LabelSet], recipe: Recipe, folds: int, *, log: Log = lambda _line: None
) -> dict[str, Agreement]:
    """Train once per fold on all others and pool what is found, by set.

    A caption that is judged was not learned from in any set. Raises ``TooAlike``.
    """
    places = folds_of(sets, folds, recipe.seed)
    used = len(set(places.values()))
    if used < folds:  # a fold is empty only where there are fewer groups than folds
        raise TooAlike(folds, used)
    given: dict[str, list[Sequence[str]]] = {part.name: [] for part in sets}
    found: dict[str, list[Sequence[str]]] = {part.name: [] for part in sets}
    for fold in range(folds):
        log(f"fold {fold + 1} of {folds}")
        rest = [without_fold(part, places, fold) for part in sets]
        network = train([part for part in rest if part.captions], recipe, tell=told_to(log))
        for part in sets:
            judged = [caption for caption in part.captions if places[caption.key] == fold]
            people = [caption.labels for caption in judged]
            labels = predict(network, part, judged)
            given[part.name] += people
            found[part.name] += labels
            log(f"{part.name}: token micro F1 without O {agreement(people, labels).micro:.3f}")
    return {part.name: agreement(given[part.name], found[part.name]) for part in sets}


def told_to(log: Log) -> Callable[[Told], None]:
    """Write a line after each epoch."""
    return lambda told: log(f"epoch {told.epoch} of {told.epochs}: loss {told.loss:.4f}")
