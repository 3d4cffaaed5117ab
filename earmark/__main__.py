"""Entry of ``earmark`` and ``python -m earmark``."""

from typing import NoReturn

from earmark.cli.parser import main
from earmark.cli.program import run_program


def program() -> NoReturn:
    """Run one command as a program."""
    run_program(main)


if __name__ == "__main__":
    program()
