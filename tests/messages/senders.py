"""Who sends each message, read from the sources of actors/: whatever is sent is made somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.messages.catalogue import all_messages

ACTORS = Path(__file__).parents[2] / "actors"
MENU = frozenset({"Command", "SpokenCommand", "Press", "Completion"})
"""What a part brings for people in Discord: the Discord actor sends what these make."""
VERB = "Verb"
"""What a part brings for scripts: the socket actor makes the message that it names, of JSON."""
RULES = {"Attempt": "CallSpent", "answer_derived": "DerivedForgotten"}
"""Class or function -> message that it makes for the room that calls it."""
LOOKS = frozenset({"isinstance", "issubclass"})


@cache
def senders() -> dict[str, tuple[str, ...]]:
    """Message -> rooms of actors/ that send it, by name; none for a message that nobody makes."""
    rooms: dict[str, set[str]] = {cls.__name__: set() for cls in all_messages()}
    for path in sorted(ACTORS.rglob("*.py")):
        for room, name in sent_in(path.read_text(encoding="utf-8"), _room(path)):
            rooms[name].add(room)
    return {name: tuple(sorted(each)) for name, each in rooms.items()}


def sent_in(source: str, room: str) -> Iterator[tuple[str, str]]:
    """(room that sends it, message) for every message that a module of `room` makes, or has made."""
    fields = {cls.__name__: cls.__struct_fields__ for cls in all_messages()}
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    brings_menu = any(_name(call.func) in MENU for call in calls)
    for call in calls:
        called = RULES.get(_name(call.func), _name(call.func))
        if called in fields:
            yield ("discord" if brings_menu else room), called
        if called not in LOOKS:
            handed_on = (name for name in map(_name, call.args) if "reply_to" in fields.get(name, ()))
            yield from (("socket" if called == VERB else room, name) for name in handed_on)


def _room(path: Path) -> str:
    """`discord` for actors/discord/actor.py, `bootstrap` for actors/bootstrap.py."""
    return path.relative_to(ACTORS).with_suffix("").parts[0]


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
