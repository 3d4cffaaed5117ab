"""No text that people read has a name in braces that nothing fills in."""

import ast
import importlib
import pkgutil
import re
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator

import pytest
from django.core.management import get_commands, load_command_class
from django.forms import BaseForm

import annotation.forms
import leaderboard.forms
from earmark.cli.parser import build_parser
from tests.docs.source_tree import SourceTree

# A name, a call or an attribute, and how it is written: {MOST:,}, {float(SHARE)}.
_BRACES = re.compile(r"\{[A-Za-z_][\w.]*(\([^{}]*\))?([:!\[][^{}]*)?\}")
_OWN = {name: app for name, app in get_commands().items() if app in {"leaderboard", "annotation"}}


def texts_of(parser: ArgumentParser) -> Iterator[str]:
    """What --help prints of a command and its commands, except for choices, which have braces."""
    formatter = parser._get_formatter()
    yield from (parser.description or "", parser.epilog or "")
    for group in parser._action_groups:
        yield from (group.title or "", group.description or "")
    for action in parser._actions:
        yield formatter._expand_help(action) if action.help else ""
        if isinstance(action, _SubParsersAction):
            yield from (str(choice.help) for choice in action._choices_actions)
            for command in action.choices.values():
                yield from texts_of(command)


@pytest.mark.parametrize("name", sorted(_OWN))
def test_the_help_of_a_command_of_the_site_is_filled_in(name: str) -> None:
    command = load_command_class(_OWN[name], name)
    parser = command.create_parser("manage.py", name)
    assert parser.description == sys.modules[command.__module__].__doc__
    assert [text for text in texts_of(parser) if _BRACES.search(text)] == []


def test_the_help_of_the_program_is_filled_in() -> None:
    found = list(texts_of(build_parser()))
    assert len(found) > 100
    assert [text for text in found if _BRACES.search(text)] == []


def forms() -> list[type[BaseForm]]:
    """Every form class of both apps."""
    for package in (leaderboard.forms, annotation.forms):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found: set[type[BaseForm]] = set()
    todo: list[type[BaseForm]] = [BaseForm]
    while todo:
        todo += (new := set(todo.pop().__subclasses__()) - found)
        found |= new
    own = (one for one in found if one.__module__.split(".")[0] in {"leaderboard", "annotation"})
    return sorted(own, key=lambda one: (one.__module__, one.__qualname__))


@pytest.mark.parametrize("form", forms(), ids=lambda one: one.__qualname__)
def test_the_texts_of_a_form_are_filled_in(form: type[BaseForm]) -> None:
    texts = [
        str(text)
        for field in getattr(form, "base_fields", {}).values()
        for text in (
            *(field.label, field.help_text, *field.error_messages.values()),
            *field.widget.attrs.values(),
        )
    ]
    assert [text for text in texts if _BRACES.search(text)] == []


def test_no_string_names_what_its_module_defines_without_being_formatted() -> None:
    """Texts that no form and no --help shows: messages, titles, labels."""
    found = [
        f"{module.name}:{line}: {text}"
        for module in SourceTree().modules.values()
        for line, text in unformatted(module.tree)
    ]
    assert found == []


def unformatted(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Strings with a constant of the module in braces, except those that are formatted."""
    told = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr | ast.Attribute) and isinstance(node.value, ast.Constant)
    }
    constants = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told:
            for braces in _BRACES.finditer(node.value):
                names = set(re.findall(r"[A-Z][A-Z_]+", braces[0]))
                if names & constants:
                    yield node.lineno, node.value
