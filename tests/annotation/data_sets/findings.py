"""Checking the captions of a data set of the tests, and reading what was found."""

from annotation.models import CaptionFinding, DataSet, DataSetCaption, DataSetCheck, Verdict
from annotation.services.data_sets.findings import check_run, check_start
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import text_stamp
from tests.annotation.data_sets.conftest import Desk
from tests.leaderboard.scored_pages import plain


def checked(desk: Desk) -> DataSetCheck:
    """Check all captions, at once."""
    return checked_by(desk.data_set, desk.act)


def checked_by(data_set: DataSet, act: DataSetAct) -> DataSetCheck:
    """Check all captions of a data set, at once."""
    check = check_start(data_set=data_set, act=act)
    check_run(pk=check.pk, token=check.token)
    check.refresh_from_db()
    return check


def found(data_set: DataSet, verdict: Verdict = Verdict.OPEN) -> list[tuple[str, str]]:
    """Kinds and texts of findings in a state, in the order of the captions."""
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set, verdict=verdict)
    rows = rows.order_by("caption__clip__position", "caption__number", "start", "id")
    return list(rows.values_list("kind", "text"))


def finding(desk: Desk, text: str, kind: str = "spelling") -> CaptionFinding:
    """The one finding of this text."""
    return CaptionFinding.objects.get(caption__clip__data_set=desk.data_set, text=text, kind=kind)


def stamp(caption: DataSetCaption) -> str:
    """The stamp of a caption as it is stored now."""
    return text_stamp(DataSetCaption.objects.get(pk=caption.pk).text)


def words(content: bytes) -> str:
    """The text of a page, its messages too."""
    return plain(content.decode())
