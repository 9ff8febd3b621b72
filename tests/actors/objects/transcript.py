"""A piece of work over eight files, as requests show it: what `docs/layers/objects.md` prints.

`python -m tests.actors.objects.transcript` prints it anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from domain.objects.ageing import Keep
from tests.actors.objects.rig import ObjectsRig

FILES = ("order.py", "cart.py", "invoice.py", "mail.py", "report.py", "store.py", "tax.py", "test_order.py")
_LONG = 60


def text_of(name: str) -> str:
    """A file of some size that names what is to be renamed."""
    lines = [f"# {name}: part of a small shop, with enough lines to be worth putting away", ""]
    for number in range(80):
        lines.append(f"def step_{number}(order):  # {name}")
        lines.append(f"    return order.total * {number} if order.is_open else 0")
    return "\n".join(lines) + "\n"


def transcript() -> str:
    """All of it."""
    with TemporaryDirectory() as folder:
        rig = ObjectsRig(Path(folder), keep=Keep(results=2, active_tokens=9_000, linger_tokens=1_000, big_tokens=500))
        try:
            return "\n".join(_tell_history(rig)) + "\n"
        finally:
            rig.stop()


def _tell_history(rig: ObjectsRig) -> Iterator[str]:
    for name in FILES:
        rig.write(name, text_of(name))
    yield "person: Rename total to amount everywhere."
    rig.turn()
    rig.ran("ls", "\n".join(sorted(FILES)))
    yield from _results(rig, "$ ls")
    for name in FILES[:4]:
        rig.cat(name)
        shown = list(_results(rig, f"$ cat {name}"))
        yield from shown if name == FILES[0] else shown[:1]
    yield ""
    for name in FILES:
        rig.write(name, text_of(name).replace("total", "amount"))
    rig.ran("sed -i s/total/amount/ *.py")
    yield from _results(rig, "$ sed -i s/total/amount/ *.py")
    rig.ran("pytest -q", "\n".join(f"test_order.py::test_step_{number} PASSED" for number in range(80)))
    yield from _results(rig, "$ pytest -q")
    yield ""
    yield "person: Is the tax still right?"
    rig.turn()
    yield from _results(rig, "(the first request of this turn)")
    rig.cat("tax.py")
    yield from _results(rig, "$ cat tax.py")
    rig.switch("f7", "pinned")
    rig.ran("/skills/context-objects/scripts/objects.py pin f7", "pinned: f7, its text stays until it is unpinned")
    yield from _results(rig, "$ .../objects.py pin f7")
    rig.cat("order.py")
    yield from _results(rig, "$ cat order.py")


def _results(rig: ObjectsRig, what: str) -> Iterator[str]:
    """Content of the next request: the newest result in full, and sizes of the rest."""
    words = rig.word()
    calls = [call for turn in rig.turns.values() for call in turn]
    shown = dict(words.results)
    yield what
    newest = next(reversed(rig.turns.values()))
    if newest:
        yield from (f"  {line}" for line in _short(shown[newest[-1].event]))
    size, plain = sum(map(len, shown.values())), sum(len(call.text) for call in calls)
    yield f"  ({size}, plain {plain})"


def _short(text: str) -> list[str]:
    """References of a text, each with an ellipsis for the lines after it."""
    lines: list[str] = []
    for line in text.split("\n"):
        if re.match(r"\[(?:output|files?|text|\d+ more)", line):
            lines.append(line if len(line) < 2 * _LONG else f"{line[: 2 * _LONG]} ...")
        elif not lines[-1].endswith("…"):
            lines[-1] += " …"
    return lines


if __name__ == "__main__":
    sys.stdout.write(transcript())
