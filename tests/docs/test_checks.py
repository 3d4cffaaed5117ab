"""What runs before a commit is what `make check` runs."""

import re

import yaml

from tests.docs.source_tree import ROOT


def test_hooks_run_the_commands_of_make_check() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ncheck:")[1].split("\n\n")[0]
    checks = set(re.findall(r"\$\(BIN\)/(\w[\w-]* ?[\w. -]*?)(?: \.| templates)?$", recipe, re.M))
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    entries = {
        hook["entry"].removeprefix(".venv/bin/").replace(" --force-exclude", "")
        for repository in hooks["repos"]
        for hook in repository["hooks"]
    }
    # Deployment settings are checked with an environment of their own, in CI alone.
    assert entries == {check for check in checks if "--deploy" not in check}
