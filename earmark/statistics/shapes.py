"""Arrays of the wrong shape, refused before a number comes out that means nothing."""

import numpy as np
from numpy.typing import ArrayLike

from earmark.errors import UnusableInput


class WrongShape(UnusableInput):
    """An array with other axes than a function reads, or with another length than one beside it."""


def check_shape(name: str, array: ArrayLike, *axes: str | int) -> None:
    """Raise ``WrongShape`` unless the array has these axes; a number is the length of one.

    >>> check_shape("draws", np.ones((10, 3)), "resamples")
    Traceback (most recent call last):
    earmark.statistics.shapes.WrongShape: draws has the shape (10, 3). Give (resamples,).
    """
    shape = np.shape(array)
    lengths = zip(shape, axes, strict=False)
    if len(shape) != len(axes) or any(
        isinstance(axis, int) and length != axis for length, axis in lengths
    ):
        wanted = ", ".join(map(str, axes)) + "," * (len(axes) == 1)
        raise WrongShape(f"{name} has the shape {shape}. Give ({wanted}).")
