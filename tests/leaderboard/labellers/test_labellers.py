"""The registry: what is kept of a labeller, which one is in use, what is refused."""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import Settings
from safetensors.torch import load_file

from earmark.errors import ScoringError
from earmark.models.descriptors import LabellerMissing, find_labeller, label
from earmark.models.descriptors.files import LabellerConfig
from leaderboard.models import AuditEvent, Labeller, LabellerUse, Origin
from leaderboard.scorer import family_arguments, family_own
from leaderboard.selectors.labellers.files import folder_of, labeller_folder, shipped_identity
from leaderboard.selectors.labellers.listing import kept_labellers
from leaderboard.selectors.labellers.use import (
    identity_in_use,
    labeller_in_use,
    labeller_path_in_use,
)
from leaderboard.services.labellers.configuration import KEYS, LabellerRefused
from leaderboard.services.labellers.registry import labeller_delete, labeller_register
from leaderboard.services.labellers.using import labeller_put_to_use, labeller_roll_back
from leaderboard.services.organising.phases import phase_create
from leaderboard.web.refusals import Refused
from tests.bench.kept_tables import descriptor_labels, descriptors
from tests.earmark.descriptors.tiny import TEXTS
from tests.factories import NOW, ChallengeFactory, UserFactory
from tests.labellers import registered, trained
from tests.leaderboard.labellers.whole_networks import signed, whole

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_labellers")]


