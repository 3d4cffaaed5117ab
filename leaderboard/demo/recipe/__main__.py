"""Entry of ``python -m leaderboard.demo.recipe``."""

from pathlib import Path

from leaderboard.demo.recipe.files import data_files

if __name__ == "__main__":
    for name, text in data_files().items():
        path = Path(__file__).resolve().parent.parent / "data" / name
        path.write_text(text, encoding="utf-8", newline="")
