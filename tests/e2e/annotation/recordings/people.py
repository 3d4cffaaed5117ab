"""Who takes part on the way from recordings to a challenge, and what they say of made sounds.

What somebody would do dozens of times is done by hand first, and then by what their page asks.
"""

import re
from collections.abc import Callable
from csv import writer
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.sync_api import BrowserContext, Page, expect

from annotation.kinds.judge import ALIKE, FIRST, SECOND
from annotation.kinds.rate import caption_key, caption_texts
from annotation.models import Item
from annotation.selectors.sounds import sound_name
from earmark.datasets.made_sounds import MadeClip, made_clips, wav_bytes
from leaderboard.models import Submission, User
from tests.e2e.annotation.write.hands import title
from tests.sounds import zipped

# Five write for each sound, who edits its captions wrote none, who rates them did neither: seven.
WRITERS = ("ann", "bob", "cho", "dan", "eve")
EDITOR, RATER = "fay", "gus"
# They have seen no caption before.
JUDGES = ("hal", "ida")
# Systems, from the worst to the best, and who hands them in.
TEAMS = {"Mistaken": "jon", "Vague": "kim", "Careful": "lea"}
COUNT, SEED = 10, 69
# What a writer mistyped and the editor overlooked: the number of the sound and of its writer.
SLIP = (7, 3, "emergency", "emergancy")
# Accuracy and fluency, by the number of the writer; what was written in haste is worst.
RATINGS = ((4, 4), (4, 3), (3, 4), (3, 4), (3, 3))
HASTY = (2, 1)
# As many as one person can have at hand.
AT_HAND = 12

Value = dict[str, Any]


@dataclass(frozen=True)
class MadeSounds:
    """Ten sounds; each has five true captions, one for each of five writers."""

    clips: tuple[MadeClip, ...] = tuple(made_clips("evaluation", COUNT, SEED))

    def make(self, path: Path) -> Path:
        """A zip of the sounds."""
        return zipped({clip.file_name: wav_bytes(clip) for clip in self.clips}, path)

    @cached_property
    def captions(self) -> dict[str, tuple[str, ...]]:
        """What is true of each sound, and with the slip, by the name of its file."""
        found = {clip.file_name: list(clip.captions) for clip in self.clips}
        sound, number, right, wrong = SLIP
        texts = found[sorted(found)[sound]]
        assert right in texts[number]
        texts[number] = texts[number].replace(right, wrong)
        return {name: tuple(texts) for name, texts in found.items()}

    def written(self, item: Item, number: int) -> Value:
        """What a writer types; the first one is in haste."""
        text = self.captions[sound_name(item)][number]
        return {"text": text if number else _hasty(text)}

    def edited(self, item: Item) -> Value:
        """The caption as the editor leaves it: all is right but what was written in haste."""
        text, right = str(item.content["caption"]), self.captions[sound_name(item)][0]
        return {"text": right if text == _hasty(right) else text}

    def rated(self, item: Item) -> Value:
        """The rating of each version."""
        return {
            "ratings": {
                caption_key(text): dict(
                    zip(("accuracy", "fluency"), self.rating(item, text), strict=True)
                )
                for text in caption_texts(item)
            }
        }

    def rating(self, item: Item, text: str) -> tuple[int, int]:
        """Accuracy and fluency of a version of a caption."""
        captions = self.captions[sound_name(item)]
        return RATINGS[captions.index(text)] if text in captions else HASTY

    def predictions(self, system: str, names: list[str]) -> bytes:
        """The file of a system: beginnings of captions, of the clip or of another, or nothing."""
        out = StringIO()
        rows = writer(out)
        rows.writerow(["file_name", "caption_predicted"])
        for place, name in enumerate(names):
            of = name if system == "Careful" else names[place - 1]
            said = " ".join(self.captions[of][place].split()[:7])
            vague = f"one of several sounds is heard {place + 1} times"
            rows.writerow([name, vague if system == "Vague" else said])
        return out.getvalue().encode()


def _hasty(text: str) -> str:
    return f"{text.lower().removesuffix('.')} or so"


def judged(item: Item, judge: int) -> Value:
    """The choice of a judge; the second one calls every fourth pair alike."""
    worth = [_worth(item, source) for source in item.content["sources"]]
    if worth[0] == worth[1] or (judge and item.position % 4 == 0):
        return {"choice": ALIKE}
    return {"choice": FIRST if worth[0] > worth[1] else SECOND}


def _worth(item: Item, source: Value) -> int:
    """How good a caption of a pair is: a person's of this clip is best, of another one worst."""
    if "system" in source:
        system = Submission.objects.get(public_id=source["system"])
        return list(TEAMS).index(system.system_name)
    return len(TEAMS) if source["clip"] == item.clip else -1


@dataclass(frozen=True)
class Person:
    """A user who is logged in on a browser of their own; ``listen``: to what its console says."""

    user: User
    context: BrowserContext
    listen: Callable[[Page], None]

    @cached_property
    def page(self) -> Page:
        """The one page that is open, once it is needed."""
        page = self.context.new_page()
        self.listen(page)
        return page

    def begin(self, project: str) -> Page:
        """Open the page of work; the item in hand is there."""
        self.page.goto(f"/annotate/{project}/")
        expect(self.page.locator("[data-part=work]")).to_be_visible()
        expect(self.page.locator("[data-part=live]")).not_to_be_empty()
        return self.page

    @cached_property
    def _token(self) -> str:
        self.context.request.get("/annotate/")
        cookies = {row.get("name"): row.get("value") for row in self.context.cookies()}
        return str(cookies["csrftoken"])

    def api(self, method: str, path: str, **sent: Any) -> Any:
        """What the API answers, as a page of this person would ask it."""
        headers = {"X-CSRFToken": self._token}
        answer = self.context.request.fetch(
            f"/api/v1{path}", method=method, headers=headers, **sent
        )
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json()

    def answers_the_rest(self, project: str, value_of: Callable[[Item], Value]) -> int:
        """Answer whatever there is for this person; how many that were.

        What the page's script sends, without the page: the sound is said to be heard.
        """
        count, work = 0, f"/labelling/{project}"
        while tasks := self.api("POST", f"{work}/tasks", data={"count": AT_HAND})["tasks"]:
            for task in tasks:
                value = value_of(Item.objects.get(pk=task["id"])) | {"heard": True}
                change = {"edit": uuid4().hex, "base": 0, "value": value, "seconds": 20}
                saved = self.api("PUT", f"{work}/items/{task['id']}/annotation", data=change)
                assert saved["counts"]
                count += 1
        return count


def in_hand(page: Page, project: str) -> Item:
    """The item that the page shows, by the number in its title."""
    number = re.search(r"\d+", title(page).inner_text())
    assert number is not None
    return Item.objects.get(project__slug=project, position=int(number[0]) - 1)
