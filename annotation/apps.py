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
        """Keep the work of whoever is deleted, by whatever part of the site or command."""
        pre_delete.connect(_leave, sender=settings.AUTH_USER_MODEL, dispatch_uid="labelling-leave")


def _leave(*, instance: Any, **_: Any) -> None:
    from annotation.services.people import person_leaves

    person_leaves(instance, now=timezone.now())
