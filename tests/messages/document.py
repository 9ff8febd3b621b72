"""Writes docs/protocol.md from the sources of messages/: `python -m tests.messages.document`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType

from messages.base import Message, Value
from tests.messages.catalogue import modules, shares, structs
from tests.messages.senders import senders

PATH = Path(__file__).parent.parent.parent / "docs" / "protocol.md"

HEAD = """\
# Protocol

What actors say to each other, from the sources in `messages/`; a test says when this page is out of date.
Written by `python -m tests.messages.document`; do not edit.

A message is immutable and serialises with msgspec to JSON and MessagePack, tagged with its class name under `type`.
A command goes to one actor; a reply goes to the command's `reply_to` with the same `request_id`; an event goes to
whoever subscribed; a value travels inside the others.

*Sent by* names the rooms of `actors/` in which a message is made: `context` is a window, `cli` a command of the
operator's. Slash commands and buttons ask through `discord`, scripts and `agent status` through `socket`.
"""


def document() -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, *(line for module in modules() for line in _module(module))])


def _module(module: ModuleType) -> Iterator[str]:
    classes = {node.name: node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)}
    yield f"## {module.__name__}\n"
    yield f"{inspect.getdoc(module)}\n"
    for union, members in shares(module).items():
        if members:
            yield f"### {union}\n"
            for cls in members:
                yield from _class(classes[cls.__name__], senders()[cls.__name__])
    is_base = module.__name__ == "messages.base"
    values = [cls for cls in structs(module) if is_base or (issubclass(cls, Value) and not issubclass(cls, Message))]
    enums = [cls for cls in vars(module).values() if _is_enum_of(module, cls)]
    if values or enums:
        yield "### Values\n"
        for cls in (*values, *enums):
            yield from _class(classes[cls.__name__])


def _is_enum_of(module: ModuleType, thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Enum) and thing.__module__ == module.__name__


def _class(node: ast.ClassDef, sent_by: tuple[str, ...] = ()) -> Iterator[str]:
    yield f"#### {node.name}\n"
    yield f"{ast.get_docstring(node)}\n"
    if sent_by:
        yield f"Sent by: {', '.join(sent_by)}.\n"
    rows = list(_fields(node))
    if rows:
        yield "| field | type | meaning |"
        yield "|---|---|---|"
        yield from rows
        yield ""


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """One table row for each field, or each member of an enumeration."""
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign):
            name, kind, default = ast.unparse(statement.target), ast.unparse(statement.annotation), statement.value
            cell = f"`{kind}`" + (f" = `{ast.unparse(default)}`" if default is not None else "")
        elif isinstance(statement, ast.Assign):
            name, cell = ast.unparse(statement.targets[0]), f"`{ast.unparse(statement.value)}`"
        else:
            continue
        yield f"| `{name}` | {_cell(cell)} | {_cell(_docstring(following))} |"


def _docstring(node: ast.stmt | None) -> str:
    """The text of an attribute docstring, which is a string that stands alone behind the attribute."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")
