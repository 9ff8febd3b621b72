from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.messages.catalogue import all_messages, all_structs
from tests.messages.document import PATH, _class, document
from tests.messages.senders import senders, sent_in

page = cache(document)


def test_the_page_is_what_the_sources_say_now() -> None:
    assert PATH.read_text(encoding="utf-8") == page(), "run: python -m tests.messages.document"


def test_every_class_has_its_heading_once() -> None:
    assert {cls.__name__ for cls in all_structs() if page().count(f"\n#### {cls.__name__}\n") != 1} == set()


def test_a_class_is_shown_with_its_fields_types_defaults_and_their_docstrings() -> None:
    source = '''
class Recall(Message):
    """Find memories."""

    query: str
    limit: int | None = 8
    """Most memories wanted,
    >= 1."""

    @property
    def short(self) -> bool:
        """Not a field."""
'''
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)

    assert list(_class(node)) == [
        "#### Recall\n",
        "Find memories.\n",
        "| field | type | meaning |",
        "|---|---|---|",
        "| `query` | `str` |  |",
        "| `limit` | `int \\| None` = `8` | Most memories wanted, >= 1. |",
        "",
    ]


def test_the_senders_of_a_message_stand_below_what_it_says() -> None:
    (node,) = ast.parse('class Recall(Message):\n    """Find memories."""').body
    assert isinstance(node, ast.ClassDef)

    assert list(_class(node, ("context", "discord"))) == [
        "#### Recall\n",
        "Find memories.\n",
        "Sent by: context, discord.\n",
    ]


def test_every_message_has_a_sender() -> None:
    """A message that no room of actors/ makes can never arrive."""
    assert {cls.__name__ for cls in all_messages() if not senders()[cls.__name__]} == set()


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("tell(to, StopIntake())", [("shell", "StopIntake")]),
        ("ask(SearchMemory, 60.0)", [("shell", "SearchMemory")]),
        ("Verb(MEMORY, SearchMemory)", [("socket", "SearchMemory")]),
        ("Command(request=lambda call, given: TellUsage(window=call.window))", [("discord", "TellUsage")]),
        ("isinstance(message, SearchMemory) and worded(MemoriesFound)", []),
        ("match message:\n    case StopIntake():\n        pass", []),
    ],
)
def test_whoever_makes_a_message_or_has_it_made_sends_it(source: str, sent: list[tuple[str, str]]) -> None:
    assert list(sent_in(source, "shell")) == sent
