"""Signatures: what a number depends on, in one short line (after sacreBLEU)."""

from collections.abc import Mapping

# How signatures ended while they named the version of the package instead of a revision.
_FORMER_END = "|v:0.1.0"
_FIRST_REVISION = "|r:1"


def signature(
    name: str, parameters: Mapping[str, str | int | float], references: str, revision: int
) -> str:
    """Build the signature of a metric or of a metric family.

    ``parameters`` holds every setting able to change the number, in a fixed
    order; models appear as ``name@xxxxxxxx`` with the first 8 hex digits of
    their weights' sha256. ``references`` is ``References.counts_label``.
    ``revision`` is the family's, raised only when its numbers change: a release
    of the package leaves signatures as they are. Two numbers may be compared
    only where their signatures are equal.

    >>> signature("bleu_4", {"tok": "ptb-3.4.1"}, "5", 1)
    'bleu_4|tok:ptb-3.4.1|refs:5|r:1'
    """
    fields = [name, *(f"{key}:{value}" for key, value in parameters.items())]
    return "|".join([*fields, f"refs:{references}", f"r:{revision}"])


def field_in(stored: str, key: str) -> str:
    """The value of a field of a signature, empty where it has none.

    >>> field_in("bleu_4|tok:ptb-3.4.1|refs:5|r:1", "tok")
    'ptb-3.4.1'
    """
    fields = (field.partition(":") for field in stored.split("|"))
    return next((value for name, _, value in fields if name == key), "")


def with_revision(stored: str) -> str:
    """Return a stored signature as it is written today.

    Ranking snapshots may not be rewritten, and those of version 0.1.0 hold
    signatures that end in the version. All families were at revision 1 then,
    so that the two forms mean the same.

    >>> with_revision("bleu_4|tok:ptb-3.4.1|refs:5|v:0.1.0")
    'bleu_4|tok:ptb-3.4.1|refs:5|r:1'
    """
    if not stored.endswith(_FORMER_END):
        return stored
    return stored.removesuffix(_FORMER_END) + _FIRST_REVISION


def plain_number(value: float) -> int | float:
    """Return a whole number as an int, so that 6 and 6.0 have the same signature.

    >>> plain_number(6.0), plain_number(1.2)
    (6, 1.2)
    """
    return int(value) if value.is_integer() else value
