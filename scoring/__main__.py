"""Entry of ``python -m scoring``."""

import sys

from scoring.cli.parser import main

if __name__ == "__main__":
    sys.exit(main())
