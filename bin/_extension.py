"""Builds the memory's compiled search beside its loader, by the build that `pip install .` uses too.

It is an optional extension of setuptools (setup.py): without a C compiler numpy does its work.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from _checkout import build_sources, is_built, set_up_environ, venv_python
from _stamp import is_noted, note
from _terminal import say

STAMP = "scan"
NAME = "_scan"
SAID_CHARS = 500


def is_noted_again(root: str) -> bool:
    """Whether the search that was built, or could not be, is of the same content, its files only touched."""
    return is_noted(root, STAMP, build_sources(root)) and is_built(root)


def build(root: str, lock: int) -> None:
    """Builds the search, and notes it; if that cannot be, says so once.

    Nobody sees half of it: it is built elsewhere and moved into its place, and `lock` keeps others from building too.
    """
    folder = Path(build_sources(root)[0]).parent
    made, problem = "", ""
    with tempfile.TemporaryDirectory(prefix="build-", dir=Path(root, ".venv")) as place:
        try:
            for old in folder.glob(f"{NAME}.*.so"):
                old.unlink()
            library, problem = _built(root, Path(place), lock)
            if library is not None:
                made = os.path.relpath(_moved(library, folder), root)
        except OSError as error:  # a folder that is only to be read
            problem = str(error)
    if not made:
        say(
            f"The memory's search was not compiled ({problem}): it works all the same, but several times slower.\n"
            "To try again, with a C compiler installed: remove .venv/scan.stamp."
        )
    note(root, STAMP, build_sources(root), made)


def _moved(library: Path, folder: Path) -> Path:
    """The library in `folder`, where it appears whole: .venv may be on another file system."""
    draft = folder / f".{library.name}.{os.getpid()}"
    shutil.copyfile(library, draft)
    return draft.replace(folder / library.name)


def _built(root: str, place: Path, lock: int) -> tuple[Path | None, str]:
    """The library, below `place`; else None, and why not."""
    options = ["build_ext", f"--build-lib={place / 'lib'}", f"--build-temp={place / 'temp'}"]
    done = subprocess.run(
        [venv_python(root), "-I", "setup.py", "-q", "--no-user-cfg", *options],
        check=False,
        cwd=root,
        env=set_up_environ(),
        pass_fds=(lock,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    library = next((place / "lib").rglob(f"{NAME}.*.so"), None)
    return library, done.stdout.strip()[-SAID_CHARS:] or f"the build ended with status {done.returncode}"
