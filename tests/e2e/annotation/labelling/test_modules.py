"""Parts of the labelling page by themselves, in the browser that runs them, on random input."""

from typing import Any

from playwright.sync_api import Page

from tests.e2e.annotation.labelling.browser_modules import run


def test_a_label_changes_the_words_it_is_put_on_and_no_others(modules: Page) -> None:
    wrong = run(
        modules,
        {"kinds/label-words/spans": "labelled, cleared"},
        """
        const wrong = [];
        let spans = [];
        for (let i = 0; i < 3000; i += 1) {
          const first = random(15);
          const last = Math.min(14, first + random(6));
          const label = random(4) ? `L${random(5)}` : null;
          const before = labelsOf(spans, 15);
          const next = label ? labelled(spans, first, last, label) : cleared(spans, first, last);
          const after = labelsOf(next, 15);
          const wanted = before.map((old, w) => (w < first || w > last ? old : label ?? "O"));
          const ends = next.flatMap((one) => [one.token_start, one.token_end]);
          // A first word after the last word before it, a last word not before its first.
          const inOrder = ends.every((end, e) => e === 0 || end > ends[e - 1] - (e % 2));
          if (json(after) !== json(wanted) || !inOrder) {
            wrong.push([spans, first, last, label, next]);
          }
          spans = random(20) ? next : [];
        }
        return wrong;
        """,
    )
    assert wrong == []


def test_undo_leads_back_to_the_start_and_redo_to_the_end(modules: Page) -> None:
    wrong = run(
        modules,
        {"kinds/label-words/caption": "Caption"},
        """
        const wrong = [];
        const words = "a large dog barks in the distance as the cars pass by".split(" ");
        const tokens = words.map((text, id) => ({ text, id, ws: true }));
        const state = (caption) => json([caption.spans, caption.flagged]);
        for (let round = 0; round < 200; round += 1) {
          const caption = new Caption({ id: 1, tokens });
          const states = [state(caption)];
          const note = () => {
            const now = state(caption);
            if (now !== states.at(-1)) states.push(now);
          };
          for (let i = 0; i < 12; i += 1) {
            const what = random(7);
            if (what === 0) caption.extendTo(random(12));
            else if (what === 1) caption.moveTo(random(12));
            else if (what === 2) caption.unlabel();
            else if (what === 3) caption.grow(random(2) ? 1 : -1);
            else if (what === 4) caption.flag();
            else caption.label(`L${random(3)}`);
            note();
          }
          const last = state(caption);
          while (caption.undo()) { /* to the start */ }
          if (state(caption) !== states[0]) wrong.push(["start", states, state(caption)]);
          while (caption.redo()) { /* to the end */ }
          if (state(caption) !== last) wrong.push(["end", last, state(caption)]);
        }
        return wrong;
        """,
    )
    assert wrong == []


def test_taking_suggestions_changes_no_word_that_has_a_label(modules: Page) -> None:
    """Each is one step of undo, and only what stands as it was taken counts as taken."""
    wrong = run(
        modules,
        {"kinds/label-words/caption": "Caption", "kinds/label-words/spans": "labelled"},
        """
        const wrong = [];
        const names = new Map([0, 1, 2].map((i) => [`L${i}`, {}]));
        const tokens = Array.from({ length: 12 }, (_, i) => ({ text: `w${i}`, ws: true }));
        const draw = (count, label) => {
          let spans = [];
          for (let i = 0; i < count; i += 1) {
            const first = random(12);
            spans = labelled(spans, first, Math.min(11, first + random(3)), label());
          }
          return spans;
        };
        for (let i = 0; i < 800; i += 1) {
          // L3 is not offered on this page.
          const offered = draw(random(6), () => `L${random(4)}`);
          const spans = draw(random(4), () => `L${random(3)}`);
          const sure = offered.map((one) => ({ ...one, confidence: 0.5 }));
          const annotation = { version: 1, spans, answer: "accept", comment: "", flagged: false };
          const suggestion = { labeller: "m@1", spans: sure };
          const caption = new Caption({ id: 1, tokens, annotation, suggestion });
          const before = labelsOf(caption.spans, 12);
          const open = caption.suggestions(names);
          const chosen = random(2) ? open : open.slice(0, 1);
          const isTaken = caption.take(chosen);
          const after = labelsOf(caption.spans, 12);
          const kept = before.every((label, word) => label === "O" || label === after[word]);
          const known = !after.includes("L3");
          const counted = caption.taken.length === chosen.length;
          if (isTaken) caption.undo();
          const back = json(labelsOf(caption.spans, 12)) === json(before);
          const none = caption.taken.length === 0;
          if (isTaken !== chosen.length > 0 || !kept || !known || !counted || !back || !none) {
            wrong.push({ offered, spans, after });
          }
          if (isTaken) {
            caption.redo();
            caption.unlabel([0, 5]);
            const standing = caption.taken.every((row) => row.token_start > 5);
            if (!standing) wrong.push({ offered, spans, taken: caption.taken });
          }
        }
        return wrong;
        """,
    )
    assert wrong == []


