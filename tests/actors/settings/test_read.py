"""Every setting is read by the part that heeds it; who only shows settings, or checks them for doctor, does not count.

Reads are looked for in the sources: `settings.<table>.<key>`, or `settings.table(<Table>).<key>` of a layer's table,
also by names that stand for the table in the same function, or whose type is the table's. What is called like a key elsewhere (`config.timeout_s`)
counts for nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel, create_model

from actors.parts import LAYERS
from actors.settings.layers import with_tables
from actors.settings.schema import Settings, Shell
from actors.settings.table import Table, Whole

ROOT = Path(__file__).parents[3]
ONLY_SHOW = re.compile(r"actors/(settings/.*|cli/(doctor\w*|common|config)\.py|\w+/checks\.py)")
SETTINGS = ("settings", "_settings")
SWITCHES = "layers"
"""The table of which each key is read by `Settings.has_layer`."""

FACES = {"GatewayTable": "FactsTable"}
"""Protocols by which rooms read a layer's table that they may not import."""


def keys(schema: type[BaseModel]) -> set[str]:
    """Every setting's dotted key."""
    tables = _tables(schema)
    alone = schema.model_fields.keys() - tables.keys() - {SWITCHES}
    return alone | {f"{name}.{key}" for name, table in tables.items() for key in table.model_fields}


def _tables(schema: type[BaseModel]) -> dict[str, type[BaseModel]]:
    kinds = {name: field.annotation for name, field in schema.model_fields.items() if name != SWITCHES}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def sources() -> Iterator[str]:
    """The text of every module that could heed a setting."""
    for folder in ("actors", "lab"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not ONLY_SHOW.match(path.relative_to(ROOT).as_posix()):
                yield path.read_text()


def read_keys(texts: Iterable[str], schema: type[BaseModel]) -> set[str]:
    """The dotted keys that the modules read."""
    tables = {table.__name__: name for name, table in _tables(schema).items()}
    names = "|".join((*tables, *FACES))
    reads = re.compile(rf"\b_?settings\b|:\s*(?:{names})\b")  # a text without these has no read: it is not parsed
    return {
        key for text in texts if reads.search(text) for scope in _scopes(text) for key in _keys_read_in(scope, tables)
    }


@cache
def _scopes(text: str) -> tuple[list[ast.AST], ...]:
    return tuple(_scopes_of(ast.parse(text)))


def _scopes_of(module: ast.Module) -> Iterator[list[ast.AST]]:
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


def _keys_read_in(nodes: list[ast.AST], tables: Mapping[str, str]) -> Iterator[str]:
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


def _names_of_tables(nodes: list[ast.AST], tables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names that stand for a table, by an argument's type, or by assignment of it alone or beside others."""
    for node in nodes:
        if isinstance(node, ast.arg) and isinstance(node.annotation, ast.Name):
            named = FACES.get(node.annotation.id, node.annotation.id)
            if named in tables:
                yield node.arg, tables[named]
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name) and (table := _table(value, tables)) is not None:
                    yield name.id, table


def _table(node: ast.expr, tables: Mapping[str, str]) -> str | None:
    """Which table `node` is, if it is `settings.<table>` or `settings.table(<Table>)`; `tables`: class -> name."""
    match node:
        case ast.Attribute(value=value, attr=name) if name in tables.values() and _is_settings(value):
            return name
        case ast.Call(func=ast.Attribute(value=value, attr="table"), args=[ast.Name(id=kind)]) if _is_settings(value):
            return tables.get(kind)
    return None


def _is_settings(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id in SETTINGS
    return isinstance(node, ast.Attribute) and node.attr in SETTINGS


def test_every_setting_is_read() -> None:
    schema = with_tables({layer.name: layer.table for layer in LAYERS})
    assert keys(schema) - read_keys(sources(), schema) == set()


def test_a_setting_that_nothing_reads_is_found() -> None:
    shell = create_model("Shell", __base__=Shell, unheard_of=(int, 0))
    schema = create_model("Settings", __base__=Settings, shell=(shell, shell()), unknown=(int, 0))
    assert keys(schema) - read_keys(sources(), schema) == {"shell.unheard_of", "unknown"}


class Diary(Table):
    """A layer's table."""

    pages: Whole = 1
    ink: str = "blue"


def test_a_layers_table_is_read_like_the_others() -> None:
    schema = with_tables({"diary": Diary})
    texts = [*sources(), "def row(plan):\n    diary = plan.settings.table(Diary)\n    return diary.pages"]
    assert keys(schema) - read_keys(texts, schema) == {"diary.ink"}


def test_these_are_reads(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("def f(settings):\n    return settings.shell.timeout_s", "shell.timeout_s"),
        ("def f(self):\n    return self._settings.shell.timeout_s", "shell.timeout_s"),
        ("def f(settings):\n    def g():\n        return settings.shell.timeout_s\n    return g", "shell.timeout_s"),
        ("def f(settings):\n    shell = settings.shell\n    return shell.timeout_s", "shell.timeout_s"),
        ("def f(settings):\n    a, b = settings.shell, 1\n    return a.timeout_s", "shell.timeout_s"),
        ("def f(shell: Shell):\n    return shell.timeout_s", "shell.timeout_s"),
        ("class C:\n    def f(self, settings):\n        return settings.data_root", "data_root"),
    ]
    for text, key in cases:
        with subtests.test(text=text, key=key):
            assert key in read_keys([text], Settings)


def test_these_are_none(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "def f(config):\n    return config.timeout_s",
        "def f(config):\n    return config.shell.timeout_s",
        "def f(shell: Memory):\n    return shell.timeout_s",
        "def f(settings):\n    shell = settings.shell\ndef g(shell):\n    return shell.timeout_s",
        "def f(settings):\n    return settings.memory.timeout_s",
        "def f(settings):\n    settings.shell.timeout_s = 1",
        "'settings.shell.timeout_s'",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert "shell.timeout_s" not in read_keys([text], Settings)
