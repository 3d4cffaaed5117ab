"""Parts of the page for kinds of work whose answer is a form, by themselves in a browser."""

from typing import Any
from unicodedata import category

import pytest
from playwright.sync_api import Page

from tests.e2e.annotation.labelling.browser_modules import run

WRITTEN = {"kinds/write/written": "Written"}
# Types text as a browser tells of it, mark by mark, `pace` milliseconds apart.
TYPING = """
  let clock = 0;
  const task = { id: 1, text: "Sound 1", tokens: [], meta: {}, content: {}, annotation: null };
  const put = (work, data, pace = 100) => [...data].forEach((mark) => {
    clock += pace;
    work.type("text", work.value.text + mark, { act: "insertText", data: mark, at: clock });
  });
  const erase = (work, count) => {
    for (let i = 0; i < count; i += 1) {
      clock += 100;
      const text = work.value.text.slice(0, -1);
      work.type("text", text, { act: "deleteContentBackward", at: clock });
    }
  };
  const paste = (work, data) => {
    work.type("text", work.value.text + data, { act: "insertFromPaste", data, at: clock });
  };
  const unwound = (work) => {
    const texts = [work.value.text];
    while (work.undo()) texts.push(work.value.text);
    return texts;
  };
"""


def written(page: Page, body: str) -> Any:
    return run(page, WRITTEN, TYPING + body)


@pytest.mark.parametrize(
    ("acts", "texts"),
    [
        ("put(work, 'a dog barks');", ["a dog barks", "a dog ", "a ", ""]),
        ("put(work, 'rain'); put(work, 's', 5000);", ["rains", "rain", ""]),
        ("put(work, 'rain'); erase(work, 2);", ["ra", "rain", ""]),
        (
            "put(work, 'ra'); paste(work, 'in falls'); put(work, 's');",
            ["rain fallss", "rain falls", "ra", ""],
        ),
        ("put(work, 'ra'); work.flag(); put(work, 'in');", ["rain", "ra", "ra", ""]),
        ("put(work, 'ra'); work.undo(); put(work, 'in');", ["in", ""]),
        ("work.choose('text', 'a cat'); put(work, 's');", ["a cats", "a cat", ""]),
    ],
)
def test_typing_is_undone_by_words_pauses_and_acts(
    modules: Page, acts: str, texts: list[str]
) -> None:
    told = written(modules, f"const work = new Written(task); {acts} return unwound(work);")
    assert told == texts


def test_undo_and_redo_of_a_form_lead_to_both_ends(modules: Page) -> None:
    wrong = written(
        modules,
        """
        const wrong = [];
        for (let round = 0; round < 300; round += 1) {
          const work = new Written(task);
          for (let i = 0; i < 12; i += 1) {
            const what = random(5);
            if (what === 0) erase(work, random(4));
            else if (what === 1) work.flag();
            else if (what === 2) work.choose("text", `choice ${i}`);
            else put(work, ["a ", "dog", " barks"][random(3)], random(2) ? 100 : 2000);
          }
          const last = json([work.value, work.flagged]);
          while (work.undo()) { /* to the start */ }
          if (work.value.text !== "" || work.flagged) wrong.push(["start", work.value]);
          while (work.redo()) { /* to the end */ }
          if (json([work.value, work.flagged]) !== last) wrong.push(["end", last]);
        }
        return wrong;
        """,
    )
    assert wrong == []


def test_an_answer_is_the_same_in_whatever_order_its_keys_come(modules: Page) -> None:
    told = written(
        modules,
        """
        const stored = (value) => ({
          ...task,
          annotation: { version: 2, answer: "accept", flagged: false, comment: "", value },
        });
        const work = new Written(stored({ heard: true, text: "a dog" }));
        const isSaved = [work.isSaved("accept"), work.isSaved("reject")];
        put(work, "s");
        isSaved.push(work.isSaved("accept"));
        work.undo();
        return [...isSaved, work.isSaved("accept")];
        """,
    )
    assert told == [True, False, False, True]


def test_only_a_record_with_a_value_is_read_as_a_draft_of_a_form(modules: Page) -> None:
    told = run(
        modules,
        {"forms/form-work": "readFormDraft"},
        """
        const task = { id: 1 };
        const records = [
          { task, value: {} }, { task, spans: [] }, { task, value: null }, { value: {} },
        ];
        return records.map((record) => readFormDraft(record) === record);
        """,
    )
    assert told == [True, False, False, False]


TEXTS = (
    "",
    "rain",
    "a dog\u00a0barks\u2003twice",
    "tab\tline\nend\u0085\u2028so",
    "\x1cfour\x1dwords\x00so\x7fmany ",
    "zero\u200bwidth stays\ufeffone",
    "  spaces   all round  ",
)


def test_words_are_counted_as_the_server_counts_them(modules: Page) -> None:
    counted = run(
        modules,
        {"forms/words": "countWords"},
        "return texts.map(countWords);",
        texts=TEXTS,
    )
    seen = ["".join(" " if category(mark) == "Cc" else mark for mark in text) for text in TEXTS]
    assert counted == [len(text.split()) for text in seen]


