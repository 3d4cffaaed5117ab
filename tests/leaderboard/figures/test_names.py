"""Names of systems where a figure has little room."""

from leaderboard.selectors.figures.figure import shortened_within
from leaderboard.selectors.figures.lab import MOST_LETTERS


def test_names_that_differ_at_their_end_alone_stay_apart() -> None:
    names = ["Baseline transformer large", "Baseline transformer small", "Echo"]
    cut = [shortened_within(name, MOST_LETTERS) for name in names]
    assert len(set(cut)) == len(names)
    assert max(map(len, cut)) <= MOST_LETTERS
    assert cut[-1] == "Echo"
