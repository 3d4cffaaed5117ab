"""Deciding what is found in captions, editing captions, and taking either back.

All lock the caption's clip first, since captions of a clip are compared with each other.
"""

from collections.abc import Callable
from typing import Any

from django.db import transaction

from annotation.models import (
    CaptionAct,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetClip,
    Verdict,
)
from annotation.selectors.data_sets.checking import OF_CLIP, findings_of_clip, kinds_checked_at_once
from annotation.selectors.data_sets.findings import decided_together
from annotation.services.data_sets.findings import findings_move, findings_update
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import Place, TextChange, merged, text_stamp
from earmark.captions.caption_checks import check_caption
from earmark.captions.faults import FaultLog, in_quotes
from earmark.captions.file_layout import REFERENCE_LIMITS
from leaderboard.web.refusals import Refused

_VERDICT_OF = {
    CaptionAct.ACCEPTED: Verdict.ACCEPTED,
    CaptionAct.EDITED: Verdict.EDITED,
    CaptionAct.DISMISSED: Verdict.DISMISSED,
}


_OPEN: dict[str, Any] = {
    "verdict": Verdict.OPEN,
    "after": "",
    "decided_by": None,
    "decided_at": None,
}


def _changed(text: str) -> Refused:
    return Refused(
        f"Somebody changed the caption in the meantime; it is now {in_quotes(text, 200)}. "
        "Nothing was stored. Check the new text, then decide again."
    )


def _already_decided(finding: CaptionFinding) -> Refused:
    who = finding.decided_by.get_username() if finding.decided_by else "someone"
    done = {
        Verdict.ACCEPTED: f"{who} applied a suggestion.",
        Verdict.EDITED: f"{who} edited the caption.",
        Verdict.DISMISSED: f"{who} dismissed it.",
    }.get(Verdict(finding.verdict), "It is no longer found in the caption.")
    return Refused(f"This has already been decided: {done} Nothing was changed.")


@transaction.atomic
def finding_accept(*, finding: CaptionFinding, choice: int, seen: str, act: DataSetAct) -> None:
    """Put a suggestion, by its place from 0, where the finding is.

    ``seen`` is the stamp of the caption that was looked at.
    """
    caption, locked = _open_finding(finding, seen)
    if not 0 <= choice < len(locked.suggestions):
        raise Refused(
            f"The finding has {len(locked.suggestions)} suggestions, but no number {choice + 1}. "
            "Choose one of them, or edit the caption."
        )
    place = Place(locked.start, locked.end)
    suggestion = str(locked.suggestions[choice])
    # A word that is removed takes the blank behind it along.
    end = place.end + (not suggestion and caption.text[place.end : place.end + 1] == " ")
    after = TextChange(place.start, end, suggestion).applied(caption.text).strip()
    decision = _decision(caption, locked, CaptionAct.ACCEPTED, after, act)
    decision.save()
    _text_set(caption, _checked(after))
    _decide(locked, decision, act)


@transaction.atomic
def finding_edit(*, finding: CaptionFinding, text: str, seen: str, act: DataSetAct) -> None:
    """Write the caption anew; where the finding is still found in it, it stays open."""
    caption, locked = _open_finding(finding, seen)
    after = _other(caption, text)
    decision = _decision(caption, locked, CaptionAct.EDITED, after, act)
    decision.save()
    _text_set(caption, after)
    if CaptionFinding.objects.filter(pk=locked.pk, verdict=Verdict.GONE).exists():
        _decide(locked, decision, act)


@transaction.atomic
def finding_dismiss(*, finding: CaptionFinding, seen: str, act: DataSetAct) -> None:
    """Say that the caption is right as it is."""
    caption, locked = _open_finding(finding, seen)
    decision = _decision(caption, locked, CaptionAct.DISMISSED, caption.text, act)
    decision.save()
    _decide(locked, decision, act)


