"""Tabs over the pages of one thing, such as a challenge or a labelling project."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.template import Context
from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab; ``current`` is "page" on its own page, "true" on those below it, else empty.

    One that stands for several ``pages`` leads to the first of them.
    """

    label: str
    address: str
    current: str
    pages: list["Tab"] = field(default_factory=list)


def tabs_of(
    context: Context,
    namespace: str,
    tabs: Iterable[tuple[str, str, tuple[str, ...]]],
    args: Sequence[str],
    groups: Mapping[str, Sequence[str]] = {},
) -> list[Tab]:
    """Tabs of a page that is being rendered.

    ``tabs`` are label, name of the address in the namespace, and the beginnings of the names of
    addresses that belong to the tab. Those without an address are left out; of several with one
    label the first that has an address is taken. ``groups`` are the labels that stand under one.
    """
    match = getattr(context.get("request"), "resolver_match", None)
    here = (match.url_name or "") if match else ""
    by_label: dict[str, Tab] = {}
    for label, name, beginnings in tabs:
        try:
            address = reverse(f"{namespace}:{name}", args=args)
        except NoReverseMatch:
            continue
        below = "true" if here.startswith(beginnings) else ""
        by_label.setdefault(label, Tab(label, address, "page" if here == name else below))
    over = {label: group for group, labels in groups.items() for label in labels}
    shown: dict[str, Tab] = {}
    for tab in by_label.values():
        group = over.get(tab.label, "")
        if not group:
            shown[tab.label] = tab
            continue
        if before := shown.get(group):
            current = "true" if before.current or tab.current else ""
            shown[group] = replace(before, current=current, pages=[*before.pages, tab])
        else:
            shown[group] = replace(tab, label=group, pages=[tab])
    return list(shown.values())
