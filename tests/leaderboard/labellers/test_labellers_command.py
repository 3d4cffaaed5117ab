"""A labeller of another machine: what is kept, what is refused, and why; and its way out."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from earmark.train.descriptors import LabellerRecipe, TrainingPlan, read_sets, run_training
from leaderboard.models import Labeller, Origin
from leaderboard.selectors.labellers.files import folder_of
from leaderboard.selectors.labellers.listing import choices_of
from leaderboard.services.labellers.configuration import LabellerRefused, check_config
from leaderboard.services.labellers.storing import size_check
from tests.earmark.descriptors.records import OTHER_WORDS, SMALL
from tests.labellers import registered, trained
from tests.leaderboard.labellers.test_labellers_page import page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_labellers")]


def test_what_a_real_training_reports_is_shown_whole(publisher: Client, tmp_path: Path) -> None:
    """The files of ``python -m earmark train descriptors`` as they are, kept."""
    data = tmp_path / "labels.jsonl"
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    sets = read_sets([data])
    recipe = LabellerRecipe(name="real", epochs=1, batch=8)
    plan = TrainingPlan(recipe, held_out=0.5, folds=2)
    report = run_training(sets, plan, tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"config.json", "model.safetensors", "report.json"}
    call_command("labeller", "keep", str(tmp_path / "out"))
    row = Labeller.objects.get()
    assert row.data_hash == report["data_hash"]
    assert row.recipe["epochs"] == 1
    (told,) = report["inventories"].values()
    assert told["errors"], "one epoch leaves some"
    assert "errors" not in json.dumps(row.scores)
    text = page(publisher, f"/labellers/{row.identity}/")
    for measure in ("micro", "weighted", "span", "accuracy"):
        assert f'<td class="num is-ranking">{told[measure]:.3f}</td>' in text
    assert f"On {told['captions']} captions" in text
    assert "Which labels are confused" in text
    listed = {label for label, row in told["labels"].items() if row["words"]}
    assert listed
    assert all(f">{'No label' if label == 'O' else label}</span>" in text for label in listed)


def keep(folder: Path, files: dict[str, bytes], **options: str) -> None:
    """Keep the labeller of these files."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    call_command("labeller", "keep", str(folder), **options)


def parts(**changed: bytes | None) -> dict[str, bytes]:
    """The files of a labeller, with some put replaces those of ``trained``."""
    folder = trained()
    found = {
        "config.json": (folder / "config.json").read_bytes(),
        "model.safetensors": (folder / "model.safetensors").read_bytes(),
    }
    names = {"config": "config.json", "weights": "model.safetensors", "report": "report.json"}
    for key, data in changed.items():
        if data is None:
            found.pop(names[key])
        else:
            found[names[key]] = data
    return found


def test_packed_and_kept_again_it_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row, goal = registered(), tmp_path / "packed"
    call_command("labeller", "pack", row.identity, str(goal))
    assert row.identity in capsys.readouterr().out
    names = {path.name for path in goal.iterdir()}
    assert names == {"config.json", "model.safetensors", "report.json", "MODEL_CARD.md"}
    assert "quillwort" not in (goal / "report.json").read_text()
    assert row.identity in (goal / "MODEL_CARD.md").read_text()
    with pytest.raises(CommandError, match="there already"):
        call_command("labeller", "pack", row.identity, str(goal))
    with pytest.raises(CommandError, match="no labeller 'none@00000000'"):
        call_command("labeller", "pack", "none@00000000", str(tmp_path / "none"))
    row.delete()
    for _ in range(2):
        call_command("labeller", "keep", str(goal), name="Back again", note="From elsewhere")
        back = Labeller.objects.get()
    assert (back.sha256, back.identity, back.origin) == (row.sha256, row.identity, Origin.UPLOADED)
    assert (back.data_hash, back.recipe, back.scores) == (row.data_hash, row.recipe, row.scores)
    assert (back.name, back.note) == ("Back again", "From elsewhere")
    (folder_of(row.sha256) / "config.json").unlink()
    with pytest.raises(CommandError, match="not as they were stored"):
        call_command("labeller", "pack", row.identity, str(tmp_path / "tampered"))


def config(**changed: Any) -> bytes:
    told = json.loads((trained() / "config.json").read_text())
    return json.dumps({**told, **changed}).encode()


def tensors(**changed: Any) -> bytes:
    """Write the weights with other values, shapes or types."""
    import torch
    from safetensors.torch import load_file, save

    found = load_file(trained() / "model.safetensors")
    for name, make in changed.items():
        key = next(one for one in found if name in one)
        found[key] = make(found[key], torch)
    return save(found)


def dimensions(count: int) -> bytes:
    """Write the weights with so many more dimensions of the size 1, which change no value."""
    data = (trained() / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + length])
    first = next(row for name, row in head.items() if name != "__metadata__")
    first["shape"] = [1] * count + first["shape"]
    written = json.dumps(head).encode()
    return len(written).to_bytes(8, "little") + written + data[8 + length :]