@transaction.atomic
def findings_dismiss_all(*, data_set: DataSet, kind: str, text: str, act: DataSetAct) -> int:
    """Dismiss every open finding of this kind and text, whatever the case; return how many."""
    wanted = CaptionFinding.objects.filter(
        caption__clip__data_set=data_set, kind=kind, text__iexact=text, verdict=Verdict.OPEN
    )
    clips = list(wanted.order_by().values_list("caption__clip", flat=True).distinct())
    list(DataSetClip.objects.select_for_update().filter(pk__in=clips).order_by("pk"))
    rows = list(wanted.filter(caption__clip__in=clips).select_related("caption").order_by("pk"))
    CaptionDecision.objects.bulk_create(
        _decision(row.caption, row, CaptionAct.DISMISSED, row.caption.text, act) for row in rows
    )
    for row in rows:
        row.verdict, row.after = Verdict.DISMISSED, row.caption.text
        row.decided_by, row.decided_at = act.actor, act.now
    CaptionFinding.objects.bulk_update(
        rows, ["verdict", "after", "decided_by", "decided_at"], batch_size=500
    )
    return len(rows)


@transaction.atomic
def caption_edit(*, caption: DataSetCaption, text: str, seen: str, act: DataSetAct) -> None:
    """Write a caption anew, for no finding's sake."""
    locked = _locked(caption.pk)
    _require_seen(locked, seen)
    after = _other(locked, text)
    _decision(locked, None, CaptionAct.EDITED, after, act).save()
    _text_set(locked, after)


@transaction.atomic
def decision_take_back(*, decision: CaptionDecision, act: DataSetAct) -> None:
    """Undo a decision: the words that it changed are again what they were, the finding is open.

    Changes of other words since then stay; of the same words it is refused.
    """
    caption = _locked(decision.caption_id)
    mine = CaptionDecision.objects.filter(pk=decision.pk, taken_back=False)
    if mine.filter(act__in=_VERDICT_OF).update(taken_back=True) != 1:
        raise Refused("This has already been taken back, or cannot be. Nothing was changed.")
    after = merged(decision.after, decision.before, caption.text)
    if after is None:
        raise Refused(
            "The same words have been changed again, and the caption is now "
            f"{in_quotes(caption.text, 200)}. Take that back first, or edit the caption."
        )
    finding = decision.finding
    _decision(caption, finding, CaptionAct.TAKEN_BACK, after, act).save()
    _text_set(caption, after, then=lambda: _reopen(finding, decision, after))


@transaction.atomic
def decisions_take_back(*, decision: CaptionDecision, act: DataSetAct) -> None:
    """Undo an act: a decision, or all findings that were dismissed at once. Like the one."""
    together = decided_together(decision)
    clips = list(together.order_by("caption__clip").values_list("caption__clip", flat=True))
    if len(clips) < 2 or decision.act != CaptionAct.DISMISSED:
        decision_take_back(decision=decision, act=act)
        return
    list(DataSetClip.objects.select_for_update().filter(pk__in=set(clips)).order_by("pk"))
    rows = list(together.select_related("caption", "finding"))
    dismissed = CaptionFinding.objects.filter(verdict=Verdict.DISMISSED)
    dismissed.filter(pk__in=together.values("finding")).update(**_OPEN)
    together.update(taken_back=True)
    CaptionDecision.objects.bulk_create(
        _decision(row.caption, row.finding, CaptionAct.TAKEN_BACK, row.caption.text, act)
        for row in rows
    )


def finding_take_back(*, finding: CaptionFinding, act: DataSetAct) -> None:
    """Undo the last decision about a finding that stands."""
    decisions = CaptionDecision.objects.filter(finding=finding, taken_back=False)
    last = decisions.filter(act__in=_VERDICT_OF).select_related("finding").order_by("-pk")
    decision = last.first()
    if decision is None:
        raise Refused("There is no decision to take back. Nothing was changed.")
    decision_take_back(decision=decision, act=act)


