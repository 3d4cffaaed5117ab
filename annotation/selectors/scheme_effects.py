"""What a version of a scheme that is not made yet would do, counted before it is."""

from dataclasses import dataclass

from annotation.models import Gold, Project
from annotation.selectors.labels import NO_LABEL
from annotation.selectors.relabelling import SchemeRoute, relabelling
from annotation.selectors.schemes import SchemeDraft, answers_before, scheme_versions


@dataclass(frozen=True, slots=True)
class EffectRow:
    """A label and what it becomes, with how many spans, captions, people and settled captions."""

    before: str
    after: str
    spans: int
    captions: int
    people: int
    gold: int


@dataclass(frozen=True, slots=True)
class SchemeEffect:
    """What a draft would do.

    ``unused`` are labels that go or change and that nothing has. ``added`` labels were not
    there when ``answers`` of ``people`` to ``captions`` were given; ``gold`` of those are settled.
    """

    rows: tuple[EffectRow, ...]
    unused: tuple[str, ...]
    added: tuple[str, ...]
    answers: int
    captions: int
    people: int
    gold: int


def scheme_effect(project: Project, draft: SchemeDraft) -> SchemeEffect:
    """Count it over every answer of the project, those that do not count included."""
    base = project.scheme
    done = relabelling(
        project, SchemeRoute(scheme_versions(project), draft.version_after(base))
    ).concerned
    rows = tuple(
        EffectRow(
            before or NO_LABEL,
            after or NO_LABEL,
            row.spans,
            len(row.captions),
            len(row.people),
            len(row.gold),
        )
        for (before, after), row in sorted(done.items())
    )
    met = {before for before, _ in done}
    answers = answers_before(project, draft).order_by()
    asked = asks(project, draft)
    return SchemeEffect(
        rows=rows,
        unused=tuple(name for name in draft.becomes if name not in met),
        added=tuple(draft.added(base)),
        answers=answers.count() if asked else 0,
        captions=answers.values("item").distinct().count() if asked else 0,
        people=answers.values("user").distinct().count() if asked else 0,
        gold=Gold.with_removed.filter(item__in=answers.values("item")).count() if asked else 0,
    )


def asks(project: Project, draft: SchemeDraft) -> bool:
    """Whether it has to be said what answers are that were given without the added labels."""
    return bool(draft.added(project.scheme)) and answers_before(project, draft).exists()
