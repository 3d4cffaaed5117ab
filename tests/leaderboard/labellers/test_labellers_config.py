"""What a labeller's config.json may say: sizes that would take the server's memory are refused."""

from typing import Any

import pytest

from leaderboard.selectors.labellers.scores import curve_of, scores_of
from leaderboard.services.labellers import LabellerRefused
from leaderboard.services.labellers.configuration import check_config
from leaderboard.services.labellers.storing import size_check

BERT = {
    "model_type": "bert",
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
}
BYTES = 437_000_000


def config(**changed: Any) -> dict[str, Any]:
    told = {
        "name": "whole",
        "labels": ["WHAT", "O"],
        "encoder": "bert-base-uncased@01234567",
        "rank": 1,
        "alpha": 1.0,
        "method": "full",
        "backbone": "",
        "hidden": 0,
        "architecture": BERT,
        "digest": "",
    }
    return {**told, **changed}


def test_a_whole_network_of_its_own_size_is_taken() -> None:
    assert check_config(config(), made_here=False, weights=BYTES) == ("WHAT", "O")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"hidden_size": 40_000}, "larger than the weights"),
        ({"num_hidden_layers": 5_000}, "larger than the weights"),
        ({"vocab_size": 10**9}, "larger than the weights"),
        ({"max_position_embeddings": 10**8}, "larger than the weights"),
        ({"type_vocab_size": 10**7}, "larger than the weights"),
        ({"embedding_size": 10**6}, "larger than the weights"),
        ({"intermediate_size": -1}, "whole number"),
        ({"hidden_size": "768"}, "whole number"),
        ({"model_type": "gpt2"}, "Use one of"),
        ({"model_type": None}, "Use one of"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "Leave it out"),
        ({"_name_or_path": "/etc"}, "Leave it out"),
    ],
)
def test_an_encoder_that_the_weights_cannot_fill_is_refused(
    changed: dict[str, Any], reason: str
) -> None:
    """It would be made in memory before anyone saw that the weights do not fit."""
    with pytest.raises(LabellerRefused, match=reason):
        check_config(config(architecture={**BERT, **changed}), made_here=False, weights=BYTES)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"method": "lora"}, "Leave it out"),
        ({"method": "pickle"}, "Give one of"),
        ({"architecture": [1]}, "an object"),
        ({"hidden": 10**7}, "has the hidden"),
        ({"hidden": True}, "has the hidden"),
        ({"rank": -1}, "has the rank"),
        ({"alpha": "16"}, "has the alpha"),
        ({"backbone": "~/models"}, "name of a model"),
        ({"backbone": "C:\\models"}, "path on the machine"),
        ({"backbone": "a/b/c"}, "name of a model"),
        ({"backbone": 3}, "Give a text"),
        ({"encoder": None}, "Give a text"),
        ({"labels": "WHAT"}, "2 to 60 labels"),
        ({"labels": ["WHAT", 3, "O"]}, "extra spaces"),
        ({"labels": ["WHAT\n", "O"]}, "extra spaces"),
        ({"labels": ["W" * 41, "O"]}, "visible characters"),
        ({"labels": ["W\u202e", "O"]}, "visible characters"),
    ],
)
def test_values_that_make_no_sense_are_refused(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(LabellerRefused, match=reason):
        check_config(config(**changed), made_here=False, weights=BYTES)


def test_a_training_of_this_server_may_stand_on_a_backbone_in_a_folder() -> None:
    """Whoever runs the server has named that folder."""
    told = config(method="lora", architecture={}, backbone="/models/roberta-base")
    assert check_config(told, made_here=True, weights=1) == ("WHAT", "O")


def test_what_the_disk_has_no_room_for_is_refused_in_words() -> None:
    with pytest.raises(LabellerRefused, match="limit is 600 MB"):
        size_check(10**12)


def test_of_a_report_the_inventory_with_the_labellers_own_labels_is_shown() -> None:
    other = {"micro": 0.9, "labels": {"WHEN": {"f1": 0.9}, "WHO": {"f1": 0.9}}}
    own = {"micro": 0.5, "labels": {"WHAT": {"f1": 0.5, "words": 3}, "O": {"f1": 0.9}}}
    found = scores_of({"inventories": {"a": other, "b": own}}, ("WHAT", "O"))
    assert found is not None
    assert (found.inventory, found.micro, found.how) == ("b", 0.5, "held-out captions")
    assert found.of("WHAT") is not None
    assert found.of("WHO") is None


def test_folds_are_shown_where_nothing_was_held_out() -> None:
    told = {"inventories": {}, "folds": {"a": {"micro": 0.7, "each": [0.6, 0.8]}}}
    found = scores_of(told, ("WHAT", "O"))
    assert found is not None
    assert (found.how, found.folds) == ("2 folds", (0.6, 0.8))


def test_a_learning_curve_goes_from_few_captions_to_many() -> None:
    steps = curve_of({"curve": [{"captions": 40, "micro": 0.7}, {"captions": 10, "micro": 0.5}]})
    assert [step.captions for step in steps] == [10, 40]
