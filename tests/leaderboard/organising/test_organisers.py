"""Who runs a challenge: let in by name or by e-mail, which tells nobody who has an account."""

import re
from datetime import timedelta
from typing import Any

from django.core import mail
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import AuditEvent, Notice, OrganiserInvitation, User
from tests.factories import UserFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def let_in(cast: Cast, who: str) -> Any:
    return cast.client(cast.organiser).post(cast.managed("people"), {"who": who}, follow=True)


def organisers(cast: Cast) -> set[User]:
    return set(cast.phase.challenge.organisers.all())


def test_by_name_they_are_in_at_once_and_told(cast: Cast) -> None:
    let_in(cast, cast.outsider.username)
    assert organisers(cast) == {cast.organiser, cast.outsider}
    assert Notice.objects.get(user=cast.outsider).text.startswith(f"{cast.organiser.username} made")
    event = AuditEvent.objects.get(action="organiser.add")
    assert (event.challenge, event.target) == (cast.phase.challenge, cast.outsider.username)
    assert "was an organiser already" in let_in(cast, cast.outsider.username).content.decode()
    assert "There is no user with the name “nobody”" in text(let_in(cast, "nobody").content)
    assert AuditEvent.objects.filter(action="organiser.add").count() == 1


def test_an_address_with_an_account_and_one_without_are_answered_alike(cast: Cast) -> None:
    """Else the page would tell who has an account here."""
    UserFactory.create(username="ann", email="ann@example.org")
    answers = []
    for address in ("ann@example.org", "zoe@example.org"):
        seen = let_in(cast, address).content.decode()
        plain = re.sub(
            r'(?s)<code>.*?</code>|csrfmiddlewaretoken.*?>|"invited" value="\d+', "", seen
        )
        plain = re.sub(r"<time.*?</time>", "", plain).replace(address, "X")
        answers.append(plain)
        OrganiserInvitation.objects.all().delete()
    assert answers[0] == answers[1]
    assert [message.to for message in mail.outbox] == [["ann@example.org"], ["zoe@example.org"]]
    assert organisers(cast) == {cast.organiser}


def test_the_link_lets_in_whoever_has_it_once(cast: Cast) -> None:
    let_in(cast, "New.Person@example.org")
    link = re.search(r"/manage/join/\S+", str(mail.outbox[0].body))
    assert link
    client = cast.client(cast.outsider)
    assert cast.phase.challenge.title in text(client.get(link[0]).content)
    assert organisers(cast) == {cast.organiser}
    assert client.post(link[0]).status_code == 302
    assert organisers(cast) == {cast.organiser, cast.outsider}
    again = cast.client(cast.member).post(link[0])
    assert again.status_code == 404
    assert "does not work" in text(again.content)
    # No address of a person stands in a log for ever.
    assert "example.org" not in str(list(AuditEvent.objects.values_list("target", "details")))


def test_links_that_do_not_work(cast: Cast) -> None:
    """Nor is who was taken out back by a link they know."""
    client, stranger = cast.client(cast.organiser), cast.client(cast.outsider)
    people = cast.managed("people")

    def link() -> str:
        let_in(cast, "new@example.org")
        return reverse("leaderboard:manage-join", args=[OrganiserInvitation.objects.get().token])

    late = link()
    OrganiserInvitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert stranger.get(late).status_code == 404
    OrganiserInvitation.objects.all().delete()
    revoked = link()
    client.post(people, {"act": "revoke", "invited": OrganiserInvitation.objects.get().pk})
    known = link()
    cast.phase.challenge.organisers.add(cast.outsider)
    remove = {"act": "remove", "person": cast.outsider.pk}
    answer = client.post(people, remove, follow=True)
    assert "Open invitations no longer work" in answer.content.decode()
    for address in (late, revoked, known, reverse("leaderboard:manage-join", args=["made-up"])):
        for method in (stranger.get, stranger.post):
            assert method(address).status_code == 404
    assert organisers(cast) == {cast.organiser}


def test_the_last_whose_account_is_on_cannot_leave(cast: Cast) -> None:
    client, address = cast.client(cast.organiser), cast.managed("people")
    leave = {"act": "remove", "person": cast.organiser.pk}
    cast.phase.challenge.organisers.add(UserFactory.create(is_active=False))
    assert "has no other organiser" in client.post(address, leave, follow=True).content.decode()
    assert cast.organiser in organisers(cast)
    cast.phase.challenge.organisers.add(cast.outsider)
    let_in(cast, "new@example.org")
    assert client.post(address, leave)["Location"] == "/manage/"
    assert client.get(address).status_code == 404
    assert AuditEvent.objects.filter(action="organiser.remove").exists()
    assert OrganiserInvitation.objects.get().email == "new@example.org", "it is of others, too"


def test_who_is_called_like_an_address_is_not_let_in_for_it(cast: Cast) -> None:
    """Else whoever takes the address of a colleague for a name would see the hidden references."""
    UserFactory.create(username="chair@example.org", email="thief@example.com")
    let_in(cast, "chair@example.org")
    assert organisers(cast) == {cast.organiser}
    assert [message.to for message in mail.outbox] == [["chair@example.org"]]
