"""Who still has to qualify and how far they are; test captions, which measure a person."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    Item,
    Member,
    Project,
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
    Role,
)
from annotation.selectors.labels import LabelBook, label_book
from annotation.spans import OUTSIDE, spans_of_words, starts_of_words
from earmark.captions.faults import count_of
from leaderboard.models import User


def must_qualify(project: Project, member: Member) -> bool:
    """Whether captions are kept from a member: others than annotators know what is settled."""
    is_held = project.qualification_on and member.qualified_at is None
    return is_held and member.role == Role.ANNOTATOR


def qualification_state(member: Member) -> dict[str, Any]:
    """How far a person is, in four queries.

    ``waiting`` are the captions to be labelled yet, in order. ``done`` of ``count`` captions of the
    present try, ``number`` from 1, are answered. ``last`` is the latest try that ended;
    ``tries_left`` counts the present one.
    """
    project = member.project
    tries = list(QualificationTry.objects.filter(project=project, user=member.user))
    ended = [one for one in tries if one.ended_at is not None]
    begun = next((one for one in tries if one.ended_at is None), None)
    captions = list(project.qualification_captions.all())
    answers = QualificationAnswer.objects.filter(attempt=begun)
    done = set(answers.values_list("caption", flat=True)) if begun else set()
    needed = must_qualify(project, member)
    left = max(0, project.qualification_tries - len(ended))
    waiting = [one for one in captions if one.pk not in done]
    return {
        "needed": needed,
        "count": len(captions),
        "done": len(done),
        "number": len(ended) + 1,
        "waiting": waiting if needed and left else [],
        "tries_left": left,
        "last": ended[-1] if ended else None,
    }


def known_labels(caption: QualificationCaption) -> dict[str, Any]:
    """What is settled of a caption now, else what was known of it when it was chosen.

    It has ``labels``, ``spans``, ``note``, and ``settled``: whether it is as it is settled now, or
    as a file said.
    """
    removed = caption.item is not None and caption.item.removed_at is not None
    gold = None if removed else getattr(caption.item, "gold", None)
    row = caption if gold is None else gold
    starts = starts_of_words(row.spans, len(caption.tokens))
    spans = spans_of_words(row.labels, starts, caption.tokens)
    settled = gold is not None or caption.item is None
    return {"labels": row.labels, "spans": spans, "note": row.note, "settled": settled}


def captions_known(project: Project) -> list[tuple[QualificationCaption, dict[str, Any]]]:
    """The captions of a qualification with what is expected of each, in one query."""
    rows = project.qualification_captions.select_related("item__gold")
    return [(row, known_labels(row)) for row in rows]


def feedback_of(project: Project, answer: QualificationAnswer) -> dict[str, Any]:
    """An answer word by word, and why it should be as expected (``note``, may be "").

    Each word with what was said and expected, and whether two spans of the label that both gave it
    and the word before meet there for one of them and not for the other (``edge``). ``edges`` say
    of each span that begins or ends elsewhere than expected where it does. ``same`` words were
    labelled as expected.
    """
    book, caption, known = label_book(project), answer.caption, known_labels(answer.caption)
    edges = edges_elsewhere(answer, known)
    rows = zip(caption.tokens, answer.labels, known["labels"], edges, strict=True)
    words = [
        {
            "word": str(token["text"]),
            "said": book[label],
            "expected": book[expected],
            "edge": edge,
            "same": label == expected and not edge,
        }
        for token, label, expected, edge in rows
    ]
    return {
        "words": words,
        "edges": edge_remarks(answer.spans, known["spans"], caption.text, book),
        "note": known["note"],
        "same": sum(word["same"] for word in words),
    }


def words_as_expected(answer: QualificationAnswer) -> int:
    """Count the words that have the label and the edge that is expected."""
    known = known_labels(answer.caption)
    rows = zip(answer.labels, known["labels"], edges_elsewhere(answer, known), strict=True)
    return sum(label == expected and not edge for label, expected, edge in rows)


def edges_elsewhere(answer: QualificationAnswer, known: Mapping[str, Any]) -> list[bool]:
    """Whether one span was made of two or two of one, at each word.

    An edge is compared as it is when captions are settled: where both words beside it have
    the same label. Elsewhere the labels say where spans end.
    """
    count = len(known["labels"])
    rows = (answer.labels, known["labels"])
    starts, expected = starts_of_words(answer.spans, count), starts_of_words(known["spans"], count)
    return [
        word > 0
        and known["labels"][word] != OUTSIDE
        and all(row[word - 1] == row[word] == known["labels"][word] for row in rows)
        and starts[word] != expected[word]
        for word in range(count)
    ]


def edge_remarks(
    spans: list[dict[str, Any]], expected: list[dict[str, Any]], text: str, book: LabelBook
) -> list[str]:
    """Say which expected spans were given with other edges; those not given at all are left out."""
    remarks = []
    for span in expected:
        own = [one for one in spans if _overlap(one, span)]
        name = f"“{text[span['start'] : span['end']]}” ({book.title_of(span['label'])})"
        if len(own) > 1:
            remarks.append(f"{name} is one span; you made {len(own)}.")
        elif own and sum(_overlap(own[0], one) for one in expected) > 1:
            remarks.append(f"{name} is a span of its own; yours goes on into another.")
        elif own and (faults := _ends_elsewhere(own[0], span)):
            remarks.append(f"{name}: your span {' and '.join(faults)}.")
    return remarks


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    reach = one["token_start"] <= other["token_end"] and other["token_start"] <= one["token_end"]
    return bool(reach and one["label"] == other["label"])


def _ends_elsewhere(span: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    faults = []
    for verb, end in (("starts", "token_start"), ("ends", "token_end")):
        by = span[end] - expected[end]
        if by:
            faults.append(f"{verb} {count_of(abs(by), 'word')} {'late' if by > 0 else 'early'}")
    return faults


def own_qualification_answer(member: Member, pk: int) -> QualificationAnswer | None:
    """An answer of the member's own by its number."""
    rows = QualificationAnswer.objects.select_related("caption__item__gold")
    return rows.filter(pk=pk, attempt__user=member.user, attempt__project=member.project).first()


