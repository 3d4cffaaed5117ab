"""What somebody does and sees on the pages of writing, editing and rating captions."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from annotation.kinds.rate import SCALES
from annotation.models import Item
from leaderboard.models import User
from tests.e2e.annotation.write.writing_page import DOG, RAIN, field, hear, press

WHOLE = (RAIN, DOG)
BEGUN = ("rain", "a dog")


@dataclass(frozen=True)
class Hands:
    """Hands that write captions; ``item`` is the first one, before ``user``.

    Of whole answers and of begun ones there are two each, 0 and 1.
    """

    item: Item
    user: User
    titled = "Sound"

    def title(self, number: int) -> str:
        return f"{self.titled} {number}"

    def do(self, page: Page, which: int) -> None:
        """Hear the sound and give a whole answer, but for accepting it."""
        hear(page)
        self.type(page, WHOLE[which])

    def begin(self, page: Page, which: int) -> None:
        self.type(page, BEGUN[which])

    def type(self, page: Page, text: str) -> None:
        press(page, "w", "Control+a")
        page.keyboard.type(text)
        press(page, "Escape")

    def change(self, page: Page) -> None:
        press(page, "w", "End")
        page.keyboard.type(" loudly")
        press(page, "Control+Enter")

    def sees(self, page: Page, which: int) -> None:
        """That the page shows a whole answer."""
        expect(field(page)).to_have_value(WHOLE[which])

    def sees_begun(self, page: Page, which: int) -> None:
        expect(field(page)).to_have_value(BEGUN[which])

    def sees_other(self, page: Page, which: int) -> None:
        expect(field(page)).not_to_have_value(WHOLE[which])

    def value(self, which: int) -> dict[str, Any]:
        return {"text": WHOLE[which], "heard": True}

    def changed(self) -> dict[str, Any]:
        """What is stored once the first answer was changed."""
        return {"text": f"{RAIN} loudly", "heard": True}

    def lines(self, which: int) -> list[str]:
        """What tells a whole answer from the other one."""
        return [f"Caption: {WHOLE[which]}"]

    def begun_lines(self, which: int) -> list[str]:
        return [f"Caption: {BEGUN[which]}"]


class EditHands(Hands):
    """Hands that edit captions."""

    titled = "Caption"


NUMBERS = (4, 2)


class RateHands(Hands):
    """Hands that give every caption the same, 4 or 2, and begin with the first."""

    @property
    def _shown(self) -> list[dict[str, str]]:
        shown = self.item.project.work_kind.shown(self.item, self.user.pk)
        return list(shown.content["captions"])

    def do(self, page: Page, which: int) -> None:
        hear(page)
        press(page, *[str(NUMBERS[which])] * 2 * len(self._shown))

    def begin(self, page: Page, which: int) -> None:
        press(page, str(NUMBERS[which]))

    def change(self, page: Page) -> None:
        press(page, "1", "a")

    def sees(self, page: Page, which: int) -> None:
        for place in range(len(self._shown)):
            for scale in SCALES:
                self._sees_number(page, place, scale, NUMBERS[which])

    def sees_begun(self, page: Page, which: int) -> None:
        self._sees_number(page, 0, "accuracy", NUMBERS[which])

    def sees_other(self, page: Page, which: int) -> None:
        last = page.locator(f"[data-scale=fluency][value='{NUMBERS[which]}']").last
        expect(last).not_to_be_checked()

    def _sees_number(self, page: Page, place: int, scale: str, number: int) -> None:
        row = page.get_by_role("list", name="Captions").get_by_role("listitem").nth(place)
        expect(row.locator(f"[data-scale={scale}][value='{number}']")).to_be_checked()

    def value(self, which: int) -> dict[str, Any]:
        rating = dict.fromkeys(SCALES, NUMBERS[which])
        return {"ratings": {row["key"]: dict(rating) for row in self._shown}, "heard": True}

    def changed(self) -> dict[str, Any]:
        found = self.value(0)
        found["ratings"][self._shown[0]["key"]]["accuracy"] = 1
        return found

    def lines(self, which: int) -> list[str]:
        number = NUMBERS[which]
        told = f"accuracy {number}, fluency {number}"
        return [f"\u201c{row['text']}\u201d: {told}" for row in self._shown]

    def begun_lines(self, which: int) -> list[str]:
        first = self._shown[0]["text"]
        return [f"\u201c{first}\u201d: accuracy {NUMBERS[which]}, fluency not rated"]


HANDS: dict[str, type[Hands]] = {"write": Hands, "edit": EditHands, "rate": RateHands}
