"""How the client ends: its exit codes, and the errors that lead to them."""

OK = 0
REFUSED = 1
MISUSED = 2
UNREACHABLE = 3
INTERRUPTED = 130


class Ending(Exception):
    """The end of a command with something to say."""

    code = REFUSED


class Refused(Ending):
    """The server, or the check before it, refuses; ``answer`` is what it said."""

    def __init__(self, message: str, answer: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.answer = answer or {}


class Misused(Ending):
    """The command cannot be carried out as it was given."""

    code = MISUSED


class Unreachable(Ending):
    """The server cannot be reached, or has no time."""

    code = UNREACHABLE
