"""A command that exchanges names in a folder as fast as it can, in a process of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SCRIPT = """
import ctypes, os, sys
os.chdir(sys.argv[1])
names = sys.argv[2:]
traps = [name + ".trap" for name in names]
libc = ctypes.CDLL(None)
swap = [(os.fsencode(name), os.fsencode(trap)) for name, trap in zip(names, traps)]
print("begun", flush=True)
while True:
    for name, trap in swap:
        libc.renameat2(-100, name, -100, trap, 2)
"""


@contextlib.contextmanager
def swapping(folder: Path, *names: str) -> Iterator[None]:
    """Each of the names and what lies beside it as `<name>.trap` change places (RENAME_EXCHANGE) all the while."""
    process = subprocess.Popen([sys.executable, "-I", "-c", SCRIPT, folder, *names], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        yield
        assert process.poll() is None, "it gave up"
    finally:
        process.kill()
        process.communicate()
