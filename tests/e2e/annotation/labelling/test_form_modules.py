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


UNDONE = [
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
]


def test_typing_is_undone_by_words_pauses_and_acts(modules: Page) -> None:
    for acts, texts in UNDONE:
        told = written(modules, f"const work = new Written(task); {acts} return unwound(work);")
        assert told == texts, acts


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


TEXTS = (
    "",
    "rain",
    "a dog\u00a0barks\u2003twice",
    "tab\tline\nend\u0085\u2028so",
    "\x1cfour\x1dwords\x00so\x7fmany ",
    "zero\u200bwidth stays\ufeffone",
    "  spaces   all round  ",
)


def test_words_are_counted_as_the_server_counts_them_and_their_number_is_said(
    modules: Page,
) -> None:
    names = {"forms/words": "countWords, wordsText, wordsFault"}
    counted = run(modules, names, "return texts.map(countWords);", texts=TEXTS)
    seen = ["".join(" " if category(mark) == "Cc" else mark for mark in text) for text in TEXTS]
    assert counted == [len(text.split()) for text in seen]
    said = run(
        modules,
        names,
        "const limits = { least: 8, most: 20 };"
        "return [0, 1, 8, 20, 21].map((n) => [wordsText(n, limits), wordsFault(n, limits)]);",
    )
    assert said == [
        ["0 words, at least 8", "Write 8 to 20 words."],
        ["1 word, at least 8", "Write 8 to 20 words; these are 1."],
        ["8 words", ""],
        ["20 words", ""],
        ["21 words, at most 20", "Write 8 to 20 words; these are 21."],
    ]


FINDINGS = {"forms/text-findings": "replaced"}


def test_a_suggestion_takes_the_place_of_what_was_found(modules: Page) -> None:
    cases: list[tuple[str, int, int, str, str]] = [
        ("a brid and a brid", 13, 17, "bird", "a brid and a bird"),
        ("the the rain", 0, 3, "", "the rain"),
        ("rain falls falls", 11, 16, "", "rain falls"),
        # Places count code points, as the server does.
        ("🌧 rian", 2, 6, "rain", "🌧 rain"),
    ]
    body = "return cases.map(([text, start, end, by]) => replaced(text, { start, end }, by));"
    assert run(modules, FINDINGS, body, cases=cases) == [case[-1] for case in cases]


def test_a_sound_is_heard_when_all_of_it_was_played(modules: Page) -> None:
    cases: list[tuple[float | None, list[list[float]], bool]] = [
        (10, [], False),
        (10, [[0, 10]], True),
        (10, [[0, 9.8]], True),
        (10, [[0, 9]], False),
        (10, [[9, 10]], False),
        (10, [[0, 4], [4.1, 10]], True),
        (10, [[0, 4], [6, 10]], False),
        (0.2, [[0, 0.1]], False),
        (None, [[0, 10]], False),
    ]
    body = """
        return cases.map(([duration, ranges]) => {
          const ends = (at) => (i) => ranges[i][at];
          const played = { length: ranges.length, start: ends(0), end: ends(1) };
          return isHeard({ played, duration: duration ?? NaN });
        });
    """
    told = run(modules, {"forms/heard-sound": "isHeard"}, body, cases=cases)
    assert told == [heard for *_, heard in cases]
