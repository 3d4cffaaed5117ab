"""Label schemes as files, JSON or YAML, with what is wrong said by line."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import yaml

from annotation.label_rules import MOST_LABELS, label_faults
from annotation.models import Scheme
from annotation.models.scheme import Label
from earmark.captions.faults import in_quotes

LARGEST = 200_000
FIELDS = ("name", "title", "key", "tone", "guideline", "examples")
# Databases keep neither NUL nor half of a surrogate pair, both of which a file can ask for.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class SchemeFileFault(ValueError):
    """A file that is no scheme; ``faults`` say line, value and what to do."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def write_scheme(scheme: Scheme, kind: str) -> str:
    """A scheme as ``kind``: "json", else YAML. Reading it gives the same labels."""
    content = {
        "slug": scheme.slug,
        "version": scheme.version,
        "title": scheme.title,
        "summary": scheme.summary,
        "labels": [label.to_json() for label in scheme.inventory],
    }
    if kind == "json":
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=100))


def read_scheme(content: bytes) -> tuple[str, str, tuple[Label, ...]]:
    """Title, summary and labels; raises ``SchemeFileFault`` with everything that is wrong."""
    root = _root(content)
    if unstorable := list(_unstorable(root)):
        raise SchemeFileFault(unstorable)
    parts = _parts(root)
    rows = parts.get("labels")
    if not isinstance(rows, yaml.SequenceNode) or not rows.value:
        raise SchemeFileFault([f"{_line(rows or root)}: there are no labels. Add a list labels."])
    if len(rows.value) > MOST_LABELS:
        raise SchemeFileFault(
            [f"{_line(rows)}: there are {len(rows.value)} labels. Keep at most {MOST_LABELS}."]
        )
    faults: list[str] = []
    labels = [_label(row, faults) for row in rows.value]
    for fault in label_faults(labels):
        row = rows.value[fault.place]
        faults.append(f"{_line(_parts(row).get(fault.field, row))}, {fault.field}: {fault.message}")
    if faults:
        raise SchemeFileFault(faults)
    return _text(parts.get("title"))[:120], _text(parts.get("summary"))[:1000], tuple(labels)


def _root(content: bytes) -> yaml.MappingNode:
    if len(content) > LARGEST:
        raise SchemeFileFault([f"The file is larger than {LARGEST // 1000} kB. Shorten it."])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        fault = f"Line {line}: this is not UTF-8. Save the file as UTF-8."
        raise SchemeFileFault([fault]) from error
    if text.lstrip().startswith("{"):
        # JSON may be indented by tabs, which YAML refuses; within texts it has none.
        text = text.replace("\t", " ")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"Line {mark.line + 1}" if mark else "The file"
        why = getattr(error, "problem", "") or "it is nested too deeply"
        fault = f"{place}: this is neither JSON nor YAML: {why}. Correct it there, or just before."
        raise SchemeFileFault([fault]) from error
    if not isinstance(root, yaml.MappingNode):
        raise SchemeFileFault(["Line 1: this is not a scheme. Begin with title and labels."])
    return root


def _unstorable(root: yaml.MappingNode) -> Iterator[str]:
    """Faults of every text that no database keeps; a YAML file may name a part many times."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not isinstance(node, yaml.ScalarNode):
            waiting += chain.from_iterable(
                part if isinstance(part, tuple) else (part,) for part in node.value
            )
        elif match := _UNSTORABLE.search(node.value):
            yield f"{_line(node)}: U+{ord(match[0]):04X} cannot be stored. Take it out of the text."


def _label(row: Any, faults: list[str]) -> Label:
    parts = _parts(row)
    for name, node in parts.items():
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            faults.append(f"{_line(node)}: a label has no {in_quotes(name)}. It has: {known}.")
    tone = _text(parts.get("tone"))
    if not (tone.isascii() and tone.isdigit() and len(tone) < 4):
        where = _line(parts.get("tone", row))
        faults.append(
            f"{where}: tone {in_quotes(tone)} is not a colour. Write a number from 0 to 11."
        )
        tone = "0"
    examples = parts.get("examples")
    listed = examples.value if isinstance(examples, yaml.SequenceNode) else []
    return Label(
        name=_text(parts.get("name")),
        title=_text(parts.get("title")) or _text(parts.get("name")),
        key=_text(parts.get("key")),
        tone=int(tone),
        guideline=_text(parts.get("guideline")),
        examples=tuple(_text(node) for node in listed),
    )


def _parts(node: Any) -> dict[str, Any]:
    """The parts of a mapping by name; none of what is no mapping."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {_text(key): value for key, value in node.value}


def _text(node: Any) -> str:
    """A single value on one line, "" where there is none."""
    return " ".join(str(node.value).split()) if isinstance(node, yaml.ScalarNode) else ""


def _line(node: Any) -> str:
    return f"Line {node.start_mark.line + 1}"
