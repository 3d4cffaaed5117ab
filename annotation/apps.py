"""The labelling app."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Schemes, projects, who gets what, annotations, agreement and adjudication."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"
