"""Dependency parses of captions: each distinct one once, here or by a process that parses ahead."""

from collections.abc import Iterable, Sequence

from earmark.runtime import Heartbeat
from earmark.text.parser import Parse, Parser, normalise, parse_here
from earmark.workspace import Workspace

_BATCH = 128


def parse(
    captions: Iterable[str],
    workspace: Workspace,
    *,
    dressed: bool = True,
    parser: Parser = "general",
    heartbeat: Heartbeat | None = None,
) -> list[Parse]:
    """Parse captions in order; every distinct one once per workspace and parser.

    An empty caption, or one of punctuation alone, has no tokens. Without
    ``dressed`` the model reads the texts as they are.
    ``heartbeat(done, total)`` counts the captions that are new. Raises
    ``ParserMissing``.
    """
    known: dict[str, Parse] = workspace.memo(f"parses:{parser}")
    texts = [normalise(caption) if dressed else caption for caption in captions]
    new = [text for text in dict.fromkeys(texts) if text not in known]
    parse_ahead(new, workspace, dressed=False, parser=parser)
    for start in range(0, len(new), _BATCH):
        batch = new[start : start + _BATCH]
        known.update(zip(batch, _parses(batch, parser, workspace), strict=True))
        if heartbeat is not None:
            heartbeat(min(start + _BATCH, len(new)), len(new))
    return [known[text] for text in texts]


def parse_ahead(
    captions: Iterable[str],
    workspace: Workspace,
    *,
    dressed: bool = True,
    parser: Parser = "general",
) -> None:
    """Let the process that parses, if the workspace has one, begin with captions."""
    if workspace.parsing is not None:
        known = workspace.memo(f"parses:{parser}")
        texts = (normalise(caption) if dressed else caption for caption in captions)
        workspace.parsing.begin((text for text in texts if text not in known), parser)


def _parses(texts: Sequence[str], parser: Parser, workspace: Workspace) -> list[Parse]:
    parsed = None if workspace.parsing is None else workspace.parsing.parses(texts, parser)
    return parse_here(texts, parser) if parsed is None else parsed
