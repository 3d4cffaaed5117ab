"""The encoders that this installation offers to trainings, by names that people may see."""

from pathlib import Path

from django.conf import settings

from scoring.errors import ScoringError


class BackboneGone(ScoringError):
    """A training asks for an encoder that this installation does not offer any more."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The encoder {name!r} is not offered on this site any more. Start a new training with "
            "another one."
        )


def backbones() -> dict[str, str]:
    """Give what is configured by its name: a folder by its own, of two alike the second as -2."""
    found: dict[str, str] = {}
    for given in settings.BACKBONES:
        name = Path(given).name or given if Path(given).is_absolute() else given
        number = 1
        while (told := name if number == 1 else f"{name}-{number}") in found:
            number += 1
        found[told] = given
    return found


def backbone_given(name: str) -> str:
    """Give what is configured under a name; raise ``BackboneGone``."""
    if not name:
        return ""
    offered = backbones()
    # Trainings of earlier versions kept what was configured itself.
    given = offered.get(name, name if name in offered.values() else None)
    if given is None:
        raise BackboneGone(Path(name).name)
    return given


def backbone_said(name: str) -> str:
    """Give an encoder of a training as people may see it."""
    return Path(name).name if Path(name).is_absolute() else name
