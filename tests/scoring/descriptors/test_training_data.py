"""Captions of several inventories in one text, as a site keeps what it trains on."""

import json

import pytest

from scoring.train.descriptors import DescriptorFault, jsonl_sets
from tests.scoring.descriptors.records import by_word, record


def training_data() -> list[str]:
    return [
        json.dumps({"set": "mine", "labels": ["HOW", "WHAT", "WHO", "WHERE", "WHAT/WHERE"]}),
        json.dumps(by_word("a dog barks", set="mine")),
        json.dumps({"set": "theirs", "labels": ["ANIMAL", "O", "MORE"]}),
        json.dumps(record("a dog barks", [(1, 1, "ANIMAL")], set="theirs")),
        "",
        json.dumps(by_word("a bird sings", set="mine")),
        json.dumps(record("a dog", [(0, 1, "ANIMAL")], set="theirs", answer="reject")),
        json.dumps({"set": "empty", "labels": ["X"]}),
    ]


def test_sets_written_one_after_the_other_are_read_in_their_order() -> None:
    first, second = jsonl_sets(training_data())
    assert (first.name, second.name) == ("mine", "theirs")
    assert first.labels == ("HOW", "WHAT", "WHO", "WHERE", "WHAT/WHERE", "O")
    assert second.labels == ("ANIMAL", "MORE", "O")
    assert [caption.key for caption in first.captions] == ["a dog barks", "a bird sings"]
    assert [caption.labels for caption in second.captions] == [("O", "ANIMAL", "O")]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 3: This is not JSON"),
        ("[1]", "line 3: This is not a JSON object"),
        ('{"text": "a dog"}', 'line 3: There is no "set" here'),
        ('{"set": "mine", "labels": ["A"]}', "line 3: The set 'mine' begins a second time"),
        ('{"set": "b", "text": "a dog"}', "line 3: The set 'b' has no labels yet"),
        ('{"set": "b", "labels": "WHAT"}', 'line 3: A set begins with its "labels"'),
        ('{"set": "b", "labels": ["O"]}', "line 3: There is no label besides O"),
        ('{"set": "mine", "text": 3}', "line 3: This is not a record"),
        (
            json.dumps(record("a dog", [(1, 1, "CAT")], set="mine")),
            "line 3: The label 'CAT' is not in this set's inventory: HOW",
        ),
    ],
)
def test_a_fault_in_training_data_is_told_with_its_line(line: str, told: str) -> None:
    with pytest.raises(DescriptorFault) as fault:
        jsonl_sets([*training_data()[:2], line], "data")
    assert told in str(fault.value)
    assert fault.value.line == 3
