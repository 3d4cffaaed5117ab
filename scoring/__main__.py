"""Entry of ``python -m scoring``."""

from scoring.cli.parser import main
from scoring.cli.program import run_program

if __name__ == "__main__":
    run_program(main)
