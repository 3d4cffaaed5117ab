"""Versions of a project's guidelines, what changed between them, and who has read which."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.text import Truncator

from annotation.models import GuidelinesVersion, Member, Project
from earmark.captions.faults import count_of

LONGEST_SHOWN = 80
SAME, ADDED, REMOVED = "same", "added", "removed"
_WORD = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """Words of both texts, or of the later (``added``) or the earlier one (``removed``) alone."""

    how: str
    text: str


Line = tuple[ChangedPart, ...]


def guidelines_versions(project: Project) -> list[tuple[GuidelinesVersion, str]]:
    """Every version without its text and by whom ("": not known), the newest first; two queries."""
    names = dict(project.members.values_list("user", "name"))
    rows = project.guidelines_versions.defer("text").select_related("saved_by")
    return [(row, names.get(row.saved_by_id or 0, str(row.saved_by or ""))) for row in rows]


def newest_guidelines(project: Project) -> GuidelinesVersion | None:
    """The version that holds now; None where nothing was ever written."""
    return project.guidelines_versions.first()


def guidelines_changes(project: Project, before: int, after: int) -> dict[str, Any] | None:
    """The ``lines`` that changed from one version (0: nothing was there) to a later one.

    None where there is no such pair.
    """
    rows = {
        row.number: row for row in project.guidelines_versions.filter(number__in=(before, after))
    }
    if before >= after or after not in rows or (before and before not in rows):
        return None
    text = rows[before].text if before else ""
    lines = changed_lines(text, rows[after].text)
    return {"before": before, "after": after, "lines": lines}


def last_looked_at(member: Member) -> int:
    """The version that a member opened last, or that was there when they joined; 0: none."""
    if member.guidelines_read:
        return member.guidelines_read
    earlier = GuidelinesVersion.objects.filter(
        project=member.project_id, saved_at__lte=member.joined_at
    )
    return earlier.values_list("number", flat=True).first() or 0


def guidelines_news(member: Member) -> dict[str, Any] | None:
    """The ``number`` of the newest version, where the member has not read it; else None.

    With ``by`` whom and ``at`` what time it was saved, and in short ``what`` changed since.
    """
    versions = member.project.guidelines_versions
    number = versions.values_list("number", flat=True).first() or 0
    looked = last_looked_at(member) if number else 0
    changes = guidelines_changes(member.project, looked, number)
    if changes is None:
        return None
    newest = versions.select_related("saved_by").get(number=number)
    by = newest.saved_by.get_username() if newest.saved_by else ""
    return {"number": number, "by": by, "at": newest.saved_at, "what": in_short(changes["lines"])}


def in_short(lines: Sequence[Line]) -> str:
    r"""Name the first changed line, and count the others.

    >>> in_short(changed_lines("Label sounds.", "Label sounds.\n- Ask."))
    'added “Ask.”'
    """
    if not lines:
        return "only spacing"
    first = lines[0]
    hows = {part.how for part in first}
    text = "".join(part.text for part in first if hows == {REMOVED} or part.how != REMOVED)
    shown = Truncator(" ".join(text.strip("#*-> \n").split())).chars(LONGEST_SHOWN)
    how = {ADDED: "added ", REMOVED: "removed "}.get(first[0].how if len(hows) == 1 else "", "now ")
    others = f", and {count_of(len(lines) - 1, 'more line')}" if len(lines) > 1 else ""
    return f"{how}“{shown}”{others}"


def guidelines_readers(project: Project) -> list[Member]:
    """The members who can log in, those who read the oldest version first."""
    rows = project.members.filter(user__is_active=True).select_related("user")
    return list(rows.order_by("guidelines_read", "name"))


def changed_lines(before: str, after: str) -> list[Line]:
    """The lines that differ, in their order, each cut into parts; spacing alone is no change.

    >>> [[(part.how, part.text) for part in line] for line in changed_lines("a dog", "a cat")]
    [[('same', 'a '), ('removed', 'dog'), ('added', 'cat')]]
    """
    one, other = _lines(before), _lines(after)
    lines: list[Line] = []
    for how, a, b, c, d in _steps([_words(line) for line in one], [_words(line) for line in other]):
        if how == "equal":
            continue
        # Lines that stand for each other are compared by words; the rest is new or gone.
        paired = min(b - a, d - c)
        lines += [_compared(one[a + n], other[c + n]) for n in range(paired)]
        lines += [(ChangedPart(REMOVED, line),) for line in one[a + paired : b]]
        lines += [(ChangedPart(ADDED, line),) for line in other[c + paired : d]]
    return lines


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _words(line: str) -> tuple[str, ...]:
    return tuple(line.split())


def _compared(before: str, after: str) -> Line:
    one, other = _WORD.findall(before), _WORD.findall(after)
    parts: list[ChangedPart] = []
    for how, a, b, c, d in _steps(_words(before), _words(after)):
        if how == "equal":
            parts.append(ChangedPart(SAME, "".join(other[c:d])))
            continue
        if a < b:
            parts.append(ChangedPart(REMOVED, "".join(one[a:b])))
        if c < d:
            parts.append(ChangedPart(ADDED, "".join(other[c:d])))
    return tuple(parts)


def _steps(
    one: Sequence[object], other: Sequence[object]
) -> Iterator[tuple[str, int, int, int, int]]:
    # Long texts of few different words would take minutes without the shortcut (autojunk).
    yield from SequenceMatcher(None, one, other).get_opcodes()
