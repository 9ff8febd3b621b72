"""Writes docs/requirements.md from the rows and the marks of the tests: `python -m tests.requirements.document`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.requirements.chart import Holder, Row, State, counts, held_by, rows

PATH = Path(__file__).parents[2] / "docs" / "requirements.md"

HEAD = """\
# Requirements

What the source documents ask for, id by id, with its state and the tests that hold it.
Written by `python -m tests.requirements.document` from the marks of the tests; do not edit.
`bin/test -k requirements` prints the counts, and fails where an id has no test or a test names an id that there is none of.

`S0` is the specification of the agent, `C` the card that asks for actors in Python.
`X` is a choice: the sources leave something open, or say it in two ways; [choices](../tests/requirements/choices.md) has the reason of each.
`S1` to `S4` are the specifications of the layers; their ids come with the layers, those of `curated` first.
"""
_KINDS = {
    "S0": "The specification",
    "S1": "pi-memory (layer curated)",
    "S2": "agent-cli memory (layer facts)",
    "S3": "Context objects (layer objects)",
    "S4": "pipiclaw context upgrade (layer workspace)",
    "C": "The card",
    "X": "Choices",
}


def document() -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, f"{counts()}.\n", *_tables()]) + "\n"


def _tables() -> Iterator[str]:
    all_rows, tested = rows(), held_by()
    for kind, title in _KINDS.items():
        of_kind = [row for row in all_rows if row.id.startswith(f"{kind}-")]
        if not of_kind:
            continue
        yield f"## {title}\n"
        yield "| id | what | state | held by |\n|---|---|---|---|"
        yield from (_line(row, tested.get(row.id, ())) for row in of_kind)
        yield ""


def _line(row: Row, holders: Iterable[Holder]) -> str:
    state = row.state if row.state is State.WORKS else f"{row.state}: {row.reason}"
    held = "<br>".join(f"`tests/{each.file}` {each.name.removeprefix('test_')}" for each in holders)
    words = row.words.replace("](../../docs/", "](").replace("|", "\\|")
    return f"| {row.id} | {words} | {state} | {held} |"


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")
