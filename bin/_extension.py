"""Builds what is compiled beside its loaders, by the build that `pip install .` uses too.

These are optional extensions of setuptools (setup.py): without a C compiler numpy does their work.
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

STAMP = "compiled"
WORK = {"scan.c": "the memory's search", "forward.c": "the local model"}
"""Source -> part with the library."""
OUTPUT_CHARS = 500


def is_noted_again(root: str) -> bool:
    """True if sources and libraries have the noted content, however often the files were touched."""
    return is_noted(root, STAMP, build_sources(root)) and is_built(root)


def build(root: str, lock: int) -> None:
    """Build and note all libraries; report a failure once.

    Each library is built elsewhere and moved into place whole; `lock` keeps other processes from building too.
    """
    sources = [Path(file) for file in build_sources(root) if file.endswith(".c")]
    libraries: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="build-", dir=Path(root, ".venv")) as place:
        try:
            for source in sources:
                for old in source.parent.glob(f"_{source.stem}.*.so"):
                    old.unlink()
            problem = _run_build(root, Path(place), lock)
            for source in sources:
                if (library := next((Path(place) / "lib").rglob(f"_{source.stem}.*.so"), None)) is not None:
                    libraries[source.name] = os.path.relpath(_move_into(library, source.parent), root)
        except OSError as error:  # a folder that is only to be read
            problem = str(error)
    if missing := [WORK[source.name] for source in sources if source.name not in libraries]:
        _regret(missing, problem)
    note(root, STAMP, build_sources(root), *libraries.values())


def _regret(missing: list[str], problem: str) -> None:
    """Say what was not built."""
    what, (verb, they) = " and ".join(missing), ("was", "it works") if len(missing) == 1 else ("were", "they work")
    say(
        f"{what[0].upper()}{what[1:]} {verb} not compiled ({problem}): {they} all the same, but several times slower.\n"
        f"To try again, with a C compiler installed: remove .venv/{STAMP}.stamp."
    )


def _move_into(library: Path, folder: Path) -> Path:
    """The library in `folder`, where it appears whole: .venv may be on another file system."""
    draft = folder / f".{library.name}.{os.getpid()}"
    shutil.copyfile(library, draft)
    return draft.replace(folder / library.name)


def _run_build(root: str, place: Path, lock: int) -> str:
    """Build what can be built, into `lib` below `place`; gives the end of what was said."""
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
    return done.stdout.strip()[-OUTPUT_CHARS:] or f"the build ended with status {done.returncode}"