def _reopen(finding: CaptionFinding | None, decision: CaptionDecision, text: str) -> None:
    """Open the finding of a decision again, at its place in the caption as it is now."""
    if finding is None:
        return
    row = CaptionFinding.objects.filter(
        pk=finding.pk, verdict=_VERDICT_OF[CaptionAct(decision.act)]
    )
    if decision.act == CaptionAct.DISMISSED:  # its place moved with the caption since
        row.update(**_OPEN)
        return
    place = TextChange.between(decision.before, text).moved(Place(decision.start, decision.end))
    start, end = place or Place(decision.start, decision.end)
    row.update(start=start, end=end, text=text[start:end], before=text, **_OPEN)


def _locked(caption_id: int) -> DataSetCaption:
    DataSetClip.objects.select_for_update(of=("self",)).get(captions=caption_id)
    rows = DataSetCaption.with_taken_out.select_related("clip__data_set")
    caption = rows.get(pk=caption_id)
    if caption.taken_out:
        raise Refused(
            "The caption was taken out of the data set because its project no longer keeps it. "
            "Nothing was changed."
        )
    return caption


def _require_seen(caption: DataSetCaption, seen: str) -> None:
    if text_stamp(caption.text) != seen:
        raise _changed(caption.text)


def _open_finding(finding: CaptionFinding, seen: str) -> tuple[DataSetCaption, CaptionFinding]:
    caption = _locked(finding.caption_id)
    current = CaptionFinding.objects.select_related("decided_by").get(pk=finding.pk)
    if current.verdict != Verdict.OPEN:
        raise _already_decided(current)
    _require_seen(caption, seen)
    return caption, current


def _checked(text: str) -> str:
    faults = FaultLog()
    check_caption(text, 0, "", REFERENCE_LIMITS, faults)
    if errors := faults.reading(None).errors:
        raise Refused(" ".join(fault.message for fault in errors), status=422)
    return text


def _other(caption: DataSetCaption, text: str) -> str:
    after = _checked(" ".join(text.split()))
    if after == caption.text:
        raise Refused(
            "The caption is the same as before. Change it, or dismiss the finding.", status=422
        )
    return after


def _text_set(
    caption: DataSetCaption, after: str, *, then: Callable[[], None] | None = None
) -> None:
    """Give a caption its text, move what was found in it, and look at it again.

    ``then`` is called before it is looked at.
    """
    before = caption.text
    if after != before:
        same = DataSetCaption.objects.filter(pk=caption.pk, text=before)
        if same.update(text=after) != 1:
            raise _changed(DataSetCaption.objects.get(pk=caption.pk).text)
        caption.text = after
        findings_move(caption, before)
    if then is not None:
        then()
    kinds = kinds_checked_at_once(caption.clip.data_set)
    if kinds:
        captions = list(DataSetCaption.objects.filter(clip=caption.clip).order_by("number"))
        looked_for = {row.pk: kinds & {OF_CLIP} for row in captions} | {caption.pk: kinds}
        findings = findings_of_clip(caption.clip, captions, caption)
        findings_update(captions, findings, looked_for)


def _decision(
    caption: DataSetCaption,
    finding: CaptionFinding | None,
    done: CaptionAct,
    after: str,
    act: DataSetAct,
) -> CaptionDecision:
    decision = CaptionDecision(
        caption=caption,
        finding=finding,
        act=done,
        before=caption.text,
        after=after,
        by=act.actor,
        at=act.now,
    )
    if finding is not None:
        decision.kind, decision.text = finding.kind, finding.text
        decision.start, decision.end = finding.start, finding.end
    return decision


def _decide(finding: CaptionFinding, decision: CaptionDecision, act: DataSetAct) -> None:
    CaptionFinding.objects.filter(pk=finding.pk).update(
        verdict=_VERDICT_OF[CaptionAct(decision.act)],
        after=decision.after,
        decided_by=act.actor,
        decided_at=act.now,
    )
