"""Captions as a file that can be submitted, and as a package with metadata in DCASE's format."""

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from captions import InputUnusable
from runs import Run

_LABEL = re.compile(r"[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*_[0-9]+")


def label_check(label: str) -> None:
    """Raise ``InputUnusable`` where a package cannot be called so."""
    if not _LABEL.fullmatch(label):
        raise InputUnusable(
            f"--label {label!r} is not a label. Write it as Kim_SNU_task6_1: last name, "
            "abbreviation of the institute, task, and the number of the system."
        )


def captions_csv(rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """One row for each clip; several candidates, best first, in columns of their own."""
    most = max(len(texts) for _, texts in rows)
    numbered = [f"caption_predicted_{number}" for number in range(1, most + 1)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file_name", *(numbered if most > 1 else ["caption_predicted"])])
    writer.writerows([name, *texts] for name, texts in rows)
    return out.getvalue()


def metadata_of(
    run: Run, best: dict[str, Any], label: str, name: str, weights: int
) -> dict[str, Any]:
    """What DCASE's form asks for, and what the training was; the authors are left to write in."""
    described = _DESCRIPTIONS[run.model] | {
        "input_sampling_rate": f"{run.features['rate']} Hz",
        "learning_scheme": "supervised",
        "ensemble": False,
        "learning_rate": run.training["learning_rate"],
        "metric_monitored": best["kept_by"],
    }
    if run.features["encoder"]:
        described["audio_modelling"] = f"pretrained: {Path(run.features['encoder']).name}"
    return {
        "submission": {
            "label": label,
            "name": name or f"Starter kit: {run.model} baseline",
            "abbreviation": run.model,
        },
        "system": {
            "description": described,
            "complexity": {"total_parameters": weights},
        },
        "results": {"development_evaluation": {"fense": best["fense"], "cider_d": best["cider_d"]}},
        "training": {
            "preset": run.preset,
            "seed": run.seed,
            "epochs": run.training["epochs"],
            "best_epoch": best["epoch"],
            "batch": run.training["batch"],
            "seconds": round(best["seconds"]),
            "data": run.data,
        },
    }


def package_write(path: Path, label: str, table: str, metadata: dict[str, Any]) -> None:
    """Write a zip of captions and metadata, as DCASE lays a package out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{label}/{label}_output.csv", table)
        archive.writestr(f"{label}/{label}.meta.yaml", text)


_DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "clotho": {
        "acoustic_features": "log mel energies",
        "machine_learning_method": "encoder-decoder with attention",
        "audio_modelling": "three bidirectional GRU layers",
        "word_modelling": "GRU",
        "loss_function": "cross entropy",
        "optimizer": "Adam",
        "gradient_clipping": False,
    },
    "modern": {
        "acoustic_features": "log mel energies",
        "data_augmentation": "SpecAugment",
        "machine_learning_method": "encoder-decoder with attention",
        "audio_modelling": "convolutions and transformer",
        "word_modelling": "transformer",
        "loss_function": "cross entropy with label smoothing",
        "optimizer": "AdamW",
        "gradient_clipping": True,
        "gradient_norm": 1.0,
    },
}
