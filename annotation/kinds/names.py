"""Names of kinds of work that code beside their folders asks for."""

# The work that projects had before there were kinds.
LABEL_WORDS = "label-words"
# The stages in which captions are collected, in their order.
WRITE, EDIT, RATE = "write", "edit", "rate"
JUDGE = "judge"
