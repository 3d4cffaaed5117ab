"""What somebody does and sees on the pages of writing, editing, rating and judging captions."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from annotation.kinds.judge import order_for
from annotation.kinds.rate import SCALES
from annotation.models import Annotation, Item
from leaderboard.models import User
from tests.e2e.annotation.desk import part, press

# Ten words.
RAIN = "heavy rain falls on a metal roof while birds sing"
DOG = "a large dog barks twice in the distance behind cars"
WHOLE = (RAIN, DOG)
BEGUN = ("rain", "a dog")
HEAR = "Hear the sound to its end first."


def field(page: Page) -> Locator:
    """The text, of a caption that is written or edited."""
    return page.locator("textarea[data-field=text]")


def title(page: Page) -> Locator:
    return part(page, "title")


def objection(page: Page) -> Locator:
    return part(page, "objection")


def hear(page: Page) -> None:
    """Play the sound in hand to its end, by the key."""
    expect(page.get_by_role("slider", name="Position in the sound")).to_be_enabled()
    press(page, "p")
    expect(objection(page)).not_to_have_text(HEAR)


def values() -> list[dict[str, Any]]:
    """The answers that are stored, in the order of their sounds."""
    rows = Annotation.objects.order_by("item__position")
    return [row.value for row in rows if row.value is not None]


@dataclass(frozen=True)
class Hands:
    """Hands that write captions of ``items``, before ``user``.

    Of whole answers and of begun ones there are two each, 0 and 1.
    """

    items: list[Item]
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

    def value(self, which: int, item: int = 0) -> dict[str, Any]:
        """What is stored of a whole answer to an item."""
        return {"text": WHOLE[which], "heard": True}

    def changed(self) -> dict[str, Any]:
        """What is stored once the first answer was changed."""
        return {"text": f"{RAIN} loudly", "heard": True}

    def lines(self, which: int) -> list[str]:
        """What tells a whole answer from the other one."""
        return [f"Caption: {WHOLE[which]}"]

    def begun_lines(self, which: int, item: int = 0) -> list[str]:
        return [f"Caption: {BEGUN[which]}"]


NUMBERS = (4, 2)


class RateHands(Hands):
    """Hands that give every caption the same, 4 or 2, and begin with the first."""

    def shown(self, item: int = 0) -> list[dict[str, str]]:
        """The captions of an item, in the order of the page."""
        found = self.items[item]
        return list(found.project.work_kind.shown(found, self.user.pk).content["captions"])

    def do(self, page: Page, which: int) -> None:
        hear(page)
        press(page, *[str(NUMBERS[which])] * 2 * len(self.shown()))

    def begin(self, page: Page, which: int) -> None:
        press(page, str(NUMBERS[which]))

    def change(self, page: Page) -> None:
        press(page, "1", "a")

    def sees(self, page: Page, which: int) -> None:
        for place in range(len(self.shown())):
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

    def value(self, which: int, item: int = 0) -> dict[str, Any]:
        rating = dict.fromkeys(SCALES, NUMBERS[which])
        return {"ratings": {row["key"]: dict(rating) for row in self.shown()}, "heard": True}

    def changed(self) -> dict[str, Any]:
        found = self.value(0)
        found["ratings"][self.shown()[0]["key"]]["accuracy"] = 1
        return found

    def lines(self, which: int) -> list[str]:
        number = NUMBERS[which]
        told = f"accuracy {number}, fluency {number}"
        return [f"\u201c{row['text']}\u201d: {told}" for row in self.shown()]

    def begun_lines(self, which: int, item: int = 0) -> list[str]:
        first = self.shown(item)[0]["text"]
        return [f"\u201c{first}\u201d: accuracy {NUMBERS[which]}, fluency not rated"]


SIDES = ("first", "second")


def choice(page: Page, side: str) -> Locator:
    return page.locator(f"[data-do={side}]")


class JudgeHands(Hands):
    """Hands that choose the first or the second caption of a pair before they hear its sound."""

    titled = "Pair"

    def do(self, page: Page, which: int) -> None:
        self.begin(page, which)
        hear(page)

    def begin(self, page: Page, which: int) -> None:
        press(page, "jl"[which])

    def change(self, page: Page) -> None:
        """One press: the sound was heard."""
        press(page, "l")

    def sees(self, page: Page, which: int) -> None:
        expect(choice(page, SIDES[which])).to_have_attribute("aria-pressed", "true")

    def sees_begun(self, page: Page, which: int) -> None:
        self.sees(page, which)

    def sees_other(self, page: Page, which: int) -> None:
        expect(choice(page, SIDES[which])).to_have_attribute("aria-pressed", "false")

    def value(self, which: int, item: int = 0) -> dict[str, Any]:
        return {"choice": self.order(item)[which], "heard": True}

    def order(self, item: int) -> list[str]:
        """The keys of the captions of a pair, in the order in which they are shown."""
        return list(order_for(self.items[item], self.user.pk))

    def changed(self) -> dict[str, Any]:
        return self.value(1)

    def lines(self, which: int) -> list[str]:
        return [f"The {SIDES[which]} is better"]

    def begun_lines(self, which: int, item: int = 0) -> list[str]:
        return self.lines(which)


HANDS: dict[str, type[Hands]] = {"write": Hands, "rate": RateHands, "judge": JudgeHands}