def test_two_versions_differ_in_the_groups_of_words_and_nowhere_else(modules: Page) -> None:
    wrong = run(
        modules,
        {
            "kinds/label-words/differences": "differingWords, saidOf, countAlike",
            "kinds/label-words/spans": "labelled",
        },
        """
        const wrong = [];
        const draw = (spans, count) => {
          for (let i = 0; i < count; i += 1) {
            const first = random(12);
            spans = labelled(spans, first, Math.min(11, first + random(3)), `L${random(3)}`);
          }
          return spans;
        };
        const names = ({ spans }, word) => json(
          spans.filter((one) => one.token_start <= word && word <= one.token_end),
        );
        for (let i = 0; i < 1000; i += 1) {
          const common = draw([], random(5));
          const ours = { spans: draw(common, random(3)) };
          const theirs = { spans: draw(common, random(3)) };
          const groups = differingWords(ours, theirs);
          const inGroup = (word) => groups.filter(([a, b]) => a <= word && word <= b).length;
          for (let word = 0; word < 12; word += 1) {
            const differs = names(ours, word) !== names(theirs, word);
            if (inGroup(word) > 1 || (differs && !inGroup(word))) wrong.push([ours, theirs]);
          }
          const said = (version, [a, b]) => json(saidOf(version, a, b));
          const isIdle = (group) => said(ours, group) === said(theirs, group);
          if (groups.some(isIdle) || countAlike(ours, theirs) !== countAlike(theirs, ours)) {
            wrong.push([ours, theirs]);
          }
        }
        return wrong;
        """,
    )
    assert wrong == []


def test_nested_spans_are_read_as_the_server_reads_them(modules: Page) -> None:
    told = run(
        modules,
        {"kinds/label-words/spans": "readSpans"},
        """
        return readSpans([
          { token_start: 0, token_end: 3, label: "A", start: 0 },
          { token_start: 2, token_end: 2, label: "B" },
        ]);
        """,
    )
    # Imported records may nest; of two on a word the later one counts, as on the server.
    assert told == [
        {"token_start": 0, "token_end": 1, "label": "A"},
        {"token_start": 2, "token_end": 2, "label": "B"},
        {"token_start": 3, "token_end": 3, "label": "A"},
    ]


KEYS = {"keys": "Keys", "kinds/label-words/keys": "labelKeys"}
HANDS = """
  const terms = { task: "caption", done: "labelled" };
  let kept = {};
  const store = { read: () => ({ ...kept }), write: (changed) => { kept = { ...changed }; } };
  const labels = [
    { name: "A", title: "A", key: "a" }, { name: "W", title: "W", key: "w" },
    { name: "V", title: "V", key: "w" }, { name: "É", title: "É", key: "ф" },
  ];
  const keysOf = (suggests = false) => (
    new Keys(store, { terms, keys: labelKeys({ labels, suggests }) })
  );
  const keys = keysOf();
  const press = (key, more = {}) => keys.meaning({ key, code: "", ...more });
"""


def test_a_letter_is_given_once_commands_come_first_and_suggestions_take_none_from_a_label(
    modules: Page,
) -> None:
    told = run(
        modules,
        KEYS,
        HANDS
        + """
        const before = ["label:A", "label:W", "label:V"].map((id) => keys.keyOf(id));
        keys.change("label:V", "z");
        keys.change("label:A", "w");
        const again = keysOf();
        const after = ["accept", "label:A", "label:W", "label:V"].map((id) => again.keyOf(id));
        labels.push({ name: "S", title: "S", key: "s" });
        const asked = ["label:S", "take", "take-all"];
        return [before, after, ...[keysOf(), keysOf(true)].map((one) => asked.map(one.keyOf, one))];
        """,
    )
    before, after, plain, suggesting = told
    assert before == ["", "w", ""], "a accepts, and w is taken"
    # W lost its letter to A, which had none to give in exchange.
    assert after == ["a", "w", "", "z"]
    assert (plain, suggesting) == (["s", "", ""], ["s", "", "l"])


MEANINGS: list[tuple[dict[str, Any], str | None]] = [
    ({"key": "w"}, "label:W"),
    ({"key": "W"}, "label:W"),
    ({"key": "W", "shiftKey": True}, None),
    ({"key": "ц", "code": "KeyW"}, "label:W"),
    ({"key": "ф", "code": "KeyA"}, "label:É"),
    ({"key": "a", "code": "KeyA"}, "accept"),
    ({"key": "w", "altKey": True}, None),
    ({"key": "w", "isComposing": True}, None),
    ({"key": "&", "code": "Digit1"}, "label:A"),
    ({"key": "-", "code": "Digit6"}, "unlabel"),
    ({"key": "1", "code": "Numpad1"}, "label:A"),
    ({"key": "9", "code": "Digit9"}, None),
    ({"key": " "}, "ignore"),
    ({"key": "Delete"}, "back"),
    ({"key": "ArrowRight", "shiftKey": True}, "extend-right"),
    ({"key": "z", "ctrlKey": True}, "undo"),
    ({"key": "Z", "ctrlKey": True, "shiftKey": True}, "redo"),
    ({"key": "y", "metaKey": True}, "redo"),
    ({"key": "a", "ctrlKey": True}, None),
    ({"key": "?", "shiftKey": True}, "keys"),
    ({"key": "F5"}, None),
]


def test_what_a_key_means(modules: Page) -> None:
    events = [event for event, _ in MEANINGS]
    told = run(modules, KEYS, f"{HANDS} return events.map((one) => press('', one));", events=events)
    assert told == [meaning for _, meaning in MEANINGS]
