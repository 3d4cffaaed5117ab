"""The figures of a labeller, by hand."""

import pytest

from scoring.train.descriptors import token_agreement

GIVEN = [["O", "WHAT", "WHAT", "HOW"], ["O", "WHO", "O"]]
FOUND = [["O", "WHAT", "HOW", "HOW"], ["O", "WHO", "WHERE"]]


def test_figures_are_those_counted_by_hand() -> None:
    told = token_agreement(GIVEN, FOUND)
    # Right outside O: WHAT, HOW, WHO = 3; people gave 4, the labeller 5.
    assert told.micro == pytest.approx(2 * 3 / (4 + 5))
    # Spans: people WHAT(1-2) HOW(3) WHO(1); found WHAT(1) HOW(2-3) WHO(1) WHERE(2): one is right.
    assert told.span == pytest.approx(2 * 1 / (3 + 4))
    assert told.accuracy == pytest.approx(5 / 7)
    # F1 with words: O 2*2/(3+2) x3, WHAT 2*1/(2+1) x2, HOW 2*1/(1+2) x1, WHO 1 x1, WHERE 0 x0.
    assert told.weighted == pytest.approx((0.8 * 3 + 2 / 3 * 2 + 2 / 3 + 1) / 7)
    assert told.labels["WHAT"].precision == 1
    assert told.labels["WHAT"].recall == 0.5
    assert told.labels["WHERE"].words == 0
    assert told.captions == 2


def test_perfect_and_empty() -> None:
    assert token_agreement(GIVEN, GIVEN).micro == 1
    assert token_agreement([], []).micro == 0
    assert token_agreement([["O"]], [["O"]]).accuracy == 1
