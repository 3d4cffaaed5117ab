"""Teams: people take part as a team, which may have one member."""

import secrets

from django.conf import settings
from django.db import models


class Team(models.Model):
    """A team under whose name systems are ranked."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=60, unique=True)
    affiliation = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Never changes, whoever owns the team later: what shares a quota must not be a choice.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Membership", related_name="teams"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class TeamRole(models.TextChoices):
    """What a member may do: both submit, an owner also manages the team."""

    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
    """One person in one team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=8, choices=TeamRole, default=TeamRole.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once_per_team")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


def invitation_token() -> str:
    """Make the unguessable part of an invitation link."""
    return secrets.token_urlsafe(24)


class TeamInvitation(models.Model):
    """A link that lets whoever holds it join, until it expires or is revoked.

    With ``invited`` it works for that person alone.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, unique=True, default=invitation_token, editable=False)
    invited = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="team_invitations",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "invited"],
                condition=models.Q(invited__isnull=False),
                name="invitation_once_per_team_and_person",
            )
        ]

    def __str__(self) -> str:
        return f"Invitation to {self.team}"
