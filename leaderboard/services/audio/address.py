"""Where recordings lie on a server that is not ours."""

import re
from urllib.parse import urlsplit

# The address stands in the policy of pages and before names of files.
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
_PATH = re.compile(r"[A-Za-z0-9/_.~%!$&'()*+,=:@-]*")
_LONGEST = 200


class AddressRefused(Exception):
    """An address from which browsers would not, or should not, play."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"{address[:_LONGEST]!r} cannot be used: {why}")


def address_checked(address: str) -> str:
    """Give the address as it is kept, or raise ``AddressRefused``."""
    told = address.strip()
    try:
        parts = urlsplit(told)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressRefused(address, "it is no address.") from error
    if parts.scheme != "https":
        raise AddressRefused(address, "it must begin with https://.")
    if not _HOST.fullmatch(host) or "@" in parts.netloc or port == 0:
        raise AddressRefused(address, "it names no server.")
    if parts.query or parts.fragment or "?" in told or "#" in told:
        raise AddressRefused(address, "the clips' names are put behind it: leave ? and # away.")
    if not _PATH.fullmatch(parts.path) or len(told) > _LONGEST:
        raise AddressRefused(address, "write its path in plain letters, not longer than a line.")
    return told.rstrip("/")
