"""The human row: how one person's captions do against the other people's.

It is the ceiling that a metric can be read by: no system needs to be nearer to the
references than they are to each other.

>>> told = References.build([("a.wav", ["a dog barks", "a dog"]), ("b.wav", ["rain"])])
>>> candidates, others = one_against_others(told, seed=0)
>>> candidates.first, others.clips[0].references, len(others)
(('a dog',), ('a dog barks',), 1)
"""

from random import Random

from scoring.captions import Candidates, References

SEED = 0


def one_against_others(
    references: References, *, seed: int = SEED
) -> tuple[Candidates, References]:
    """Draw one reference of every clip for its caption; the others stay its references.

    A clip with a single reference is left out. Document frequencies are still counted
    over all references. Raises ``ValueError`` where no clip has two.
    """
    random = Random(seed)  # noqa: S311 a reproducible draw, no secret
    said: list[str] = []
    left: list[tuple[str, tuple[str, ...]]] = []
    for clip in references.clips:
        drawn = random.randrange(len(clip.references))
        others = clip.references[:drawn] + clip.references[drawn + 1 :]
        if others:
            said.append(clip.references[drawn])
            left.append((clip.file_name, others))
    if not said:
        raise ValueError("No clip has two references, so people cannot be compared.")
    clips = References.build(left).clips
    return Candidates.single(said), References(clips, documents=references)
