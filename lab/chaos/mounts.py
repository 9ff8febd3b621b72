"""Race for mounted names: one command swaps the names while the mounts of another are made.

Both see one shared folder. The names to be kept come up when the first command runs already, so its sandbox does not
hold them. As soon as the kernel reports a look at the folder, the first command replaces the names with links and
reverses the change, as fast as possible. No file outside of the folder may be shown to the second command, changed,
emptied or made.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from time import perf_counter

from lab.bench.shell.shells import Shells
from messages.base import RequestId
from messages.shell import SharedFolder

LEVEL = "auto"
TOKEN = "a-word-that-nobody-was-to-read"
TRIES_OF_A_RACER = 250
PATIENCE_S = 30.0
_RACER = """
import ctypes, os, select, sys, time
libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = {"x86_64": 316, "aarch64": 276}[os.uname().machine]
LOOKED_AT = 0x01 | 0x04 | 0x10 | 0x20
pairs = []
for number, target in enumerate(sys.argv[1:]):
    name, other = f"kept-{number}", f"other-{number}"
    with open(name, "w") as file: file.write("mine")
    os.symlink(target, other)
    pairs.append((name.encode(), other.encode()))
for number, target in enumerate(sys.argv[1:3]):
    os.makedirs(f"sub-{number}/inner")
    os.symlink(os.path.dirname(target), f"away-{number}")
    pairs.append((f"sub-{number}".encode(), f"away-{number}".encode()))
watch = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(watch, b".", LOOKED_AT)
count = os.open("swaps", os.O_CREAT | os.O_WRONLY)
swaps = 0
while True:
    os.pwrite(count, b"%09d" % swaps, 0)
    select.select([watch], [], [], 1)
    try: os.read(watch, 65536)
    except BlockingIOError: pass
    until = time.monotonic() + 0.06
    while time.monotonic() < until:
        for one, other in pairs:
            libc.syscall(ctypes.c_long(EXCHANGE), -100, one, -100, other, 2)
            swaps += 1
"""
_VICTIM = """
cat kept-* sub-*/* 2> /dev/null
for name in kept-*; do echo changed >> $name; done 2> /dev/null
for folder in sub-*; do echo planted > $folder/planted; rm -f $folder/planted; done 2> /dev/null
echo tried
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountReport:
    """Account of a race."""

    tries: int
    shown: int
    """Commands with a view of a file outside of the folder."""
    touched: int
    """Commands followed by a change outside: a file changed, emptied or made."""
    refused: int
    """Commands not begun, because of a name swapped at the moment."""
    swaps: int
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if no file got out or in, and the race took place."""
        return not (self.shown or self.touched) and self.swaps > self.tries and self.refused < self.tries

    def as_dict(self) -> dict[str, object]:
        """The report as JSON."""
        return asdict(self)

    def line(self) -> str:
        """The report in words."""
        return (
            f"{self.tries:,} commands beside {self.swaps:,} swaps: {self.shown} read files outside of the folder, "
            f"{self.touched} touched it, {self.refused} were refused ({self.seconds:.1f} s)"
        )


class _Outside:
    """Targets of links: a secret, a log, and a folder where no file may be made."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir()
        for name in ("secret", "log"):
            (root / name).write_text(TOKEN)
        self._before = self._state()

    def targets(self) -> tuple[str, ...]:
        """Targets of links: as the machine sees files, and as bubblewrap does while making mounts."""
        places = [f"{self._root}/{name}" for name in ("secret", "log", "planted")]
        return tuple(f"{prefix}{place}" for place in places for prefix in ("", "/oldroot"))

    def was_touched(self) -> bool:
        """True if a target was changed since the last call; the targets are then restored."""
        after = self._state()
        if after == self._before:
            return False
        for name in after.keys() - self._before.keys():
            place = self._root / name
            place.rmdir() if place.is_dir() else place.unlink()
        for name, content in self._before.items():
            (self._root / name).write_text(content)
        return True

    def _state(self) -> dict[str, str]:
        return {path.name: path.read_text() if path.is_file() else "" for path in self._root.iterdir()}


def race(root: Path, tries: int, tick: Callable[[int], object]) -> MountReport:
    """Have commands begun while another command swaps their mounted names.

    Args:
        root: An empty folder outside /tmp, since a sandbox has its own /tmp.
        tries: Commands.
        tick: Called with the number of each command.
    """
    began = perf_counter()
    outside = _Outside(root / "outside")
    shells = Shells(root, (LEVEL,))
    leaked = touched = refused = swaps = 0
    try:
        for first in range(0, tries, TRIES_OF_A_RACER):
            folder = root / LEVEL / f"shared-{first}"
            folder.mkdir(parents=True)
            racer = _start_racer(shells, folder, outside.targets())
            for number in range(first, min(first + TRIES_OF_A_RACER, tries)):
                tick(number)
                try:
                    text = shells.result(
                        shells.tell(LEVEL, _in(folder, _VICTIM), 1, folders=_shared_folders(folder))
                    ).text
                except RuntimeError:
                    refused += 1
                    text = ""
                leaked += TOKEN in text
                touched += outside.was_touched()
            shells.cancel(LEVEL, racer)
            shells.result(racer)
            swaps += int((folder / "swaps").read_text())
    finally:
        shells.close()
    seconds = perf_counter() - began
    return MountReport(tries=tries, shown=leaked, touched=touched, refused=refused, swaps=swaps, seconds=seconds)


def _start_racer(shells: Shells, folder: Path, targets: tuple[str, ...]) -> RequestId:
    words = " ".join(map(shlex.quote, ("python3", "-I", "-S", "-c", _RACER, *targets)))
    racer = shells.tell(LEVEL, _in(folder, words), 0, timeout_s=600.0, folders=_shared_folders(folder))
    deadline = perf_counter() + PATIENCE_S
    while not (folder / "swaps").exists():
        if perf_counter() > deadline:
            raise RuntimeError("the racing command has not begun")
        Event().wait(0.01)
    return racer


def _shared_folders(folder: Path) -> tuple[SharedFolder, ...]:
    """Shared folder with its kept names, and folders two levels below, each shared by itself."""
    protected = tuple(f"kept-{number}" for number in range(6))
    inner = [SharedFolder(path=f"{folder}/sub-{number}/inner", may_write=True) for number in range(2)]
    return (SharedFolder(path=str(folder), may_write=True, kept=protected), *inner)


def _in(folder: Path, command: str) -> str:
    return f"cd {shlex.quote(str(folder))} || exit 1\n{command}"
