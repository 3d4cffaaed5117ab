"""Captions of any kind with labels on their words, for tests of formats."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from annotation.formats.records import ExportRow
from annotation.spans import span_of, tokenized

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LABELS = ("WHO", "WHAT", "HOW", "WHAT/WHERE")
# What has broken offsets before: beyond 16 bits, combining, right to left, joined, odd ends.
ODD = [
    "🐕",
    "👩‍👧",
    "é",
    "e\u0301",
    "שלום",
    "كلب",
    "\u200d",
    "\u2028",
    "\r\n",
    "\n",
    "\t",
    "  ",
    "'s",
    "\u00a0",
    "…",
]
words = st.one_of(st.sampled_from(["a", "dog", "barks", "rain,", *ODD]), st.text(max_size=6))
# Neither NUL nor lone surrogates, which a database cannot keep.
texts = (
    st.lists(words, min_size=1, max_size=10)
    .map(" ".join)
    .map(lambda text: text.replace("\x00", ""))
    .filter(lambda text: text.isprintable() or not any(0xD800 <= ord(c) < 0xE000 for c in text))
    .filter(lambda text: bool(tokenized(text)))
)


@st.composite
def works(draw: st.DrawFn) -> ExportRow:
    """Draw a caption with up to five spans, which may nest, coincide or cross."""
    text = draw(texts)
    tokens = tokenized(text)
    places = st.integers(0, len(tokens) - 1)
    ends = draw(st.lists(st.tuples(places, places, st.sampled_from(LABELS)), max_size=5))
    spans: list[dict[str, Any]] = [
        span_of(min(a, b), max(a, b), name, tokens) for a, b, name in ends
    ]
    return ExportRow(
        number=draw(st.integers(0, 3)),
        text=text,
        tokens=tokens,
        spans=spans,
        annotator=draw(st.sampled_from(["ann", "böb", "a/../b", ""])),
        at=AT,
        meta=draw(st.sampled_from([{}, {"source": "clotho", "index": "5"}])),
        answer=draw(st.sampled_from(["accept", "reject", "ignore"])),
        flagged=draw(st.booleans()),
        comment=draw(st.sampled_from(["", "why “so”?"])),
    )


def work(text: str, *spans: tuple[int, int, str], **told: Any) -> ExportRow:
    """Make the work of one person on a caption."""
    tokens = tokenized(text)
    made = [span_of(first, last, label, tokens) for first, last, label in spans]
    given = {"number": 0, "annotator": "ann", "at": AT, **told}
    return ExportRow(text=text, tokens=tokens, spans=made, **given)
