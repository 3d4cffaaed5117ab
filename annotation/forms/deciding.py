"""What a form says of the words in dispute."""

from collections.abc import Iterable, Mapping

from annotation.selectors.deciding import Question

OTHER = "other"


def choices_in(data: Mapping[str, str], questions: Iterable[Question]) -> dict[int, str]:
    """Read the chosen label of every word; words for which nothing is chosen are left out.

    Where "another label" is chosen, or nothing but such a label, the second field counts.
    """
    choices: dict[int, str] = {}
    for question in questions:
        told = data.get(question.field, "")
        if told in {"", OTHER}:
            told = data.get(question.other_field, "")
        if told:
            choices |= dict.fromkeys(range(question.first, question.last + 1), told)
    return choices
