"""Entry of ``python -m earmark``."""

from earmark.cli.parser import main
from earmark.cli.program import run_program

if __name__ == "__main__":
    run_program(main)
