"""Corpora for tests: small ones made of plain words, and real ones from their files."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from earmark.captions import Candidates, References, read_candidates, read_references
from earmark.workspace import Workspace

SYSTEMS = ("dcase2022_baseline", "dcase2023_baseline", "audiocaption")
CLOTHO = "clotho/clotho_captions_evaluation.csv"


def words_workspace(captions: Iterable[str], **settings: Any) -> Workspace:
    """A workspace in which these captions' tokens are their words."""
    tokens = {text: tuple(text.split()) for text in captions}
    return Workspace(_memos={"tokens": tokens}, **settings)


def corpus(
    candidates: list[str], references: list[list[str]], **settings: Any
) -> tuple[Candidates, References, Workspace]:
    """Both sides of a small corpus, and a workspace that knows their words."""
    named = References.build((f"{i:05}.wav", texts) for i, texts in enumerate(references))
    workspace = words_workspace([*candidates, *named.captions], **settings)
    return Candidates.single(candidates), named, workspace


def oracle(data: Path, system: str) -> dict[str, Any]:
    """Read what pycocoevalcap 1.2 on Java 17 says of a system."""
    found: dict[str, Any] = json.loads((data / "oracles" / f"{system}.json").read_text())
    return found


def published(data: Path, system: str) -> tuple[Candidates, References]:
    """Read a published system and the references of Clotho evaluation, as files come."""
    told = read_references((data / CLOTHO).read_bytes(), file_name=CLOTHO)
    if told.value is None:
        raise ValueError(f"{CLOTHO}: {told.errors[0]}")
    path = data / "systems" / f"{system}.csv"
    said = read_candidates(path.read_bytes(), told.value, file_name=path.name)
    if said.value is None:
        raise ValueError(f"{path.name}: {said.errors[0]}")
    return said.value, told.value


Sides = tuple[list[str], list[list[str]]]

captions = st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join)
clips = st.tuples(captions, st.lists(captions, min_size=1, max_size=4))
corpora = st.lists(clips, min_size=1, max_size=6).map(
    lambda rows: ([candidate for candidate, _ in rows], [texts for _, texts in rows])
)
