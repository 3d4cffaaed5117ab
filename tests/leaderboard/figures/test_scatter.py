"""One metric against another: nothing is cut off, and histograms count what the points show."""

import numpy as np
import pytest

from leaderboard.models import Submission
from leaderboard.selectors.analysis.distributions import SystemSpread, distribution
from leaderboard.selectors.figures.figure import Figure
from leaderboard.selectors.figures.scatter import against_figure
from scoring.registry import METRICS


def spread(metric: str, *values: float) -> SystemSpread:
    scores = np.array(values, dtype=np.float32)
    shown = distribution(scores, METRICS[metric])
    assert shown is not None
    return SystemSpread(
        Submission(system_name="One"), scores.astype(np.float64), shown, (0, 1), "signature"
    )


def drawn(x: SystemSpread, y: SystemSpread) -> Figure:
    infos = x.distribution.info, y.distribution.info
    names = [f"{at}.wav" for at in range(x.values.size)]
    return against_figure(x, y, infos, names, names)


def test_axes_hold_every_point_and_go_to_the_ends_of_a_metric() -> None:
    figure = drawn(
        spread("cb_score", 0.4, 0.5, np.nan, 1.0), spread("sbert_sim", -0.12, 0.3, 0.4, 0.5)
    )
    x, y = (figure.layout[name]["range"] for name in ("xaxis", "yaxis"))
    # Room for half a marker beyond 0 and 1, although no clip is at 0.
    assert x[0] < 0
    assert x[1] > 1
    assert y[0] < -0.12
    assert y[1] > 1
    assert figure.data[0]["x"] == [0.4, 0.5, 1.0], "a clip without one of the scores is left out"


def test_a_metric_without_a_highest_score_ends_at_the_highest_there_is() -> None:
    figure = drawn(spread("cider_d", 0.0, 3.2), spread("fense", 0.2, 0.3))
    low, high = figure.layout["xaxis"]["range"]
    assert low < 0
    assert 3.2 < high < 3.4


def test_histograms_along_both_axes_count_every_clip() -> None:
    figure = drawn(spread("cb_score", 0, 0.5, 0.5, 1), spread("fense", 0.1, 0.1, 0.1, 0.9))
    above, beside = figure.data[-2:]
    assert (above["yaxis"], beside["xaxis"]) == ("y2", "x2")
    assert sum(above["y"]) == sum(beside["x"]) == 4
    assert max(above["y"]) == 2
    assert max(beside["x"]) == 3
    for name in ("xaxis2", "yaxis2"):
        assert figure.layout[name]["domain"][0] > figure.layout["xaxis"]["domain"][1]


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_clips_that_are_all_alike_are_drawn(value: float) -> None:
    figure = drawn(spread("cider_d", value), spread("cider_d", value))
    low, high = figure.layout["xaxis"]["range"]
    assert low < value < high