@pytest.mark.parametrize(
    ("count", "text", "fault"),
    [
        (0, "0 words, at least 8", "Write 8 to 20 words."),
        (1, "1 word, at least 8", "Write 8 to 20 words; these are 1."),
        (8, "8 words", ""),
        (20, "20 words", ""),
        (21, "21 words, at most 20", "Write 8 to 20 words; these are 21."),
    ],
)
def test_what_is_said_of_the_number_of_words(
    modules: Page, count: int, text: str, fault: str
) -> None:
    told = run(
        modules,
        {"forms/words": "wordsText, wordsFault"},
        "return [wordsText(count, limits), wordsFault(count, limits)];",
        count=count,
        limits={"least": 8, "most": 20},
    )
    assert told == [text, fault]


FINDINGS = {"forms/text-findings": "TextFindings, replaced", "api": "Unreachable"}
# A list on the page, and a server that answers each text when it is told to.
LIST = """
  const list = document.body.appendChild(document.createElement("ul"));
  const asked = [];
  const said = [];
  const chosen = [];
  const api = { check: (item, text) => new Promise((answer, fail) => {
    asked.push({ item, text, answer, fail });
  }) };
  const screen = { say: (text) => said.push(text), takeHands: () => {} };
  const findings = new TextFindings(list, { api, screen, choose: (text) => chosen.push(text) });
  const pause = (ms) => new Promise((go) => { setTimeout(go, ms); });
  const until = async (count) => { while (asked.length < count) await pause(20); };
  const found = (text, start, message, suggestions = []) => (
    { kind: "spelling", start, end: start + [...text].length, text, message, suggestions }
  );
  const answer = async (request, ...found) => {
    request.answer({ status: 200, body: { findings: found } });
    await pause(0);
  };
  const lines = () => [...list.children].map((line) => line.firstChild.textContent);
"""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("a brid and a brid", {"start": 13, "end": 17}, "bird"), "a brid and a bird"),
        (("the the rain", {"start": 0, "end": 3}, ""), "the rain"),
        (("rain falls falls", {"start": 11, "end": 16}, ""), "rain falls"),
        # Places count code points, as the server does.
        (("🌧 rian", {"start": 2, "end": 6}, "rain"), "🌧 rain"),
    ],
)
def test_a_suggestion_takes_the_place_of_what_was_found(
    modules: Page, arguments: tuple[Any, ...], text: str
) -> None:
    assert run(modules, FINDINGS, "return replaced(...given);", given=arguments) == text


def test_findings_are_those_of_the_text_that_stands(modules: Page) -> None:
    told = run(
        modules,
        FINDINGS,
        LIST
        + """
        const shown = [];
        findings.look(1, "a brid");
        findings.look(1, "a brid sigs");
        await until(1);
        findings.look(1, "a brid sigs on");
        await until(2);
        // The answer to what stood before comes late.
        await answer(asked[1], found("brid", 2, "No word"), found("sigs", 7, "No word"));
        await answer(asked[0]);
        shown.push(lines());
        // What still stands stays until the server has answered, what does not goes at once.
        findings.look(1, "a brid sings on");
        shown.push(lines());
        await until(3);
        asked[2].fail(new Unreachable("away"));
        await pause(0);
        shown.push(lines());
        findings.look(2, "a dog");
        shown.push([list.hidden, ...lines()]);
        return [asked.map(({ item, text }) => [item, text]), shown, said];
        """,
    )
    asked, shown, said = told
    assert asked == [[1, "a brid sigs"], [1, "a brid sigs on"], [1, "a brid sings on"]]
    brid, sigs = "\u201cbrid\u201d: No word", "\u201csigs\u201d: No word"
    assert shown == [[brid, sigs], [brid], [brid], [True]]
    assert said == ["2 findings in the text."]


def test_a_suggestion_is_chosen_by_its_button(modules: Page) -> None:
    told = run(
        modules,
        FINDINGS,
        LIST
        + """
        findings.look(1, "the the brid");
        await until(1);
        await answer(
          asked[0], found("the", 4, "Twice", [""]), found("brid", 8, "No word", ["bird", "bride"]),
          found("the the brid", 0, "Too short"),
        );
        const buttons = [...list.querySelectorAll("button")];
        buttons.forEach((button) => button.click());
        const names = buttons.map((button) => [button.textContent, button.ariaLabel]);
        return [lines().at(-1), names, chosen];
        """,
    )
    last, buttons, chosen = told
    assert last == "Too short", "the whole text is not repeated"
    assert buttons == [
        ["Take out", "Take out \u201cthe\u201d"],
        ["bird", "Write \u201cbird\u201d instead of \u201cbrid\u201d"],
        ["bride", "Write \u201cbride\u201d instead of \u201cbrid\u201d"],
    ]
    assert chosen == ["the brid", "the the bird", "the the bride"]


@pytest.mark.parametrize(
    ("duration", "ranges", "is_heard"),
    [
        (10, [], False),
        (10, [[0, 10]], True),
        (10, [[0, 9.8]], True),
        (10, [[0, 9]], False),
        (10, [[9, 10]], False),
        (10, [[0, 4], [4.1, 10]], True),
        (10, [[0, 4], [6, 10]], False),
        (0.2, [[0, 0.1]], False),
        (None, [[0, 10]], False),
    ],
)
def test_a_sound_is_heard_when_all_of_it_was_played(
    modules: Page, duration: float | None, ranges: list[list[float]], is_heard: bool
) -> None:
    told = run(
        modules,
        {"forms/heard-sound": "isHeard"},
        """
        const ends = (at) => (i) => ranges[i][at];
        const played = { length: ranges.length, start: ends(0), end: ends(1) };
        return isHeard({ played, duration: duration ?? NaN });
        """,
        ranges=ranges,
        duration=duration,
    )
    assert told is is_heard
