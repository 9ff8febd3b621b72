"""Small file system in memory, to be filled without other harm; requires root."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

DISK_BYTES = 48 * 2**20


def can_fill_disks() -> bool:
    """True if a small file system can be mounted."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as folder, small_disk(Path(folder)) as is_small:
        return is_small


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a small file system in `folder`; True if done."""
    options = f"size={DISK_BYTES},mode=0700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    is_mounted = not subprocess.run(command, capture_output=True, check=False).returncode
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)
