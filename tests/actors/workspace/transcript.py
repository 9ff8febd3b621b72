"""A piece of work of 60 turns over cuts, a kill and a new window: what `docs/layers/workspace.md` prints.

`python -m tests.actors.workspace.transcript` prints it anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.actors.workspace.world import World

RULES = {
    1: "Never fire above 1240 degrees, the new shelves crack.",
    4: "Ask Mona before anything is ordered.",
}
KEPT = "- Elements are ordered, they come on the 4th.\n"
TALK = "Today I looked at the bricks again, took a few measurements, and cleaned one more row of the arch. "
TURNS = 60


def transcript() -> str:
    """All of it."""
    with TemporaryDirectory() as folder:
        return "\n".join(_told(World(Path(folder), max_history_tokens=3_000, recall=True, compaction=True))) + "\n"


def _told(world: World) -> Iterator[str]:
    heads = _Heads()
    for number in range(1, TURNS + 1):
        text = RULES.get(number, f"{number}. {TALK * 3}")
        before = world.cuts()
        sent = world.say(text)
        if number in RULES:
            yield f"turn {number}: {text}"
        if number == 9:
            yield from _kept(world)
        if world.cuts() > before:
            yield from heads.shown(f"turn {number}: a cut, after", sent)
        if number == 50:
            world.kill()
            yield f"turn {number}: a kill and a restart"
        if number == 51:
            yield from heads.shown(f"turn {number}: after", sent)
    world.new()
    sent = world.say("Let's go on.")
    yield from heads.shown("turn 61: /new, after", sent)


def _kept(world: World) -> Iterator[str]:
    """The agent keeps SESSION.md, as its instructions say where no model is asked for it."""
    path = world.folder / "SESSION.md"
    text = path.read_text("utf-8")
    path.write_text(text.replace("# Current State\n", f"# Current State\n{KEPT}"), "utf-8")
    yield f"turn 9: the agent writes into SESSION.md: {KEPT.strip()}"


class _Heads:
    """Heads of requests' histories; a head that differs from the last by its last line only is that line."""

    def __init__(self) -> None:
        self._last: list[str] = []

    def shown(self, event: str, sent: list[str]) -> Iterator[str]:
        """An event, and the lines of the head after it."""
        *lines, rest = _head(sent)
        if lines == self._last:
            yield f"{event} the same and{rest.partition(' and')[2]}"
            return
        self._last = lines
        yield from (event, *lines, rest)


def _head(sent: list[str]) -> Iterator[str]:
    """What stands at the head of a request's history, a part a line."""
    name, line = sent[0].split("\n")[:2]
    yield f"  {name}"
    if not line.startswith("{"):
        return
    for part, items in json.loads(line).items():
        if part == "said_before":
            yield from _said(items)
        elif isinstance(items, list):
            yield from (f"  {part}: {item}" for item in items)


def _said(items: list[dict[str, str]]) -> Iterator[str]:
    """People's words, of the talk beside the rules only how much there is."""
    talk = [item for item in items if item["said"] not in RULES.values()]
    who = file = ""
    for item in items:
        who, (path, _, line) = item.get("who", who), item["at"].rpartition(":")
        file = path.rpartition("/")[2] or file
        if item not in talk:
            yield f"  said_before: {who}: {item['said']} (…/{file}:{line})"
    yield f"  said_before: and {len(talk)} more"


if __name__ == "__main__":
    sys.stdout.write(transcript())
