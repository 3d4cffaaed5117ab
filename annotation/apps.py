"""The labelling app."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import pre_delete
from django.utils import timezone


class AnnotationConfig(AppConfig):
    """Schemes, projects, who gets what, annotations, agreement and adjudication."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Keep the work of people who are deleted, and add to pages of the challenge app."""
        from annotation.selectors.people import account_ties, leads_project, personal_data_parts
        from annotation.selectors.tasks import may_hear_clip
        from annotation.selectors.training.runs import training_figure
        from leaderboard.web import extensions

        extensions.personal_data_parts.append(personal_data_parts)
        extensions.account_ties.append(account_ties)
        extensions.holds_rights.append(leads_project)
        extensions.audio_listeners.append(may_hear_clip)
        extensions.site_figures.append(training_figure)
        pre_delete.connect(_leave, sender=settings.AUTH_USER_MODEL, dispatch_uid="labelling-leave")


def _leave(*, instance: Any, **_: Any) -> None:
    from annotation.services.people import person_leaves

    person_leaves(instance, now=timezone.now())
