"""Makes the checkout's .venv from its locks: all of it or, as far as the next command can tell, nothing.

Where there is a C compiler, the memory's search and the local model's vectors are built as well (_extension.py).
"""

from __future__ import annotations

import contextlib
import importlib.util
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import _extension
from _checkout import is_built, is_current, lock_path, set_up_environ, stamp_path, venv_python
from _stamp import is_noted, note
from _terminal import leave, say

try:
    import fcntl
except ImportError:  # no such lock on this system: there, two set-ups at once are the user's to avoid
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

PIP = ("-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--no-user", "--progress-bar", "off")
LOCKED = ("--require-hashes", "--only-binary", ":all:", "--no-deps")  # the locks name everything there is to install
STAMPS = ("run", "dev", _extension.STAMP)
TAIL_LINES = 25


def install(root: str, layers: tuple[str, ...]) -> None:
    """Brings the .venv of `root` to the state the locks of `layers` describe, or exits saying what failed.

    A changed lock means a new .venv rather than an upgrade in place, so that what is installed is what is locked.
    Safe to interrupt, and to run several times at once: the others wait for the first.
    """
    if all(is_installed(root, layer) for layer in layers) and (is_built(root) or _extension.is_noted_again(root)):
        return
    try:
        with _only_one(root) as lock:
            for layer in layers:
                if not is_installed(root, layer):
                    _Setup(root, lock).install(layer)
            if not is_built(root) and not _extension.is_noted_again(root):
                _extension.build(root, lock)
    except KeyboardInterrupt:
        say("Interrupted; the next command starts the set-up again.")
        sys.exit(130)
    except OSError as error:
        leave(f"Cannot set up .venv in {root}: {error}")


def is_installed(root: str, layer: str) -> bool:
    """True if .venv holds `layer` as locked; a touched lock of the same content is noted with its new time."""
    if is_current(root, layer):
        return True
    return Path(venv_python(root)).exists() and is_noted(root, layer, [lock_path(root, layer)])


class _Setup:
    """Set-up by the process with the lock."""

    def __init__(self, root: str, lock: int) -> None:
        self._root = root
        self._lock = lock
        self._unfinished = Path(root, ".venv", "unfinished")

    def install(self, layer: str) -> None:
        started = time.monotonic()
        if layer == "run" or self._unfinished.exists():
            say("Setting up .venv (once, a minute or two)...")
            self._make_venv()
            self._install_lock("run")
        if layer != "run":
            say(f"Adding {Path(lock_path(self._root, layer)).name} to .venv (once)...")
            self._install_lock(layer)
        say(f"Done in {time.monotonic() - started:.0f} s.")

    def _make_venv(self) -> None:
        if importlib.util.find_spec("ensurepip") is None:
            leave(
                f"The Python at {sys.executable} cannot make virtual environments: its venv module is incomplete.\n"
                f"On Debian and Ubuntu: sudo apt-get install python3.{sys.version_info[1]}-venv"
            )
        venv = Path(self._root, ".venv")
        if venv.is_symlink():  # what it leads to is another checkout's, which venv would empty
            venv.unlink()
        for layer in STAMPS:
            Path(stamp_path(self._root, layer)).unlink(missing_ok=True)
        self._call([sys.executable, "-I", "-m", "venv", "--clear", str(venv)])

    def _install_lock(self, layer: str) -> None:
        self._unfinished.touch()
        self._call([venv_python(self._root), "-I", *PIP, *LOCKED, "-r", lock_path(self._root, layer)])
        self._unfinished.unlink()
        note(self._root, layer, [lock_path(self._root, layer)])

    def _call(self, command: list[str]) -> None:
        finished = subprocess.run(
            command,
            check=False,
            cwd=self._root,  # -I and this: the folder the user stands in has no say
            env=set_up_environ(),
            pass_fds=(self._lock,),  # should this process be killed, the lock stays until its orphan has ended
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if finished.returncode == 0:
            return
        say("\n".join(finished.stdout.decode(errors="replace").splitlines()[-TAIL_LINES:]))
        leave(
            f"This command failed with status {finished.returncode}; the end of its output stands above:\n"
            f"  {shlex.join(command)}\n"
            "The set-up needs the network (or a mirror named in PIP_INDEX_URL) and room on the disk. "
            "Solve the problem, then run the same command again."
        )


@contextlib.contextmanager
def _only_one(root: str) -> Iterator[int]:
    with Path(root, ".venv.lock").open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another command is setting up .venv; waiting for it...")
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()
