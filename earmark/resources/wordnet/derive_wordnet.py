"""Derive the compact file of WordNet relations from WordNet 3.0.

    python earmark/resources/wordnet/derive_wordnet.py [--source /usr/share/wordnet]

The source is what Debian's wordnet-base and wordnet-sense-index install; nltk
(a development dependency) reads it. Glosses, examples, adjectives, adverbs and
the synsets of single named things are left out.

Two tables with tabs between columns and an empty line between them. One line per synset,
nouns first, in the order of their offsets: line numbers of the direct hypernyms (from 0,
separated by spaces), those of the nouns and verbs derived from one of its lemmas in this
sense or the other way round, and the lemmas. One line per lemma, in the order of their characters:
the lemma, its part of speech (n or v), and the line numbers of its synsets, the most
frequent sense first.
"""

import argparse
import gzip
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).with_name("relations.tsv.gz")
# wordnet-base lacks the file of these names, which nltk's reader asks for (lexnames(5WN)).
_NAMES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute "
    "noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group "
    "noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant "
    "noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body verb.change verb.cognition verb.communication "
    "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion "
    "verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl"
)
LEXNAMES = tuple(_NAMES.split())
_PART = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def open_reader(source: Path, scratch: Path) -> Any:
    """Open WordNet from a copy, as nltk reads only below its own data path."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = scratch / "corpora" / "wordnet"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("bin", "pixmaps", "wnres"))
    lines = [f"{i:02}\t{name}\t{_PART[name[:4].rstrip('.')]}\n" for i, name in enumerate(LEXNAMES)]
    (folder / "lexnames").write_text("".join(lines))
    nltk.data.path.insert(0, str(scratch))
    return WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)


def kept_synsets(reader: Any) -> list[Any]:
    """List nouns and verbs by offset, without single named things."""
    return [
        synset
        for pos in "nv"
        for synset in sorted(reader.all_synsets(pos), key=lambda s: s.offset())
        if not synset.instance_hypernyms()
    ]


def tables(reader: Any) -> Iterator[str]:
    """Write one line per synset, then one per lemma and part of speech."""
    synsets = kept_synsets(reader)
    number = {synset: i for i, synset in enumerate(synsets)}
    ranked: dict[tuple[str, str], list[int]] = {}
    senses: dict[tuple[str, str], list[int]] = defaultdict(list)
    for synset in synsets:
        pos = synset.pos()
        for lemma in _lower(synset):
            if (lemma, pos) not in ranked:
                kept = (s for s in reader.synsets(lemma, pos) if s in number)
                ranked[lemma, pos] = [number[s] for s in kept if lemma in _lower(s)]
            # Twice where a synset has it in two spellings ("earth", "Earth"): so CB's values
            # have always counted.
            senses[lemma, pos].append(number[synset])
        # nltk gives them in an order that changes from run to run.
        above = sorted(number[h] for h in synset.hypernyms() if h in number)
        forms = [one for lemma in synset.lemmas() for one in lemma.derivationally_related_forms()]
        derived = sorted(number[d] for d in {form.synset() for form in forms} if d in number)
        yield f"{_joined(above)}\t{_joined(derived)}\t{' '.join(_lower(synset))}\n"
    for key, own in senses.items():
        own.sort(key=ranked[key].index)
    yield "\n"
    yield from sorted(f"{lemma}\t{pos}\t{_joined(of)}\n" for (lemma, pos), of in senses.items())


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _lower(synset: Any) -> list[str]:
    return [lemma.lower() for lemma in synset.lemma_names()]


def main() -> None:
    """Read WordNet and write the file beside this script."""
    parser = argparse.ArgumentParser(description="Derive the compact WordNet relations.")
    parser.add_argument("--source", type=Path, default=Path("/usr/share/wordnet"))
    source = parser.parse_args().source
    with tempfile.TemporaryDirectory() as scratch:
        text = "".join(tables(open_reader(source, Path(scratch))))
    with OUTPUT.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text.encode("ascii"))


if __name__ == "__main__":
    main()
