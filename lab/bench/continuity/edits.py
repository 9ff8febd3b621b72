"""Edits of a person's while workers write the same files: whether a line is lost or stands twice.

A person's lines stand among the workers' in MEMORY and HISTORY, and below a heading of their own in SESSION, where the
state of the work is said anew each time.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from domain.workspace.files.history_file import HISTORY_TEMPLATE
from domain.workspace.files.memory_file import MEMORY_TEMPLATE
from domain.workspace.files.session_state import SESSION_TEMPLATE
from lab.bench.continuity.agent import BenchAgent, window_of
from lab.bench.continuity.hanging import SETTINGS
from lab.bench.continuity.items import filed, item_text, item_worker
from lab.bench.continuity.place import embed, files_of, folder
from lab.bench.measure import Figures, silence_log
from lab.chaos.editor import Editor, Saver
from lab.curated_memory import until_brought_back
from messages.base import RequestId
from messages.model import ModelRequest
from messages.workspace import DescribeSession, workspace_of

HUMAN = b"- human "
NOTES = b"# Notes of my own"
MOST_HUMAN = 40
"""Lines of the person's in a file: beyond that one is taken out for each that is added."""
_PAUSE_S = 0.03
"""Between two turns."""
_LAST_S = 40.0
"""A look at what an edit displaced is taken half a minute after it."""
_EDITS_A_TURN = 4
"""In each file."""
_TEMPLATES = {
    "SESSION.md": SESSION_TEMPLATE + b"\n" + NOTES + b"\n\n- My first note stands here.\n",
    "MEMORY.md": MEMORY_TEMPLATE,
    "HISTORY.md": HISTORY_TEMPLATE,
}


@dataclass(slots=True)
class Person:
    """What a person does to one file: adds lines, changes lines of their own, takes them out."""

    seed: str
    in_notes: bool
    there: set[bytes] = field(default_factory=set)
    gone: set[bytes] = field(default_factory=set)

    def revise(self, lines: list[bytes], number: int) -> None:
        """Make the edit of that number."""
        chance = random.Random(f"{self.seed}/{number}")
        own = [place for place, line in enumerate(lines) if line.startswith(HUMAN)]
        if not own or chance.random() < (0.4 if len(own) > MOST_HUMAN else 0.7):
            lines.insert(self._place(lines, chance), self._new(number))
            return
        place = chance.choice(own)
        self.there.discard(lines[place])
        self.gone.add(lines[place])
        if chance.random() < 0.5:
            lines[place] = self._new(number)
        else:
            del lines[place]

    def _place(self, lines: list[bytes], chance: random.Random) -> int:
        """Behind a heading or a bullet, for a person puts no line into a comment."""
        first = lines.index(NOTES) if self.in_notes and NOTES in lines else 0
        places = [at for at, line in enumerate(lines) if at >= first and line.startswith((b"#", b"- "))]
        return 1 + chance.choice(places) if places else len(lines)

    def _new(self, number: int) -> bytes:
        line = HUMAN + f"{self.seed} {number}".encode()
        self.there.add(line)
        return line


def edited(edits: int, rounds: int) -> Figures:
    """What becomes of a person's lines.

    Args:
        edits: Of the person, in all.
        rounds: In each of which another way of saving meets each file.
    """
    sums: Counter[str] = Counter()
    for number in range(rounds):
        with folder(on_disk=True) as root:
            sums.update(_round(root, edits // rounds, number))
    return {name: float(value) for name, value in sums.items()}


def _round(root: Path, edits: int, number: int) -> dict[str, int]:
    files = files_of(root, window_of(0))
    files.mkdir(parents=True)
    people, editors = {}, {}
    for place, (name, template) in enumerate(_TEMPLATES.items()):
        (files / name).write_bytes(template)
        people[name] = Person(f"{number}-{name}", in_notes=name == "SESSION.md")
        saver = (Saver.IN_PLACE, Saver.RENAME)[(place + number) % 2]
        editors[name] = Editor(files / name, saver, people[name].seed, people[name].revise)
    worker_calls = _work(root, editors, edits)
    with BenchAgent(root, _silent, embed, SETTINGS) as agent:  # this one brings back what was written last of all
        request = DescribeSession(request_id=RequestId("end"), reply_to=agent.edge.address, window=window_of(0))
        agent.ask(workspace_of(window_of(0)), request)
        until_brought_back(files, _LAST_S)
    return _judged(files, people) | {
        "human_edits": sum(editor.edits for editor in editors.values()),
        "edit_worker_calls": worker_calls,
    }


def _silent(_request: ModelRequest) -> None:
    return None


def _work(root: Path, editors: dict[str, Editor], edits: int) -> int:
    """Turn after turn until the person has made all edits; how often workers were asked."""
    worker, numbers, pause = item_worker("edits"), count(1), threading.Event()

    def behave(request: ModelRequest) -> str:
        return worker.answer(request) if request.purpose else "Noted; it will be in the list from now on."

    for editor in editors.values():
        editor.start()
    with BenchAgent(root, behave, embed, SETTINGS) as agent:
        while sum(editor.edits for editor in editors.values()) < edits:
            number = next(numbers)
            agent.say(window_of(0), item_text("edits", number), number)
            for editor in editors.values():
                editor.allowed += _EDITS_A_TURN
            pause.wait(_PAUSE_S)
        for editor in editors.values():
            editor.stop()
    return len(worker.asked)


def _judged(files: Path, people: dict[str, Person]) -> dict[str, int]:
    """What became of everybody's lines."""
    lost = doubled = 0
    for name, person in people.items():
        lines = Counter((files / name).read_bytes().split(b"\n"))
        archive = files / name.replace(".md", ".archive.md")
        archived = Counter(archive.read_bytes().split(b"\n")) if archive.exists() else Counter[bytes]()
        lost += sum(not lines[line] and not archived[line] for line in person.there)
        lost += sum(lines[line] > 0 for line in person.gone)
        doubled += sum(seen > 1 for line, seen in lines.items() if line.startswith(HUMAN))
    items = filed((files / "MEMORY.md").read_text())
    return {
        "human_lost": lost,
        "human_doubled": doubled,
        "edit_entries": len(items),
        "edit_entries_doubled": sum(seen - 1 for seen in items.values()),
        "edit_left": sum(1 for _ in files.glob(".*.agent*")),
    }


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(edited(**json.loads(sys.argv[1]))))
