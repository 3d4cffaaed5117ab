"""Finding out at once what several metric families would each find out for themselves.

The encoder takes as long for five phrases as for fifty of the same length. So the
short texts of all families are embedded together, and captions are labelled together,
before the families are asked; they find it in the workspace. What cannot be found
out here they say themselves.
"""

import contextlib
from collections.abc import Collection, Mapping
from typing import Any

from leaderboard.services.trying.texts import TryTexts
from leaderboard.services.trying.workspace import TryWorkspace
from scoring.errors import ScoringError
from scoring.metrics.aces import Aces
from scoring.metrics.aces.labels import labelled, span_texts
from scoring.metrics.bert_score import BertScore
from scoring.metrics.sbf import Sbf
from scoring.metrics.sbf.phrases import find_phrases, find_reading
from scoring.metrics.spice import SpicePlusEmb
from scoring.metrics.spice.graphs import caption_graphs, merged
from scoring.metrics.spice.tuple_texts import tuple_text
from scoring.models.descriptors import find_labeller
from scoring.models.encoder import Encoder, find_encoder
from scoring.text.parse import parse

Found = tuple[Encoder, list[str]]
Parameters = Mapping[str, Any]


def read_ahead(
    texts: TryTexts,
    families: Collection[str],
    workspace: TryWorkspace,
    parameters: Mapping[str, Parameters],
) -> None:
    """Leave in the workspace what these families will look for there."""
    if "bert_score" in families:
        with contextlib.suppress(ScoringError, ImportError, OSError):
            encoder = find_encoder(BertScore(**parameters.get("bert_score", {})).encoder)
            workspace.read_captions([texts.caption, *texts.references], encoder)
    short: dict[Encoder, list[str]] = {}
    for name, find in _SHORT.items():
        if name in families:
            with contextlib.suppress(ScoringError, ImportError, OSError):
                encoder, found = find(texts, workspace, parameters.get(name, {}))
                short.setdefault(encoder, []).extend(found)
    for encoder, found in short.items():
        with contextlib.suppress(ScoringError, ImportError, OSError):
            workspace.embeddings(
                found,
                encoder,
                heartbeat=lambda done, total: workspace.progress("ahead", done, total),
            )


def _phrases(texts: TryTexts, workspace: TryWorkspace, own: Parameters) -> Found:
    """Give the phrases of all captions, whose sounds SBF compares."""
    family = Sbf(**own)
    reading = find_reading(family.phrases)
    parses = parse([texts.caption, *texts.references], workspace)
    found = [phrase for one in parses for phrase in find_phrases(one, reading)]
    return find_encoder(family.encoder), found


def _spans(texts: TryTexts, workspace: TryWorkspace, own: Parameters) -> Found:
    """Give the spans of all captions, which ACES compares by their labels."""
    family = Aces(**own)
    captions = [texts.caption, *texts.references]
    found = labelled(
        workspace,
        captions,
        find_labeller(family.labeller),
        heartbeat=lambda done, total: workspace.progress("aces", done, total),
        # As with ``TryWorkspace.embeddings``: a sixteenth of the work.
        padded=False,
    )
    return find_encoder(family.encoder), span_texts(found)


def _tuples(texts: TryTexts, workspace: TryWorkspace, own: Parameters) -> Found:
    """Give the tuples of both sides, which SPICE+emb compares."""
    family = SpicePlusEmb(**own)
    sides = ((texts.caption,), texts.references)
    graphs = [merged(caption_graphs(side, "plus", workspace), "plus") for side in sides]
    rows = [tuple_text(row) for graph in graphs for row in graph.graph.tuples]
    return find_encoder(family.encoder), rows


_SHORT = {"sbf": _phrases, "aces": _spans, "spice_plus_emb": _tuples}
