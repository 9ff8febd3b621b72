"""The scanner finds every key on the line where it stands."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.settings.toml_lines import ArrayOfTablesError, KeyPath, key_lines

T = TypeVar("T")

SCALARS = (
    "0",
    "-1.5e3",
    "true",
    "inf",
    "2026-11-22 14:03:22.481Z",
    "0xff_ff",
    '""',
    "''",
    r'"a # b \" ] } , = \\"',
    r"'c:\ # ] }'",
    '""""""',
    "''''''",
    '"""\nx = 1\n[y]\n# no comment\n"""',
    '""""quoted"""""',
    '"""a\\"""b\\\\"""',
    '"""one \\\n   line"""',
    "'''\nz = 2\n[[w]]\n''two''three'''''",
)
ODD = ("", "-a_", ".b", "#", "=", "]", '"', "'", "\\", "\n[c]\n", "\t}", " é😀")
COMMENT = "# a = 1 [b] 'c \"\"\" ''' ]}"


class Writer:
    """Writes TOML and notes at the same time on which line each key went; `choices` decide what it writes."""

    def __init__(self, choices: bytes) -> None:
        self.text = ""
        self.lines: dict[KeyPath, int] = {}
        self._choices = iter(choices)
        self._names = 0

    def choose(self, options: Sequence[T]) -> T:
        """One of the options; the first when there are no choices left, so that every text ends."""
        return options[next(self._choices, 0) % len(options)]

    def write_all(self) -> None:
        self.pairs(())
        declared: list[KeyPath] = []
        implied: list[KeyPath] = []
        for _ in range(self.choose(range(4))):
            parent = self.choose([(), *declared, *implied])
            table = (*parent, *self.new_key()) if parent in declared or not parent or self.flip() else parent
            declared.append(table)
            implied = [p for p in [*implied, *(table[:n] for n in range(1, len(table)))] if p not in declared]
            self.gap()
            line = self.line
            self.text += f"[{self.space()}{self.spelt(table)}{self.space()}]"
            self.note(table, line)
            self.end_line()
            self.pairs(table)

    def pairs(self, table: KeyPath) -> None:
        above: KeyPath = ()
        for _ in range(self.choose(range(5))):
            self.gap()
            key = (*above, *self.new_key()) if self.flip() else self.new_key()
            above = key[:-1]
            self.pair(table, key, depth=0)
            self.end_line()

    def pair(self, table: KeyPath, key: KeyPath, depth: int) -> None:
        line = self.line
        self.text += f"{self.spelt(key)}{self.space()}={self.space()}"
        self.note((*table, *key), line)
        self.value((*table, *key), depth)

    def value(self, path: KeyPath, depth: int) -> None:
        kind = self.choose(("scalar", "array", "inline table")) if depth < 3 else "scalar"
        if kind == "scalar":
            self.text += self.choose(SCALARS)
        elif kind == "array":
            self.array(path, depth)
        else:
            self.inline_table(path, depth)

    def array(self, path: KeyPath, depth: int) -> None:
        self.text += "["
        length = self.choose(range(4))
        for index in range(length):
            self.gap()
            self.note((*path, index), self.line)
            self.value((*path, index), depth + 1)
            self.gap()
            if index < length - 1 or self.flip():
                self.text += ","
        self.gap()
        self.text += "]"

    def inline_table(self, path: KeyPath, depth: int) -> None:
        self.text += "{" + self.space()
        for n in range(self.choose(range(3))):
            self.text += f"{self.space()},{self.space()}" if n else ""
            self.pair(path, self.new_key(), depth + 1)
        self.text += self.space() + "}"

    def new_key(self) -> tuple[str, ...]:
        """One to three parts, each of them new to the text, so that nothing is defined twice."""
        parts = []
        for _ in range(self.choose(range(1, 4))):
            self._names += 1
            parts.append(f"{self._names}{self.choose(ODD)}")
        return tuple(parts)

    def spelt(self, path: KeyPath) -> str:
        return f"{self.space()}.{self.space()}".join(self.part(str(part)) for part in path)

    def part(self, text: str) -> str:
        spellings = [json.dumps(text, ensure_ascii=False)]
        if text.replace("-", "").replace("_", "").isalnum() and text.isascii():
            spellings.append(text)
        if "'" not in text and "\n" not in text:
            spellings.append(f"'{text}'")
        return self.choose(spellings)

    def gap(self) -> None:
        for _ in range(self.choose(range(3))):
            self.text += self.space() + self.choose(("\n", "\n\n", f"{COMMENT}\n"))
        self.text += self.space()

    def end_line(self) -> None:
        self.text += self.space() + self.choose(("\n", f"{COMMENT}\n"))

    def space(self) -> str:
        return self.choose(("", " ", "\t "))

    def flip(self) -> bool:
        return self.choose((False, True))

    def note(self, path: KeyPath, line: int) -> None:
        self.lines[path] = line
        for n in range(1, min(len(path), 8)):
            self.lines.setdefault(path[:n], line)

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1


def paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


@settings(deadline=None, max_examples=100)
@given(choices=st.binary(max_size=600), newline=st.sampled_from(("\n", "\r\n")))
def test_every_key_table_and_element_is_found_on_the_line_where_it_was_written(choices: bytes, newline: str) -> None:
    writer = Writer(choices)
    writer.write_all()
    text = writer.text.replace("\n", newline)

    assert set(paths(tomllib.loads(text))) == set(writer.lines)
    assert key_lines(text) == writer.lines


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.sampled_from(
            ("a", "b.", "=", " = 1\n", '"', "'", "'''", '"""', "[", "]", "{", "}", ",", "#", "\n", "\\", "1")
        )
    )
)
def test_any_text_ends_in_all_keys_or_in_a_refusal(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        values = None
    try:
        lines = key_lines(text)
    except ValueError:
        assert values is None or "[[" in text
    else:
        assert values is None or set(paths(values)) == set(lines)


def test_a_key_is_found(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, KeyPath, int]] = [
        ("\n\na = 1", ("a",), 3),
        ("[a]\nb = 1\n[c]\nb = 2", ("c", "b"), 4),
        ("[a.b]\nc = 1\n[a]\n", ("a",), 3),
        ("a.b = 1\na.c = 2", ("a",), 1),
        ('x = """\na = 1\n"""\na = 2', ("a",), 4),
        ("a = [\n  1, # ]\n  2,\n]\nb = 1", ("a", 1), 3),
        ("a = {b = 1, c = {d = [\n2]}}", ("a", "c", "d", 0), 2),
        ("'a.b'.\"c\\u0064\" = 1", ("a.b", "cd"), 1),
        ("# a = 1\r\na = 2", ("a",), 2),
    ]
    for text, path, line in cases:
        with subtests.test(text=text, path=path):
            assert key_lines(text)[path] == line


def test_arrays_of_tables_are_refused_with_their_line() -> None:
    with pytest.raises(ArrayOfTablesError) as refused:
        key_lines("a = [[1]]\n[b]\n[[c]]\n")

    assert refused.value.line == 3
