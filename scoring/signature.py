"""Signatures: what a number depends on, in one short line (after sacreBLEU)."""

from collections.abc import Mapping

from scoring import __version__


def signature(name: str, parameters: Mapping[str, str | int | float], references: str) -> str:
    """Build the signature of a metric or of a metric family.

    ``parameters`` holds every setting able to change the number, in a fixed
    order; models appear as ``name@xxxxxxxx`` with the first 8 hex digits of
    their weights' sha256. ``references`` is ``References.counts_label``.
    Two numbers may be compared only where their signatures are equal.

    >>> signature("bleu_4", {"tok": "ptb-3.4.1"}, "5")
    'bleu_4|tok:ptb-3.4.1|refs:5|v:0.1.0'
    """
    fields = [name, *(f"{key}:{value}" for key, value in parameters.items())]
    return "|".join([*fields, f"refs:{references}", f"v:{__version__}"])


def plain_number(value: float) -> int | float:
    """Give a whole number as an int, so that 6 and 6.0 have the same signature.

    >>> plain_number(6.0), plain_number(1.2)
    (6, 1.2)
    """
    return int(value) if value.is_integer() else value
