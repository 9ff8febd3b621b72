"""Working folder of a window: real files, printed and changed by commands, and the output shown to the model."""

from __future__ import annotations

import os
import random
import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from domain.text.output_tail import KeptOutput, OutputTail, render
from lab.bench.objects.prose import build_log, source
from lab.bench.objects.story import Act, Step, Story

_MOST_HITS = 3
"""Most lines printed of a file by a search, as by `grep -m`."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Finished command."""

    command: str
    text: str
    """Text shown to the model."""


def show_output(data: bytes) -> str:
    """Text shown to the model for a command with the output `data`, in the shell's words."""
    tail = OutputTail()
    tail.feed(data)
    return render(tail.excerpt(), KeptOutput(path=""), "")


class WorkFolder:
    """Folder with real effects of commands; the same commands leave the same bytes."""

    def __init__(self, folder: Path, story: Story, at: datetime) -> None:
        """Make the files."""
        self.folder = folder
        self._name = story.name
        self._commands = 0
        for path, chars in story.files.items():
            self._write(path, source(f"{story.name}/{path}", chars), at)

    def run(self, step: Step, at: datetime) -> Ran:
        """Carry out a command."""
        self._commands += 1
        path = shlex.quote(step.path)
        match step.act:
            case Act.PRINT:
                return Ran(f"cat {path}", show_output((self.folder / step.path).read_bytes()))
            case Act.EDIT:
                return self._edit(step.path, at)
            case Act.SEARCH:
                options = "-rn" if (self.folder / step.path).is_dir() else "-n"
                return Ran(f"grep {options} -m {_MOST_HITS} {step.word} {path}", show_output(self._find_lines(step)))
            case Act.LIST:
                return Ran(f"ls -R {path}", show_output("\n".join(self._names(step.path)).encode() + b"\n"))
            case _:
                log = build_log(f"{self._name}/{self._commands}", step.chars)
                return Ran(f"make -j4 {step.word} 2>&1", show_output(log.encode()))

    def _edit(self, path: str, at: datetime) -> Ran:
        """Change some two lines in a hundred, as `sed -i` does: into a new file that takes the old one's place."""
        chance = random.Random(f"{self._name}/edit/{self._commands}")
        lines = (self.folder / path).read_text().split("\n")
        first = chance.randrange(max(1, len(lines) - 4))
        last = min(len(lines) - 1, first + max(1, len(lines) // 50))
        old, new = f"{chance.randint(1, 9)}", f"{chance.randint(10, 999)}"
        for number in range(first, last):
            lines[number] = lines[number].replace(old, new, 1) if old in lines[number] else f"{lines[number]}  # {new}"
        self._write(path, "\n".join(lines), at)
        return Ran(f"sed -i '{first + 1},{last}s/{old}\\|$/{new}/' {shlex.quote(path)}", show_output(b""))

    def _write(self, path: str, text: str, at: datetime) -> None:
        whole = self.folder / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        fresh = whole.with_name(".fresh")
        fresh.write_text(text)
        os.utime(fresh, (at.timestamp(), at.timestamp()))
        fresh.replace(whole)

    def _names(self, path: str) -> list[str]:
        return sorted(str(each.relative_to(self.folder)) for each in (self.folder / path).rglob("*") if each.is_file())

    def _find_lines(self, step: Step) -> bytes:
        """Lines with a word, from one file or all files below a folder, shortened afterwards."""
        is_folder = (self.folder / step.path).is_dir()
        matching: list[str] = []
        for name in self._names(step.path) if is_folder else [step.path]:
            lines = enumerate((self.folder / name).read_text().split("\n"), 1)
            hits = [f"{number}:{line}" for number, line in lines if step.word in line]
            matching += [f"{name}:{hit}" for hit in hits[:1]] if is_folder else hits[:_MOST_HITS]
        return "".join(f"{line[:160]}\n" for line in matching).encode()
