"""How labels are shown: by title and by the number of their tone."""

from dataclasses import dataclass

from annotation.models import KeyChoice, Project, Scheme
from annotation.spans import OUTSIDE
from leaderboard.models import User

NO_LABEL = "No label"
# Tokens that stand at the word before without a space.
GLUED = frozenset({".", ",", ";", ":", "!", "?", ")", "%", "'s", "n't", "'re"})


@dataclass(frozen=True, slots=True)
class LabelDisplay:
    """A label as pages show it; ``tone`` is None for no label and for unknown ones."""

    name: str
    title: str
    tone: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LabelBook:
    """The labels of a project by name."""

    labels: dict[str, LabelDisplay]

    def __getitem__(self, name: str) -> LabelDisplay:
        """Show a label; one that the scheme has not is shown by its name."""
        return self.labels.get(name) or LabelDisplay(name, name)


def label_book(project: Project) -> LabelBook:
    """The labels of the project's scheme and what stands for none."""
    shown = {
        label.name: LabelDisplay(label.name, label.title, label.tone, label.key)
        for label in project.scheme.inventory
    }
    return LabelBook(shown | {OUTSIDE: LabelDisplay(OUTSIDE, NO_LABEL)})


@dataclass(frozen=True, slots=True)
class LabelledWord:
    """A word with what each person calls it; ``marked`` where it is looked for."""

    word: str
    labels: tuple[LabelDisplay, ...]
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


def labelled_words(
    words: tuple[str, ...],
    said: tuple[tuple[str, ...], ...],
    book: LabelBook,
    marked: tuple[int, ...] = (),
) -> list[LabelledWord]:
    """Put under each word what each of several people says of it."""
    return [
        LabelledWord(
            word=word,
            labels=tuple(book[labels[number]] for labels in said),
            disputed=len({labels[number] for labels in said}) > 1,
            marked=number in marked,
        )
        for number, word in enumerate(words)
    ]


def keys_of(user: User, scheme: Scheme) -> dict[str, str] | None:
    """The keys that a person changed, by label or command; None where they never changed any."""
    kept = KeyChoice.objects.filter(user=user, scheme=scheme).first()
    if kept is None:
        return None
    keys: dict[str, str] = kept.keys
    return keys
