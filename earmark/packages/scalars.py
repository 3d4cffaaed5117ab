"""Single values of metadata as people write them, read as what they mean.

Each reader returns the value and, where the notation was unusual, what it was read as.
"""

import math
import re
from typing import NamedTuple

from earmark.packages.tree import Scalar

Value = str | int | float | bool | None
Number = int | float

NULL_TAG = "tag:yaml.org,2002:null"
MAX_NUMBER_CHARS = 40
MAX_WHOLE = 10**15
_NULLS = {"", "~", "null"}
_WRITTEN_NULLS = {"!!null", "none", "n/a", "na", "not applicable", "-"}
_TRUE, _FALSE = {"true", "yes", "on", "y"}, {"false", "no", "off", "n"}
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:([,'_ \u00a0\u202f])\d{3})(?:\1\d{3})*")
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_SCALED = re.compile(
    r"(?P<number>.*?\d\.?)\s*(?P<unit>k|m|mio|b|bn|g|t|thousand|million|billion|trillion)"
    r"(?:\s*(?:param(?:eter)?s?|weights))?\.?",
    re.IGNORECASE,
)
_NOUN = re.compile(r"(?P<number>.*?\d\.?)\s*(?:param(?:eter)?s?|weights)\.?", re.IGNORECASE)
_POWERS = {"k": 3, "m": 6, "b": 9, "g": 9, "t": 12}


class ReadScalar(NamedTuple):
    """A value, and a note on how it was read; empty where it was written in the usual way."""

    value: Value
    note: str = ""


def without_unstorable(text: str) -> str:
    """A text without the characters that databases refuse."""
    return _UNSTORABLE.sub("", text)


def is_null(scalar: Scalar) -> bool:
    """Whether YAML itself says that there is no value."""
    if scalar.tag == NULL_TAG:
        return scalar.text.strip().lower() in {*_NULLS, "!!null"}
    return scalar.plain and scalar.tag is None and scalar.text.lower() in _NULLS


def read_text(scalar: Scalar) -> ReadScalar:
    """Read text; numbers and yes or no are text where text is asked for."""
    if is_null(scalar):
        return ReadScalar(None)
    text = without_unstorable(scalar.text).strip()
    if not text:
        return ReadScalar(None)
    if text.lower() == "!!null":
        return ReadScalar(None, "read as null; write !!null without quotes")
    if text != scalar.text.strip():
        return ReadScalar(text, "characters that cannot be shown were left out")
    return ReadScalar(text)


def read_flag(scalar: Scalar) -> ReadScalar:
    """Read yes or no; what is neither is kept as a number or as text."""
    if is_null(scalar):
        return ReadScalar(None)
    lower = scalar.text.strip().lower()
    if lower in _TRUE | _FALSE:
        value = lower in _TRUE
        plainly = scalar.plain and lower in {"true", "false"}
        return ReadScalar(value, "" if plainly else f"read as {str(value).lower()}")
    if lower in _WRITTEN_NULLS:
        return ReadScalar(None, "read as null")
    text = without_unstorable(scalar.text).strip()
    if not text:
        return ReadScalar(None)
    number = _number_meant(text, whole=False) if len(text) <= MAX_NUMBER_CHARS else None
    return ReadScalar(text if number is None else number)


def read_yes_no(scalar: Scalar) -> ReadScalar:
    """Read yes or no where it is asked for, so that both words need no note."""
    read = read_flag(scalar)
    plainly = scalar.plain and isinstance(read.value, bool)
    return ReadScalar(read.value) if plainly else read


def read_number(scalar: Scalar) -> ReadScalar:
    """Read a number, as an integer where it is one; anything else is kept as text."""
    return _number(scalar, whole=False)


def read_whole(scalar: Scalar) -> ReadScalar:
    """Read a count: "98M", "98,000,000" and "9.8e7" are 98000000."""
    return _number(scalar, whole=True)


def read_any(scalar: Scalar) -> ReadScalar:
    """Read the value of a key that is not known, as YAML 1.2 does: quoted is text."""
    if is_null(scalar):
        return ReadScalar(None)
    text = without_unstorable(scalar.text)
    if not scalar.plain or scalar.tag is not None:
        return ReadScalar(text)
    if text in {"true", "True", "false", "False"}:
        return ReadScalar(text.lower() == "true")
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,17})", text):
        return ReadScalar(int(text))
    if len(text) <= MAX_NUMBER_CHARS and _DECIMAL.fullmatch(text):
        value = float(text)
        return ReadScalar(value if math.isfinite(value) else text)
    return ReadScalar(text)


def _number(scalar: Scalar, *, whole: bool) -> ReadScalar:
    if is_null(scalar):
        return ReadScalar(None)
    text = without_unstorable(scalar.text).strip()
    if not text:
        return ReadScalar(None)
    if text.lower() in _WRITTEN_NULLS:
        return ReadScalar(None, "read as null")
    number = None if len(text) > MAX_NUMBER_CHARS else _number_meant(text, whole=whole)
    if number is None or (whole and not (0 <= number <= MAX_WHOLE and number == int(number))):
        what = "a whole number" if whole else "a number"
        example = "write one such as 98000000" if whole else "write one such as 0.0005"
        return ReadScalar(text, f"not {what}, kept as text; {example}")
    value = int(number) if whole else number
    plainly = scalar.plain and _plainly(text, whole=whole)
    return ReadScalar(value, "" if plainly else f"read as {value}")


def _plainly(text: str, *, whole: bool) -> bool:
    if whole:
        return re.fullmatch(r"\d+", text) is not None
    # What YAML 1.1 itself takes for a number: 4e-6 lacks the point, 1e5 the sign.
    return re.fullmatch(r"[+-]?\d+|[+-]?\d+\.\d*(?:[eE][+-]\d+)?", text) is not None


def _number_meant(text: str, *, whole: bool) -> Number | None:
    """The number that was meant, None where that is not clear."""
    if (scaled := _SCALED.fullmatch(text)) is not None:
        number = _number_meant(scaled["number"].strip(), whole=whole)
        unit = scaled["unit"].lower()
        power = 3 if unit == "thousand" else _POWERS[unit[0]]
        # Rounded: a product of floats may miss the whole number by a hair.
        return None if number is None else round(number * 10**power, 6)
    if whole and (named := _NOUN.fullmatch(text)) is not None:
        return _number_meant(named["number"].strip(), whole=True)
    if _THOUSANDS.fullmatch(text):
        # Of what need not be whole, "1,234" may be a thousand or little more than one.
        return int(re.sub(r"\D", "", text)) if whole or text.count(",") != 1 else None
    plain = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    if not _DECIMAL.fullmatch(plain):
        return None
    if re.fullmatch(r"[+-]?\d+", plain):
        return int(plain)
    value = float(plain)
    return value if math.isfinite(value) else None
