from __future__ import annotations

import ast

import pytest

from messages.base import Message
from tests.messages.catalogue import all_structs
from tests.messages.document import PATH, _class, document


def test_the_page_is_what_the_sources_say_now() -> None:
    assert PATH.read_text(encoding="utf-8") == document(), "run: python -m tests.messages.document"


@pytest.mark.parametrize("cls", all_structs(), ids=lambda cls: cls.__name__)
def test_every_class_has_its_heading_once(cls: type[Message]) -> None:
    assert document().count(f"\n#### {cls.__name__}\n") == 1


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
