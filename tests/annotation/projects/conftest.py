"""A phase that the manager organises, and a manager who is staff."""

import pytest

from leaderboard.models import Phase
from tests.annotation.conftest import Crew
from tests.factories import PhaseFactory


@pytest.fixture
def phase(crew: Crew) -> Phase:
    """A phase with hidden references that the manager organises."""
    found: Phase = PhaseFactory(references_public=False)
    found.challenge.organisers.add(crew.manager)
    return found


@pytest.fixture
def staff(crew: Crew) -> Crew:
    crew.manager.is_staff = True
    crew.manager.save()
    return crew
