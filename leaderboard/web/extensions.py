"""Hooks by which other apps add to pages of the challenge app, which knows none of them.

The labelling app appends to these lists when it starts (``AnnotationConfig.ready``):
its parts of the file with a person's data, reasons why an account cannot be deleted, who has
rights, who else may listen to a clip, and figures for who watches the site.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from leaderboard.models import User

PersonalDataPart = tuple[str, Iterator[Mapping[str, object]]]


@dataclass(frozen=True, slots=True)
class AccountTie:
    """Something that nobody would run after an account is deleted, and what to do first."""

    what: str
    remedy: str
    where: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class SiteFigure:
    """A number for who watches the site: ``values`` by what ``label`` tells apart."""

    name: str
    what: str
    label: str
    values: Mapping[str, float]


personal_data_parts: list[Callable[[User], Iterable[PersonalDataPart]]] = []
account_ties: list[Callable[[User], Iterable[AccountTie]]] = []
# Whether a person may do more than anybody with an account.
holds_rights: list[Callable[[User], bool]] = []
# Called with the person, the id of the reference set and the position of the clip in it.
audio_listeners: list[Callable[[User, int, int], bool]] = []
site_figures: list[Callable[[], SiteFigure]] = []
