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


class LabelBook(dict[str, LabelDisplay]):
    """The labels of a project by name; one that the scheme lacks is shown by its name."""

    def __missing__(self, name: str) -> LabelDisplay:
        return LabelDisplay(name, name)

    def title_of(self, name: str) -> str:
        """What a label is called."""
        return self[name].title


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
    labels: tuple[tuple[str, ...], ...],
    book: LabelBook,
    marked: tuple[int, ...] = (),
) -> list[LabelledWord]:
    """Put under each word its label by each person; ``labels`` has a row for each of them."""
    return [
        LabelledWord(
            word=word,
            labels=tuple(book[row[number]] for row in labels),
            disputed=len({row[number] for row in labels}) > 1,
            marked=number in marked,
        )
        for number, word in enumerate(words)
    ]


def keys_of(user: User, scheme: Scheme) -> dict[str, str] | None:
    """The keys that a person changed, by label or command; None where they never changed any."""
    choice = KeyChoice.objects.filter(user=user, scheme=scheme).first()
    return None if choice is None else dict(choice.keys)
