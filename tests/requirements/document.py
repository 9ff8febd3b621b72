"""Writes docs/requirements.md from the rows and the marks of the tests: `python -m tests.requirements.document`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.requirements.chart import DECISIONS, State, counts, held_by, rows

PATH = Path(__file__).parents[2] / "docs" / "requirements.md"

HEAD = f"""\
# Requirements

What the source documents ask for, id by id, with its state and the tests that hold it.
Written by `python -m tests.requirements.document` from the marks of the tests; do not edit.
`bin/test -k requirements` prints the counts, and fails where an id has no test or a test names an id that there is none of.

`S0` is the specification of the agent, `C` the card that asks for actors in Python.
`X` is a choice: the sources leave something open, or say it in two ways; [design](design.md) lists each under *{DECISIONS}*.
The layers' ids come with the layers.
"""
_KINDS = {"S0": "The specification", "C": "The card", "X": "Choices"}


def document() -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, f"{counts()}.\n", *_tables()]) + "\n"


def _tables() -> Iterator[str]:
    tested = held_by()
    for kind, title in _KINDS.items():
        yield f"## {title}\n"
        yield "| id | what | state | held by |\n|---|---|---|---|"
        for row in rows():
            if row.id.startswith(f"{kind}-"):
                state = row.state if row.state is State.WORKS else f"{row.state}: {row.reason}"
                held = "<br>".join(
                    f"`tests/{each.file}` {each.name.removeprefix('test_')}" for each in tested.get(row.id, ())
                )
                words = row.words.replace("|", "\\|")
                yield f"| {row.id} | {words} | {state} | {held} |"
        yield ""


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")
