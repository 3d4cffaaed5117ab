"""Random small corpora whose words collide often, empty captions included."""

from hypothesis import strategies as st

Sides = tuple[list[str], list[list[str]]]

captions = st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join)
clips = st.tuples(captions, st.lists(captions, min_size=1, max_size=4))
corpora = st.lists(clips, min_size=1, max_size=6).map(
    lambda rows: ([candidate for candidate, _ in rows], [texts for _, texts in rows])
)
