"""The models of the installation that judges from elsewhere use, by the names of its settings."""

from django.conf import settings

from leaderboard.outside_models import LanguageModelServer
from scoring.errors import ResourceMissing
from scoring.metrics.descriptor import InstalledModel
from scoring.registry import FAMILIES


def language_model_server(name: str) -> LanguageModelServer:
    """A language model by its name here; raises ``ResourceMissing``."""
    found: LanguageModelServer | None = settings.LANGUAGE_MODELS.get(name)
    if found is None:
        raise ResourceMissing(f"This site has no model called {name!r} any more.")
    return found


def installed_model(kind: InstalledModel, name: str) -> str:
    """What a metric family is given for a name: the language model's own name, or a folder.

    Raises ``ResourceMissing``.
    """
    if kind == "language":
        return language_model_server(name).model
    folder: str | None = settings.CLAP_MODELS.get(name)
    if folder is None:
        raise ResourceMissing(f"This site has no model called {name!r} any more.")
    return folder


def kind_of(family: str) -> InstalledModel | None:
    """The kind of model that a family takes from the settings; None: it is no outside judge."""
    known = FAMILIES.get(family)
    found = (option.names_installed for option in known.options) if known else iter(())
    return next((kind for kind in found if kind is not None), None)


def outside_families() -> list[str]:
    """Families that this installation has a model for, in the order of the registry."""
    models = {"language": settings.LANGUAGE_MODELS, "clap": settings.CLAP_MODELS}
    return [name for name in FAMILIES if (kind := kind_of(name)) and models[kind]]
