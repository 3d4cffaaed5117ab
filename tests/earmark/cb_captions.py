"""Captions that have the sound events of CB-score's Tables 1 and 2 (section 2 of the paper).

The paper prints the events of ten references, not the references; these are made to have them.
"""

# Ten mention children laughing, nine of them talking, four birds singing, two a car passing by.
REFERENCES = (
    "Children laugh and talk while birds are singing",
    "Kids are talking and laughing as a car passes by",
    "Children are laughing, and someone speaks near singing birds",
    "People talking and children laughing outside",
    "Birds sing while children converse and giggle",
    "Young children chatting and laughing",
    "A group of kids laughs and speaks loudly",
    "Laughter and conversation of children, and bird song",
    "A car is passing by children who chat and laugh",
    "Children laughing at the playground",
)
# Event: references that mention it, and its relevance as printed.
TABLE_1 = {
    "Laughter": (10, 0.40),
    "Speech": (9, 0.36),
    "Bird": (4, 0.16),
    "Car": (2, 0.08),
}
# Caption: its events, and its score as printed.
TABLE_2 = {
    "Children are talking outside.": ({"Speech"}, 0.90),
    "A dog is barking at a car passing by.": ({"Dog", "Car"}, 0.11),
    "A car is passing by a group of children that are playing and laughing.": (
        {"Car", "Laughter"},
        0.63,
    ),
}
