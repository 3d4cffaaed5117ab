"""How labels are shown: by title and by the number of their tone."""

from dataclasses import dataclass

from annotation.models import Project
from annotation.spans import OUTSIDE

NO_LABEL = "No label"
# Tokens that stand at the word before without a space.
GLUED = frozenset({".", ",", ";", ":", "!", "?", ")", "%", "'s", "n't", "'re"})


@dataclass(frozen=True, slots=True)
class Shown:
    """A label as pages show it; ``tone`` is None for no label and for unknown ones."""

    name: str
    title: str
    tone: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LabelBook:
    """The labels of a project by name."""

    labels: dict[str, Shown]

    def __getitem__(self, name: str) -> Shown:
        """Show a label; one that the scheme has not is shown by its name."""
        return self.labels.get(name) or Shown(name, name)


def label_book(project: Project) -> LabelBook:
    """Give the labels of the project's scheme and what stands for none."""
    shown = {
        label.name: Shown(label.name, label.title, label.tone, label.key)
        for label in project.scheme.inventory
    }
    return LabelBook(shown | {OUTSIDE: Shown(OUTSIDE, NO_LABEL)})


@dataclass(frozen=True, slots=True)
class Gloss:
    """A word with what each person calls it; ``marked`` where it is looked for."""

    word: str
    labels: tuple[Shown, ...]
    disputed: bool
    marked: bool

    @property
    def glued(self) -> bool:
        """Whether it stands at the word before without a space."""
        return self.word in GLUED

    @property
    def plain(self) -> bool:
        """Whether nobody gives it a label."""
        return all(label.name == OUTSIDE for label in self.labels)


def glosses(
    words: tuple[str, ...],
    said: tuple[tuple[str, ...], ...],
    book: LabelBook,
    marked: tuple[int, ...] = (),
) -> list[Gloss]:
    """Put under each word what each of several people says of it."""
    return [
        Gloss(
            word=word,
            labels=tuple(book[labels[number]] for labels in said),
            disputed=len({labels[number] for labels in said}) > 1,
            marked=number in marked,
        )
        for number, word in enumerate(words)
    ]
