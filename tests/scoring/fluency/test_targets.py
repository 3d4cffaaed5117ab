"""The shipped detector against the data of the field; targets from the issue and METRICS.md."""

from pathlib import Path

import numpy as np
import pytest

from tests.bench.bench_fluency import (
    both_detectors,
    f1,
    flags,
    human_captions,
    kappa,
    synthetic_errors,
)


def test_finds_synthetic_errors(shared_data: Path) -> None:
    assert f1(*synthetic_errors(shared_data)) >= 0.90


def test_agrees_with_the_original_detector(shared_data: Path) -> None:
    assert kappa(*both_detectors(shared_data)) >= 0.80


def test_spares_what_people_wrote(shared_data: Path) -> None:
    assert flags(human_captions(shared_data)).mean() <= 0.05


def test_kappa_is_cohens() -> None:
    # By hand: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no; agreed .7, by chance .5, kappa .4.
    one = np.repeat([True, True, False, False], [20, 5, 10, 15])
    other = np.repeat([True, False, True, False], [20, 5, 10, 15])
    assert kappa(one, other) == pytest.approx(0.4)