def settled_to_choose(project: Project) -> QuerySet[Item]:
    """The settled captions that are no qualification captions yet."""
    chosen = QualificationCaption.objects.filter(item=OuterRef("pk"))
    return project.items.filter(~Exists(chosen), gold__isnull=False).order_by("position")


def qualifying_members(project: Project) -> list[tuple[Member, list[QualificationTry], bool]]:
    """The annotators who can log in, with tries that ended and if they must; in two queries."""
    tries: dict[int, list[QualificationTry]] = {}
    for one in QualificationTry.objects.filter(project=project, ended_at__isnull=False):
        tries.setdefault(one.user_id, []).append(one)
    rows = project.members.filter(role=Role.ANNOTATOR, user__is_active=True)
    return [
        (row, tries.get(row.user_id, []), must_qualify(project, row))
        for row in rows.select_related("user")
    ]


def met_in_qualification(user: User) -> QuerySet[QualificationAnswer]:
    """Answers of a person to qualification captions that are the ``item`` of an outer query."""
    return QualificationAnswer.objects.filter(caption__item=OuterRef("item"), attempt__user=user)


def gives_tests(project: Project, member: Member) -> bool:
    """Whether captions of this member are mixed with tests: others can look up what is settled."""
    return project.test_every is not None and member.role == Role.ANNOTATOR


def serving_items(project: Project) -> QuerySet[Item]:
    """The captions that can be tests: settled, and with no answer to come.

    Where labels are suggested only captions that several label, which never have suggestions.
    """
    waiting = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    shown = QualificationCaption.objects.filter(item=OuterRef("pk"))
    items = project.items.filter(~Exists(waiting), ~Exists(shown), gold__isnull=False)
    return items.filter(copies__gt=1) if project.suggest else items


def test_items(project: Project, user: User) -> QuerySet[Item]:
    """Those of them that the person has never been handed and never answered."""
    mine = {"item": OuterRef("pk"), "user": user}
    handed, answered = AssignmentRecord.objects.filter(**mine), Annotation.every.filter(**mine)
    return serving_items(project).filter(~Exists(handed), ~Exists(answered))


def captions_handed(project: Project, user: User) -> int:
    """How many captions the person was ever handed, tests among them."""
    return AssignmentRecord.objects.filter(item__project=project, user=user).count()


def test_places(project: Project, user: User, handed: int, count: int) -> list[bool]:
    """Whether each of the next ``count`` captions is a test, after ``handed`` ones."""
    every = project.test_every or 1
    return [
        number % every == _place(project, user, number // every, every)
        for number in range(handed, handed + count)
    ]


def tests_ahead(project: Project, user: User, work: int) -> int:
    """How many tests come before the last of ``work`` captions that are still free."""
    member = Member.objects.filter(project=project, user=user) if project.test_every else []
    if project.test_every is None or not any(gives_tests(project, one) for one in member):
        return 0
    every, handed = project.test_every, captions_handed(project, user)
    block, begun = divmod(handed, every)
    tests = 0
    if begun:
        place = _place(project, user, block, every)
        ahead = place >= begun
        rest = every - begun - ahead
        if work <= rest:
            return _at_most(project, user, int(ahead and work > place - begun))
        tests, work, block = int(ahead), work - rest, block + 1
    # All but the last run are whole; a test after the last caption does not come.
    whole, last = divmod(max(0, work - 1), every - 1)
    if work:
        tests += whole + (last + 1 > _place(project, user, block + whole, every))
    return _at_most(project, user, tests)


def _at_most(project: Project, user: User, tests: int) -> int:
    return min(tests, test_items(project, user).count())


def _place(project: Project, user: User, block: int, every: int) -> int:
    """In which place of a run of captions the test comes."""
    digest = salted_hmac("annotation.test_captions", f"{project.pk}:{user.pk}:{block}").digest()
    return int.from_bytes(digest[:8]) % every
