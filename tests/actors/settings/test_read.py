"""Every setting is read by the part that heeds it; who only shows settings, or checks them for doctor, does not count.

Reads are looked for in the sources: `settings.<table>.<key>`, with any number of names in between that stand for
`settings.<table>` in the same function. What a key is called elsewhere (`config.timeout_s`) counts for nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, create_model

from actors.settings.schema import Settings, Shell

ROOT = Path(__file__).parents[3]
ONLY_SHOW = ("actors/settings/", "actors/cli/doctor", "actors/cli/common.py", "actors/cli/config.py")
SETTINGS = ("settings", "_settings")


def keys(schema: type[BaseModel]) -> set[str]:
    """Every setting's dotted key."""
    found = set()
    for name, field in schema.model_fields.items():
        table = field.annotation
        if isinstance(table, type) and issubclass(table, BaseModel):
            found |= {f"{name}.{key}" for key in table.model_fields}
        else:
            found.add(name)
    return found


def sources() -> Iterator[str]:
    """The text of every module that could heed a setting."""
    for folder in ("actors", "lab"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not str(path.relative_to(ROOT)).startswith(ONLY_SHOW):
                yield path.read_text()


def read_keys(texts: Iterable[str], schema: type[BaseModel]) -> set[str]:
    """The dotted keys that the modules read."""
    tables = {key.partition(".")[0] for key in keys(schema) if "." in key}
    return {key for text in texts for scope in _scopes(ast.parse(text)) for key in _keys_read_in(scope, tables)}


def _scopes(module: ast.Module) -> Iterator[list[ast.AST]]:
    """The nodes of each function with the functions in it, and those of the module outside of functions."""
    functions = [node for node in ast.iter_child_nodes(module) if _is_function(node)]
    for node in ast.iter_child_nodes(module):
        if isinstance(node, ast.ClassDef):
            functions += [each for each in node.body if _is_function(each)]
    for function in functions:
        yield list(ast.walk(function))
    inside = {id(node) for function in functions for node in ast.walk(function)}
    yield [node for node in ast.walk(module) if id(node) not in inside]


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _keys_read_in(nodes: list[ast.AST], tables: set[str]) -> Iterator[str]:
    names = dict(_names_of_tables(nodes, tables))
    for node in nodes:
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if _is_settings(node.value):
            yield node.attr
        table = _table(node.value, tables)
        if table is None and isinstance(node.value, ast.Name):
            table = names.get(node.value.id)
        if table is not None:
            yield f"{table}.{node.attr}"


def _names_of_tables(nodes: list[ast.AST], tables: set[str]) -> Iterator[tuple[str, str]]:
    """Names that stand for a table, by assignment of it alone or beside others."""
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name) and (table := _table(value, tables)) is not None:
                    yield name.id, table


def _table(node: ast.expr, tables: set[str]) -> str | None:
    """Which table `node` is, if it is `settings.<table>`."""
    is_table = isinstance(node, ast.Attribute) and node.attr in tables and _is_settings(node.value)
    return node.attr if is_table and isinstance(node, ast.Attribute) else None


def _is_settings(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id in SETTINGS
    return isinstance(node, ast.Attribute) and node.attr in SETTINGS


def test_every_setting_is_read() -> None:
    assert keys(Settings) - read_keys(sources(), Settings) == set()


def test_a_setting_that_nothing_reads_is_found() -> None:
    shell = create_model("Shell", __base__=Shell, unheard_of=(int, 0))
    schema = create_model("Settings", __base__=Settings, shell=(shell, shell()), unknown=(int, 0))
    assert keys(schema) - read_keys(sources(), schema) == {"shell.unheard_of", "unknown"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("def f(settings):\n    return settings.shell.timeout_s", "shell.timeout_s"),
        ("def f(self):\n    return self._settings.shell.timeout_s", "shell.timeout_s"),
        ("def f(settings):\n    def g():\n        return settings.shell.timeout_s\n    return g", "shell.timeout_s"),
        ("def f(settings):\n    shell = settings.shell\n    return shell.timeout_s", "shell.timeout_s"),
        ("def f(settings):\n    a, b = settings.shell, 1\n    return a.timeout_s", "shell.timeout_s"),
        ("class C:\n    def f(self, settings):\n        return settings.data_root", "data_root"),
    ],
)
def test_these_are_reads(text: str, key: str) -> None:
    assert key in read_keys([text], Settings)


@pytest.mark.parametrize(
    "text",
    [
        "def f(config):\n    return config.timeout_s",
        "def f(config):\n    return config.shell.timeout_s",
        "def f(settings):\n    shell = settings.shell\ndef g(shell):\n    return shell.timeout_s",
        "def f(settings):\n    return settings.memory.timeout_s",
        "def f(settings):\n    settings.shell.timeout_s = 1",
        "'settings.shell.timeout_s'",
    ],
)
def test_these_are_none(text: str) -> None:
    assert "shell.timeout_s" not in read_keys([text], Settings)
