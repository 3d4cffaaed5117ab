"""What an encoder has to compute, counted from its shapes."""

from collections.abc import Iterable


def encoder_operations(lengths: Iterable[int], *, layers: int, width: int, inner: int) -> int:
    """Operations (multiplications and additions) for texts of so many sub-words each.

    ``width`` is that of the states, ``inner`` that between the two products that follow
    attention. Each sub-word meets every weight once; attention compares those of one text.

    >>> encoder_operations([1], layers=6, width=384, inner=1536)
    21242880
    """
    weights = layers * (4 * width * width + 2 * width * inner)
    attention = 4 * layers * width
    return sum(2 * weights * length + attention * length * length for length in lengths)


def rate(operations: float, seconds: float) -> str:
    """Operations a second as they are read.

    >>> rate(3e12, 2)
    '1500 GFLOP/s'
    """
    return f"{operations / seconds / 1e9:.0f} GFLOP/s"


def share_of_peak(operations: float, seconds: float, peak_tflops: float) -> float:
    """Share of what a card could compute at most in the same time, given 1e12 operations a second.

    >>> share_of_peak(3e12, 2, 6)
    0.25
    """
    return operations / seconds / (peak_tflops * 1e12)
