"""Parts of the page for kinds of work whose answer is a form, by themselves in a browser."""

from typing import Any
from unicodedata import category

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
"""


def written(page: Page, body: str) -> Any:
    return run(page, WRITTEN, TYPING + body)


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
        modules, {"forms/words": "countWords"}, "return texts.map(countWords);", texts=TEXTS
    )
    seen = ["".join(" " if category(mark) == "Cc" else mark for mark in text) for text in TEXTS]
    assert counted == [len(text.split()) for text in seen]


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


def test_a_suggestion_takes_the_place_of_what_was_found(modules: Page) -> None:
    told = run(
        modules,
        FINDINGS,
        "return given.map((one) => replaced(...one));",
        given=[
            ("a brid and a brid", {"start": 13, "end": 17}, "bird"),
            ("the the rain", {"start": 0, "end": 3}, ""),
            ("rain falls falls", {"start": 11, "end": 16}, ""),
            # Places count code points, as the server does.
            ("🌧 rian", {"start": 2, "end": 6}, "rain"),
        ],
    )
    assert told == ["a brid and a bird", "the rain", "rain falls", "🌧 rain"]


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


def test_a_sound_is_heard_when_all_of_it_was_played(modules: Page) -> None:
    played: list[tuple[float | None, list[list[float]], bool]] = [
        (10, [], False),
        (10, [[0, 9.8]], True),
        (10, [[0, 9]], False),
        (10, [[9, 10]], False),
        (10, [[0, 4], [4.1, 10]], True),
        (10, [[0, 4], [6, 10]], False),
        (0.2, [[0, 0.1]], False),
        (None, [[0, 10]], False),
    ]
    told = run(
        modules,
        {"forms/heard-sound": "isHeard"},
        """
        return given.map(([duration, ranges]) => {
          const ends = (at) => (i) => ranges[i][at];
          const played = { length: ranges.length, start: ends(0), end: ends(1) };
          return isHeard({ played, duration: duration ?? NaN });
        });
        """,
        given=[row[:2] for row in played],
    )
    assert told == [is_heard for _, _, is_heard in played]
