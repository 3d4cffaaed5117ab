"""A labeller that somebody sends: what is taken, what is refused, and why."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from leaderboard.models import Labeller, Origin
from leaderboard.selectors.labellers.comparing import choices_of
from scoring.train.descriptors import (
    LabellerRecipe,
    TrainingPlan,
    read_sets,
    report_json,
    run_training,
)
from tests.labellers import registered, trained
from tests.leaderboard.labellers.test_labellers_page import page
from tests.scoring.descriptors.records import OTHER_WORDS, SMALL

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_labellers"),
]


def test_what_a_real_training_reports_is_shown_whole(publisher: Client, tmp_path: Path) -> None:
    """The files of ``python -m scoring train descriptors`` as they are, sent in."""
    data = tmp_path / "labels.jsonl"
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    sets = read_sets([data])
    recipe = LabellerRecipe(name="real", epochs=1, batch=8)
    report = report_json(
        run_training(sets, TrainingPlan(recipe, held_out=0.5, folds=2), tmp_path / "out")
    )
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"config.json", "model.safetensors", "report.json"}
    assert publisher.post("/labellers/upload/", {"file": zipped(files)}).status_code == 302
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


def zipped(files: dict[str, bytes]) -> SimpleUploadedFile:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return SimpleUploadedFile("labeller.zip", buffer.getvalue(), "application/zip")


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


def test_downloaded_and_sent_in_again_it_is_the_same(publisher: Client) -> None:
    row = registered()
    answer = publisher.get(f"/labellers/{row.identity}/download/")
    data = answer.getvalue()
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert names == ["config.json", "model.safetensors", "report.json", "MODEL_CARD.md"]
        assert b"quillwort" not in archive.read("report.json")
        assert row.identity in archive.read("MODEL_CARD.md").decode()
    row.delete()
    file = SimpleUploadedFile("again.zip", data, "application/zip")
    sent = publisher.post("/labellers/upload/", {"file": file, "name": "Back again"})
    assert sent["Location"] == f"/labellers/{row.identity}/"
    back = Labeller.objects.get()
    assert (back.sha256, back.identity, back.origin) == (row.sha256, row.identity, Origin.UPLOADED)
    assert (back.data_hash, back.recipe, back.scores) == (row.data_hash, row.recipe, row.scores)
    twice = SimpleUploadedFile("again.zip", data, "application/zip")
    told = publisher.post("/labellers/upload/", {"file": twice}, follow=True)
    assert "was kept here already" in told.content.decode()


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
    "no zip": (b"PK no", "is not a zip"),
    "no weights": ({"weights": None}, "has no model.safetensors"),
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
def test_what_is_no_labeller_is_refused_with_the_reason(publisher: Client, case: str) -> None:
    given, reason = REFUSALS[case]
    if isinstance(given, bytes):
        file = SimpleUploadedFile("x.zip", given)
    else:
        made = {key: data() if callable(data) else data for key, data in given.items()}
        file = zipped(parts(**made))
    answer = publisher.post("/labellers/upload/", {"file": file})
    assert answer.status_code == 422
    text = answer.content.decode()
    assert any(part in text for part in reason.split("|")), text[text.find("errorlist") :][:500]
    assert not Labeller.objects.exists()


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"../config.json": b"{}", "model.safetensors": b""}, "several folders"),
        ({"config.json": b"{}", "model.safetensors": b"", "run.py": b""}, "run.py"),
        ({"a/config.json": b"{}", "b/model.safetensors": b""}, "several folders"),
        ({f"{n}.txt": b"" for n in range(30)}, "more than 20 files"),
        ({"config.json": b" " * 70_000, "model.safetensors": b""}, "larger than"),
    ],
)
def test_tricks_of_archives_are_refused(
    publisher: Client, files: dict[str, bytes], reason: str
) -> None:
    answer = publisher.post("/labellers/upload/", {"file": zipped(files)})
    assert answer.status_code == 422
    assert reason in answer.content.decode()


def turned(name: bytes, offset: int) -> bytes:
    """A zip whose files call themselves otherwise than its list, or begin before it."""
    data = bytearray(zipped(parts()).read())
    at, end = data.index(b"config.json"), data.rindex(b"PK\x05\x06")
    flagged = data.index(b"PK\x01\x02") + 8
    data[6:8] = data[flagged : flagged + 2] = (0x800).to_bytes(2, "little")
    data[at : at + len(name)] = name
    start = int.from_bytes(data[end + 16 : end + 20], "little") + offset
    data[end + 16 : end + 20] = start.to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(("name", "offset"), [(b"\xff", 0), (b"c", 20)])
def test_an_archive_that_contradicts_itself_is_told_to_be_damaged(
    publisher: Client, name: bytes, offset: int
) -> None:
    file = SimpleUploadedFile("x.zip", turned(name, offset))
    answer = publisher.post("/labellers/upload/", {"file": file})
    assert answer.status_code == 422
    assert "damaged. Make the file again" in answer.content.decode()


def test_of_a_recipe_without_end_so_much_is_shown_as_fits_a_page() -> None:
    assert len(choices_of({f"choice {n}": n for n in range(100_000)})) == 60


def test_a_folder_of_a_site_before_it_in_the_archive_is_no_matter(publisher: Client) -> None:
    """People zip the folder, and their computers put files of their own beside it."""
    files = {f"tiny/{name}": data for name, data in parts().items()}
    files["__MACOSX/tiny/._config.json"] = b"x"
    sent = publisher.post("/labellers/upload/", {"file": zipped(files)})
    assert sent.status_code == 302
    row = Labeller.objects.get()
    assert row.name == "tiny"
    assert row.scores == {}
    assert row.data_hash == ""


def test_too_large_is_refused(publisher: Client, settings: Settings) -> None:
    settings.MAX_LABELLER_BYTES = 100_000
    answer = publisher.post("/labellers/upload/", {"file": zipped(parts())})
    assert answer.status_code == 422
    assert "0.1 MB" in answer.content.decode()