def test_keeps_files_under_a_hash_that_can_be_checked_by_hand(own_labellers: Path) -> None:
    """``sha256sum config.json model.safetensors | sha256sum`` gives the folder's name."""
    row = registered()
    folder = labeller_folder(row.identity)
    assert folder == own_labellers / row.sha256
    sums = subprocess.run(
        ["sha256sum", "config.json", "model.safetensors"],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    assert hashlib.sha256(sums.stdout).hexdigest() == row.sha256
    assert row.size == sum(
        (folder / f).stat().st_size for f in ("config.json", "model.safetensors")
    )
    assert find_labeller(str(folder)).identity == row.identity
    assert [oct(path.stat().st_mode)[-3:] for path in folder.iterdir()] == ["444"] * 3
    assert list(own_labellers.iterdir()) == [folder], "nothing is left of the staging"


def test_keeps_no_caption_of_the_errors_and_the_same_files_once() -> None:
    """A project's captions, be they hidden references, must not reach who may see scores."""
    row = registered()
    told = (labeller_folder(row.identity) / "report.json").read_text()
    assert "quillwort" not in told
    assert "quillwort" not in json.dumps(row.scores)
    assert row.scores["inventories"]["aces-13"]["micro"] == 0.61
    assert json.loads(told)["recipe"]["epochs"] == 2
    again = registered(origin=Origin.UPLOADED)
    assert (again.pk, again.origin) == (row.pk, Origin.TRAINED)
    assert AuditEvent.objects.filter(action="labeller.register").count() == 1


def _flip(folder: Path) -> None:
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.chmod(0o644)
    weights.write_bytes(data)


def _swap_labels(folder: Path) -> None:
    config = folder / "config.json"
    told = json.loads(config.read_text())
    told["labels"][:2] = told["labels"][1::-1]
    config.chmod(0o644)
    config.write_text(json.dumps(told, indent=2) + "\n")


def _truncate(folder: Path) -> None:
    weights = folder / "model.safetensors"
    data = weights.read_bytes()
    weights.chmod(0o644)
    weights.write_bytes(data[: len(data) // 2])


def _remove(folder: Path) -> None:
    (folder / "config.json").unlink()


def _link(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.rename(folder.parent / "elsewhere")
    weights.symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("tamper", [_flip, _swap_labels, _truncate, _remove, _link])
def test_tampered_files_are_refused_everywhere_until_they_are_put_right(tamper: object) -> None:
    row = registered()
    folder = folder_of(row.sha256)
    tamper(folder)  # type: ignore[operator]
    with pytest.raises(ScoringError, match="not as they were stored"), transaction.atomic():
        labeller_put_to_use(labeller=row, reason="Better", actor=None, now=NOW)
    assert not LabellerUse.objects.exists()
    assert registered().pk == row.pk
    labeller_put_to_use(labeller=row, reason="Better", actor=None, now=NOW)
    assert labeller_path_in_use()
    tamper(folder)  # type: ignore[operator]
    with pytest.raises(ScoringError, match="not as they were stored"):
        labeller_folder(row.identity)
    with pytest.raises(ScoringError, match="not as they were stored"):
        labeller_path_in_use()


def test_another_with_the_same_name_in_signatures_is_refused(tmp_path: Path) -> None:
    """Same weights, other labels: their scores could not be told apart.

    Weights say which configuration they were made for, unless they are of an earlier version.
    """
    first, other = tmp_path / "first", tmp_path / "other"
    shutil.copytree(trained(), first)
    signed(first, load_file(first / "model.safetensors"))
    registered_from(first)
    shutil.copytree(first, other)
    _swap_labels(other)
    shutil.copytree(trained(), tmp_path / "present")
    _swap_labels(tmp_path / "present")
    for folder, why in (
        (other, "another name"),
        (tmp_path / "present", r"made for another config\.json"),
        (find_labeller().folder, "comes with this site"),
    ):
        with pytest.raises(LabellerRefused, match=why):
            registered_from(folder)
    assert Labeller.objects.count() == 1


def registered_from(folder: Path) -> Labeller:
    return labeller_register(
        folder=folder,
        name="Other",
        origin=Origin.UPLOADED,
        data_hash="",
        recipe={},
        scores={},
        note="",
        actor=None,
        now=NOW,
    )


def test_a_whole_network_brings_its_encoder_along() -> None:
    before = label(find_labeller(str(whole())), TEXTS, device="cpu")
    kept = labeller_folder(registered_from(whole()).identity)
    assert label(find_labeller(str(kept)), TEXTS, device="cpu") == before


def test_put_to_use_and_rolled_back() -> None:
    user = UserFactory.create()
    assert labeller_in_use() is None
    assert labeller_path_in_use() == ""
    shipped, row = shipped_identity(), registered()
    with pytest.raises(Refused, match="nothing to go back to"), transaction.atomic():
        labeller_roll_back(actor=user, now=NOW)
    use = labeller_put_to_use(labeller=row, reason="Knows rain", actor=user, now=NOW, seen=shipped)
    assert labeller_in_use() == use
    assert identity_in_use() == row.identity
    assert labeller_path_in_use() == str(folder_of(row.sha256))
    with pytest.raises(Refused, match="already in use"), transaction.atomic():
        labeller_put_to_use(labeller=row, reason="", actor=user, now=NOW)
    with (
        pytest.raises(Refused, match=rf"{user.username} put .* in the meantime"),
        transaction.atomic(),
    ):
        labeller_put_to_use(labeller=None, reason="", actor=user, now=NOW, seen=shipped)
    back = labeller_roll_back(actor=user, now=NOW, seen=row.identity)
    assert (back.labeller, back.identity) == (None, shipped)
    assert labeller_in_use() is None
    events = AuditEvent.objects.filter(action="labeller.use").order_by("pk")
    assert [event.details["instead_of"] for event in events] == [shipped, row.identity]


def test_new_phases_get_the_one_in_use_and_old_ones_keep_theirs() -> None:
    challenge = ChallengeFactory.create()
    old = phase_create(challenge=challenge, slug="old", name="Old", actor=None, now=NOW)
    row = registered()
    labeller_put_to_use(labeller=row, reason="", actor=None, now=NOW)
    new = phase_create(challenge=challenge, slug="later", name="Later", actor=None, now=NOW)
    assert new.parameters == {"aces": {"labeller": row.identity}}
    old.refresh_from_db()
    assert old.parameters == {}


def test_what_a_power_cut_left_half_stored_is_no_labeller_and_goes(own_labellers: Path) -> None:
    left = own_labellers / ".incoming-abc"
    left.mkdir(parents=True)
    (left / "config.json").write_text("{")
    fresh = own_labellers / ".incoming-def"
    fresh.mkdir()
    os.utime(left, (0, 0))
    row = registered()
    assert {path.name for path in own_labellers.iterdir()} == {row.sha256, fresh.name}


def test_what_was_in_use_is_not_deleted(django_capture_on_commit_callbacks: object) -> None:
    row, other = registered(), registered("other", 2)
    labeller_put_to_use(labeller=row, reason="", actor=None, now=NOW)
    with pytest.raises(Refused, match="was in use"), transaction.atomic():
        labeller_delete(labeller=row, actor=None, now=NOW)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        labeller_delete(labeller=other, actor=None, now=NOW)
    assert not folder_of(other.sha256).exists()
    with pytest.raises(ScoringError, match="not kept on this site"):
        labeller_folder(other.identity)
    assert folder_of(row.sha256).exists()


def test_knows_every_key_that_the_scorer_writes() -> None:
    """What trainings write from now on must be taken here, and uploads may have nothing else."""
    assert set(KEYS) == {field.name for field in fields(LabellerConfig)}


def test_the_installations_own_labeller_may_be_another(settings: Settings) -> None:
    """Set by whoever runs the server; phases that name the packaged one still find it."""
    packaged, other = find_labeller().identity, str(trained())
    settings.SCORING_PARAMETERS = {"aces": {"labeller": other}}
    assert shipped_identity() == find_labeller(other).identity
    assert labeller_path_in_use() == other
    assert [row.origin for row in kept_labellers()] == ["Chosen by this installation"]
    assert family_arguments("aces", {"labeller": packaged})["labeller"] == ""
    assert family_arguments("aces", {"labeller": shipped_identity()})["labeller"] == other
    assert family_own("aces", {"labeller": shipped_identity()}) == {}
    assert family_own("aces", {"labeller": packaged}) == {"labeller": packaged}


def test_where_the_installations_own_is_not_there_pages_say_so(settings: Settings) -> None:
    settings.SCORING_PARAMETERS = {"aces": {"labeller": "/nowhere"}}
    row = registered()
    first, second = kept_labellers()
    assert "not on this server" in first.fault
    assert "/nowhere" not in first.fault
    assert second.identity == row.identity
    labeller_put_to_use(labeller=row, reason="", actor=None, now=NOW)
    with pytest.raises(LabellerMissing), transaction.atomic():
        labeller_roll_back(actor=None, now=NOW)


def test_what_is_shown_of_the_shipped_one_is_what_its_page_of_the_documentation_says() -> None:
    """Its figures are of a run that is described there; a new one must change both."""
    shipped = kept_labellers()[0]
    scores = shipped.scores
    assert scores is not None
    assert scores.crossed
    overall, labels = descriptors(), descriptor_labels()
    folds = f"{min(scores.folds):.3f} to {max(scores.folds):.3f}"
    values = (f"{value:.3f}" for value in (scores.weighted, scores.span))
    told = (str(scores.captions), f"{scores.micro:.3f}", folds, *values)
    assert f"| {' | '.join(told)} |" in overall
    for name, row in scores.labels.items():
        assert f"| {name} | {row['f1']:.2f} ({row['words']})" in labels
    assert set(scores.labels) == set(shipped.labels)
    assert scores.confusion is not None
