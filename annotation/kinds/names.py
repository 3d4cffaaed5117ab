"""The name of the kind of work that projects had before there were others."""

LABEL_WORDS = "label-words"
