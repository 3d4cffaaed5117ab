"""Writing metadata as a YAML file that reads back equal."""

from dataclasses import fields
from typing import Any

import yaml

from leaderboard.packages.metadata import Metadata
from leaderboard.packages.scalars import read_any
from leaderboard.packages.tree import Scalar

HEAD = "# System description, written by Earmark in the terms of DCASE.\n"


class _Dumper(yaml.SafeDumper):
    """Quotes every text that would not be read back as that text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: aliases are for machines."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of lists, as DCASE's templates do."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None if read_any(Scalar(value)).value == value and value else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _nothing(dumper: yaml.SafeDumper, _value: None) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:null", "")


_Dumper.add_representer(type(None), _nothing)


def metadata_write(metadata: Metadata, *, blanks: bool = False) -> str:
    """Write metadata in DCASE's names and nesting.

    What is not said is left out, or with ``blanks`` stands there to be filled in.
    """
    laid_out = _with_blanks(metadata) if blanks else metadata.to_dict()
    body = yaml.dump(laid_out, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return HEAD + body


def _with_blanks(value: Any) -> dict[str, Any]:
    """Lay a part out with every field that DCASE knows; an empty list shows one item."""
    found: dict[str, Any] = {}
    for spec in fields(value):
        held = getattr(value, spec.name)
        if "parts" in spec.metadata:
            found[spec.name] = [_with_blanks(item) for item in held or [spec.metadata["parts"]()]]
        elif "part" in spec.metadata:
            found[spec.name] = _with_blanks(held)
        elif spec.name != "more":
            found[spec.name] = held
    return {**found, **value.more}
