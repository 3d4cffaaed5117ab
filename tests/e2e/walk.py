"""A way through the site: its clicks are counted, and each page on it can be kept as a picture."""

import os
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page

from tests.e2e.page_checks import started

# A page as a laptop shows it, and how wide it is in the picture of a whole way.
VIEW = {"width": 1200, "height": 800}
PANEL, GAP, COLUMNS = 600, 12, 3


class Walk:
    """The clicks from one page to another.

    Where ``EARMARK_PATHS`` names a folder, the pages of the way are put side by side into one
    picture there.
    """

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.name, self.clicks = page, name, 0
        self._views: list[Image.Image] = []
        self._folder = os.environ.get("EARMARK_PATHS")
        page.set_viewport_size({"width": VIEW["width"], "height": VIEW["height"]})

    def click(self, target: Locator) -> None:
        """Keep how the page looks, and click."""
        self.look()
        self.clicks += 1
        target.click()

    def look(self) -> None:
        """Keep how the page looks."""
        started(self.page)
        if self._folder:
            # The pointer's mark on what it lies over is no part of the page.
            self.page.mouse.move(0, 0)
            self._views.append(Image.open(BytesIO(self.page.screenshot())).convert("RGB"))

    def end(self) -> None:
        """Keep the last page, from its top, and write the picture."""
        self.page.evaluate("scrollTo(0, 0)")
        self.look()
        if not self._folder:
            return
        height = PANEL * VIEW["height"] // VIEW["width"]
        rows = -(-len(self._views) // COLUMNS)
        size = (COLUMNS * (PANEL + GAP) - GAP, rows * (height + GAP) - GAP)
        sheet = Image.new("RGB", size, "#dcdfda")
        for at, view in enumerate(self._views):
            panel = view.resize((PANEL, height), Image.Resampling.LANCZOS)
            sheet.paste(panel, (at % COLUMNS * (PANEL + GAP), at // COLUMNS * (height + GAP)))
        sheet.save(Path(self._folder) / f"{self.name}.webp", quality=60, method=6)
