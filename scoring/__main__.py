"""Entry of ``python -m scoring``, as ``python -m earmark`` was called in version 0.1."""

from earmark.__main__ import program

if __name__ == "__main__":
    program()
