"""What people, and people who mean harm, may type where metrics are tried."""

HOSTILE = [
    "<script>alert(1)</script> barks",
    "{{ request.user }} {% load x %} a dog",
    "a dog \U0001f415 barks \U0001f44d\U0001f3fd",
    "\u05db\u05dc\u05d1 \u202enam a\u202c \u0643\u0644\u0628",
    "x" * 500,
    "a " * 100,
    "'; DROP TABLE leaderboard_user; --",
    "=cmd|' /C calc'!A0",
    "\ufffd \u2028 a \u200d \ufeff b",
    "a\u0301\u0302\u0303" * 25,
]

# Few words to look at, some 250 to 500 to METEOR, whose work grows with their square.
MANY_WORDS = ["b" + "\u0301" * 499, "a " * 250, "a'" * 249, "(" * 499 + "a", "\u72d7" * 500]
