"""fer and fense: what they say of clips, their signatures, and the command that shows flags."""

import json
from pathlib import Path

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.cli.parser import main
from earmark.metrics.fluency.metric import flagged, probabilities
from earmark.models.fluency import CLASSES, Detector, Probabilities, detect, find_detector
from earmark.pipeline import score, score_family
from earmark.workspace import Workspace
from tests.earmark.corpora import corpus

FLUENT = "a dog barks while birds sing in the background"
BROKEN = "a dog barks while birds sing and a dog barks while birds sing and a"
REFERENCES = [
    ["a dog barks and birds sing", "birds chirp as a dog barks"],
    ["a dog barks and birds sing", "birds chirp as a dog barks"],
]


@pytest.fixture
def clips() -> tuple[Candidates, References, Workspace]:
    return corpus([FLUENT, BROKEN], REFERENCES, details=True, device="cpu")


def test_flagged_clip_has_one(clips: tuple[Candidates, References, Workspace]) -> None:
    found = score_family("fluency", *clips)["fer"]
    assert found.per_clip.tolist() == [0, 1]
    assert found.value == 0.5
    assert found.coverage == 2
    assert found.details is not None
    assert [row["flag"] for row in found.details] == [False, True]
    assert found.details[1]["likeliest"] in ("repeat_event", "add_tail")
    assert list(found.details[0]["probabilities"]) == list(CLASSES)


def test_fense_is_similarity_with_the_penalty(
    clips: tuple[Candidates, References, Workspace],
) -> None:
    similarity = score_family("sbert", *clips)["sbert_sim"].per_clip
    found = score_family("fense", *clips)["fense"]
    assert found.per_clip == pytest.approx(similarity * np.array([1, 0.1]), abs=1e-6)
    assert found.value == pytest.approx(found.per_clip.mean(), abs=1e-6)
    assert found.details is not None
    assert len(found.details[0]["similarities"]) == 2
    assert found.details[1]["fluency"]["flag"]
    json.dumps(found.details)


def test_flag_is_above_the_threshold_only() -> None:
    found = np.zeros((3, 6), np.float32)
    found[:, -1] = [0.5, np.nextafter(np.float32(0.5), np.float32(1)), 1]
    assert flagged(found, 0.5).tolist() == [0, 1, 1]


def test_each_caption_is_judged_once_per_run(
    clips: tuple[Candidates, References, Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []

    def listening(detector: Detector, captions: list[str], **rest: object) -> Probabilities:
        judged.extend(captions)
        return detect(detector, captions, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr("earmark.metrics.fluency.metric.detect", listening)
    score(clips[0], clips[1], ["fer", "fense"], clips[2])
    probabilities(clips[2], [BROKEN, FLUENT, BROKEN], find_detector())
    assert sorted(judged) == sorted([FLUENT, BROKEN])


def test_command_prints_a_line_per_caption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "captions.txt"
    lines.write_text(f"{FLUENT}\n{BROKEN}\n")
    table = tmp_path / "mine.csv"
    table.write_text(f"file_name,caption_predicted\na.wav,{FLUENT}\nb.wav,{BROKEN}\n")
    printed = []
    for path in (lines, table):
        assert main(["fluency", str(path)]) == 0
        printed.append([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert printed[0] == printed[1]
    assert [row["caption"] for row in printed[0]] == [FLUENT, BROKEN]
    assert [row["flag"] for row in printed[0]] == [False, True]
    assert list(printed[0][0]) == ["caption", *CLASSES, "flag"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-file.txt"], "Cannot read"),
        ([__file__, "--detector", "no-such-folder"], "no fluency detector"),
        ([__file__, "--threshold", "2"], "not a probability"),
    ],
)
def test_command_says_what_is_wrong(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fluency", *arguments]) == 2
    assert said in capsys.readouterr().err
