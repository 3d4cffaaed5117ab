"""Links by which people join projects."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.models.project import Member, Project, Role

MOST_USES = 100


class Invitation(models.Model):
    """A link that lets whoever holds it into a project, in ``role``, up to ``uses`` people.

    Only the SHA-256 of its token is stored: the link is shown once, to whoever makes it.
    ``email`` is the address to which it was mailed, "" where it was not. It works until
    ``expires_at``, and as long as ``created_by`` manages the project; who withdraws it deletes it.
    Who joins by it has the work of the ``session`` from then on, where it names one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    uses = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MOST_USES)]
    )
    used = models.PositiveSmallIntegerField(default=0)
    email = models.EmailField(blank=True)
    session = models.ForeignKey(
        Member, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"Invitation to {self.project}"