def labels(*names: str) -> bytes:
    return config(labels=list(names))


REFUSALS: dict[str, tuple[Any, str]] = {
    "no weights": ({"weights": None}, "model.safetensors is missing"),
    "pickle": ({"weights": b"\x80\x04\x95cposix\nsystem\n"}, "cannot be read as safetensors"),
    "truncated": (
        {"weights": (lambda: (trained() / "model.safetensors").read_bytes()[:-100])},
        "cannot be read as safetensors",
    ),
    "no JSON": ({"config": b"{"}, "cannot be read as JSON"),
    "deep JSON": ({"config": b"[" * 60_000}, "cannot be read as JSON"),
    "NaN": ({"config": lambda: config(alpha=float("nan"))}, "cannot be read as JSON"),
    "NUL": ({"config": lambda: config(name="a\0b")}, "NUL"),
    "unknown key": ({"config": lambda: config(auto_map={"a": "b"})}, "does not have|do not have"),
    "a path for a name": ({"config": lambda: config(name="../../etc")}, "part of signatures"),
    "signature in a name": ({"config": lambda: config(name="x|v:9")}, "part of signatures"),
    "right to left": ({"config": lambda: config(name="a\u202eb")}, "part of signatures"),
    "backbone path": ({"config": lambda: config(backbone="/etc/passwd")}, "path on the machine"),
    "backbone up": ({"config": lambda: config(backbone="../models/x")}, "path on the machine"),
    "huge rank": ({"config": lambda: config(rank=10**9)}, "has the rank"),
    "other rank": ({"config": lambda: config(rank=4)}, "do not fit"),
    "rank of a text": ({"config": lambda: config(rank="8")}, "has the rank"),
    "label twice": ({"config": lambda: labels("WHAT", "WHAT", "O")}, "twice"),
    "no O": ({"config": lambda: labels("WHAT", "HOW")}, "no label"),
    "empty label": ({"config": lambda: labels("", "O")}, "extra spaces"),
    "label missing": ({"config": lambda: labels("WHAT", "O")}, "do not fit"),
    "encoder": ({"config": lambda: config(encoder="other@00000000")}, "other@00000000"),
    "not a number": (
        {"weights": lambda: tensors(heads=lambda t, torch: torch.full_like(t, torch.nan))},
        "not finite numbers",
    ),
    "integers": ({"weights": lambda: tensors(heads=lambda t, torch: t.int())}, "floating-point"),
    "shape": ({"weights": lambda: tensors(heads=lambda t, torch: t[..., :2].clone())}, "not fit"),
    "dimensions": ({"weights": lambda: dimensions(3_000)}, "cannot be read as safetensors"),
    "report of another kind": ({"report": b"[1]"}, "not a JSON object"),
    "deep report": ({"report": b'{"a": ' * 400 + b"1" + b"}" * 400}, "more than 30 levels"),
    "report's hash": ({"report": b'{"data_hash": "<b>"}'}, "64 hex digits"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_is_no_labeller_is_refused_with_the_reason(tmp_path: Path, case: str) -> None:
    given, reason = REFUSALS[case]
    made = {key: data() if callable(data) else data for key, data in given.items()}
    with pytest.raises(CommandError, match=reason):
        keep(tmp_path / "given", parts(**made))
    assert not Labeller.objects.exists()


def test_without_a_report_it_has_the_name_of_its_config(tmp_path: Path, settings: Settings) -> None:
    keep(tmp_path / "given", parts())
    row = Labeller.objects.get()
    assert (row.name, row.scores, row.data_hash) == ("tiny", {}, "")
    assert len(choices_of({f"choice {n}": n for n in range(100_000)})) == 60, "as fits a page"
    settings.MAX_LABELLER_BYTES = 100_000
    with pytest.raises(CommandError, match=r"0\.1 MB"):
        keep(tmp_path / "large", parts())


BERT = {
    "model_type": "bert",
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
}
BYTES = 437_000_000


def told_config(**changed: Any) -> dict[str, Any]:
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


def test_a_whole_network_of_its_own_size_and_a_backbone_of_this_server_are_taken() -> None:
    """Whoever runs the server has named the folder of the backbone."""
    assert check_config(told_config(), made_here=False, weights=BYTES) == ("WHAT", "O")
    told = told_config(method="lora", architecture={}, backbone="/models/roberta-base")
    assert check_config(told, made_here=True, weights=1) == ("WHAT", "O")


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
def test_no_encoder_larger_than_its_weights(changed: dict[str, Any], reason: str) -> None:
    """It would be made in memory before anyone saw that the weights do not fit."""
    with pytest.raises(LabellerRefused, match=reason):
        check_config(told_config(architecture={**BERT, **changed}), made_here=False, weights=BYTES)


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
        check_config(told_config(**changed), made_here=False, weights=BYTES)


def test_what_the_disk_has_no_room_for_is_refused_in_words() -> None:
    with pytest.raises(LabellerRefused, match="limit is 600 MB"):
        size_check(10**12)
