"""Changing the settings of a project, which several people may do at once."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.db import transaction

from annotation.models import Project
from annotation.services.guidelines import guidelines_keep
from annotation.services.projects import ProjectAct, ProjectSettings
from leaderboard.web.refusals import Refused

# The fields of a project that its settings are; the seed stays as it was drawn.
SETTINGS = (
    "name",
    "guidelines",
    "order",
    "copies",
    "share",
    "offered",
    "settle_own",
    "suggest",
    "suggestion_threshold",
    "kind_options",
)


class SettingsChanged(Refused):
    """Somebody else changed the same settings meanwhile; ``fields`` are their names."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(f"Somebody else changed this in the meantime: {', '.join(fields)}.")
        self.fields = fields


def setting_stamps(project: Project) -> dict[str, str]:
    """For each setting what changes whenever it does."""
    return {name: _stamp(getattr(project, name)) for name in SETTINGS}


def _stamp(value: object) -> str:
    # Browsers end lines in their own way, which is no change.
    text = str(value).replace("\r\n", "\n")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@transaction.atomic
def project_change(
    *,
    project: Project,
    settings: ProjectSettings,
    act: ProjectAct,
    seen: Mapping[str, str] | None = None,
) -> None:
    """Change a project; captions that it has keep their order and their number of people.

    ``seen`` are the stamps of the settings that were looked at (None: those of now): what was
    left as it was shown stays as somebody else made it meanwhile. Raises ``SettingsChanged``
    where both changed the same.
    """
    # Nothing but settings is written: it may be closed, or get other labels, at this moment.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    options = dict(locked.work_kind.options(settings.kind_options))
    values = {"name": settings.name, "kind_options": options} | asdict(settings.rules)
    present = setting_stamps(locked)
    shown = seen or present
    mine = [name for name in SETTINGS if _stamp(values[name]) not in {shown[name], present[name]}]
    if both := [name for name in mine if shown[name] != present[name]]:
        raise SettingsChanged(both)
    for name in mine:
        setattr(locked, name, values[name])
    locked.full_clean()
    locked.save(update_fields=SETTINGS)
    guidelines_keep(project=locked, by=act.actor, now=act.now)
    act.note("change", locked)
    project.refresh_from_db()
