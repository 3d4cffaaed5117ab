"""Entry of ``python -m scoring``, as ``python -m earmark`` was called in version 0.1."""

from earmark.cli.parser import main
from earmark.cli.program import run_program

if __name__ == "__main__":
    run_program(main)
