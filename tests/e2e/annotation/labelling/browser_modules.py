"""Running parts of the labelling page by themselves, in a browser."""

from typing import Any

from playwright.sync_api import Page

# Random with a seed, so that a failure can be looked at again.
RANDOM = """
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor((seed / 4294967296) * below);
  };
  const labelsOf = (spans, words) => {
    const labels = Array(words).fill("O");
    spans.forEach((one) => labels.fill(one.label, one.token_start, one.token_end + 1));
    return labels;
  };
"""


def run(page: Page, imports: str, body: str) -> Any:
    return page.evaluate(f"async () => {{ {imports} {RANDOM} {body} }}")
