"""Protect what is known of the captions that the shipped labeller learned from."""

import json
from pathlib import Path

from scoring.models.descriptors.words import RESOURCES
from scoring.train.descriptors import data_hash, read_lines, read_sets, without_source
from scoring.train.descriptors.labelled_captions import (
    caption_digest,
    caption_digests,
    digests_learned_by_shipped,
)
from tests.scoring.descriptors.records import by_word


def test_the_list_is_of_the_very_captions_in_the_report(shared_data: Path) -> None:
    sets = read_sets([shared_data / "descriptors"])
    report = json.loads((RESOURCES / "report.json").read_text())
    assert data_hash(sets) == report["data_hash"]
    learned = without_source(sets, "clotho_eval")
    assert sum(len(part.captions) for part in learned) == report["captions"]["written"]
    assert set(caption_digests(learned)) == digests_learned_by_shipped()


def test_a_caption_is_known_again_however_it_is_typed() -> None:
    texts = ("a dog barks", " A Dog  Barks")
    first, second = read_lines([json.dumps(by_word(text)) for text in texts])
    assert caption_digest(first) == caption_digest(second)
    assert caption_digest(first) not in digests_learned_by_shipped()
