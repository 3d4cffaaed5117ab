"""Captions of clips with their places, as checks take them."""

from collections.abc import Iterable, Iterator

from earmark.datasets.findings import PlacedCaption


def placed(clips: Iterable[tuple[str, Iterable[str]]]) -> Iterator[PlacedCaption]:
    for file_name, texts in clips:
        for number, text in enumerate(texts, 1):
            yield PlacedCaption(file_name, number, text)
