"""For whom a request counts where it is counted how often someone asks."""

from ipaddress import IPv6Address, ip_address, ip_network

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from leaderboard.models import User

# Who has one IPv6 address mostly has all 2 ** 64 of its network, and could count as so many.
IPV6_NETWORK = 64


def counted_as(request: HttpRequest, user: object) -> str:
    """Say for whom a request counts: the user, else the network that it comes from.

    The same for pages and the API. The address is the one that proxies we trust give.
    """
    if isinstance(user, User):
        return f"user:{user.pk}"
    try:
        return f"address:{network_of(get_adapter().get_client_ip(request))}"
    except PermissionDenied:
        return "address:unknown"


def network_of(address: str) -> str:
    """Give an IPv4 address as it is, of an IPv6 address the first 64 bits."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), IPV6_NETWORK), strict=False))
