"""Running parts of the page of work by themselves, in a browser."""

import json
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
  const json = JSON.stringify;
"""


def run(page: Page, modules: dict[str, str], body: str, **given: Any) -> Any:
    """What ``body`` returns, which knows the names that modules export, by their paths."""
    imports = " ".join(
        f"const {{ {names} }} = await import('/static/js/labelling/{path}.js');"
        for path, names in modules.items()
    )
    values = " ".join(f"const {name} = {json.dumps(value)};" for name, value in given.items())
    return page.evaluate(f"async () => {{ {imports} {RANDOM} {values} {body} }}")
