"""Starts a command of this checkout in the checkout's own .venv, which is made first when missing or out of date.

Every Python 3 must be able to read this file and the commands beside it: that is how one which is too old gets to say
so. It runs before every command, so it imports nothing that Python has not loaded already; the slow part, once per
change of the locks, is in _environment.py.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OLDEST = (3, 11)
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")


def run(arguments: "list[str]", layers: "tuple[str, ...]" = ("run",)) -> None:
    """Becomes the .venv's Python, started with `arguments`; does not come back.

    Args:
        arguments: What follows `python` on its command line.
        layers: Which locks must be installed: "run", "dev".
    """
    prepare(layers)
    python = venv_python(ROOT)
    # -P: a `messages/` or `discord.py` in the user's directory is not ours.
    os.execve(python, [python, "-P", *arguments], dict(clean_environ(), PYTHONPATH=ROOT))


def prepare(layers: "tuple[str, ...]") -> None:
    """Returns once every lock of `layers` is installed in .venv, and the memory's search built if it can be."""
    if all(is_current(ROOT, layer) for layer in layers) and is_built(ROOT):
        return
    if sys.version_info < OLDEST:
        _start_again_with_a_newer_python()
    import _environment

    _environment.install(ROOT, layers)


def is_current(root: str, layer: str) -> bool:
    """Whether `layer`'s lock and the Python under .venv are, by size, time and path, those of the last set-up."""
    try:
        with open(stamp_path(root, layer)) as stamp:
            return stamp.readline() == fingerprint(root, [lock_path(root, layer)]) and os.path.exists(venv_python(root))
    except OSError:
        return False


def is_built(root: str) -> bool:
    """Whether the memory's search was built, or could not be, from its source as it is by size and time.

    The stamp's lines: its fingerprint, what it was built from, and where it is; nothing there if it could not be built.
    """
    sources = build_sources(root)
    if not os.path.exists(sources[0]):
        return True
    try:
        with open(stamp_path(root, "scan")) as stamp:
            is_same = stamp.readline() == fingerprint(root, sources)
            library = stamp.read().partition("\n")[2].strip()
    except OSError:
        return False
    return is_same and (not library or os.path.exists(os.path.join(root, library)))


def build_sources(root: str) -> "list[str]":
    """What the memory's search is built from."""
    return [os.path.join(root, "actors", "memory", "codes", "scan.c"), os.path.join(root, "setup.py")]


def fingerprint(root: str, files: "list[str]") -> str:
    """The line that changes whenever what is made of `files` may have to be made anew; cheap to make."""
    states = [os.stat(file) for file in files]
    sizes_and_times = " ".join(f"{state.st_size} {state.st_mtime_ns}" for state in states)
    return f"{sizes_and_times} {os.path.realpath(venv_python(root))}\n"


def lock_path(root: str, layer: str) -> str:
    """Where the requirements of `layer` are written down."""
    return os.path.join(root, "requirements.lock" if layer == "run" else f"requirements-{layer}.lock")


def stamp_path(root: str, layer: str) -> str:
    """Where a finished set-up of `layer`, or of "scan", the memory's search, is noted."""
    return os.path.join(root, ".venv", f"{layer}.stamp")


def venv_python(root: str) -> str:
    """The Python of the checkout at `root`."""
    return os.path.join(root, ".venv", "bin", "python")


def clean_environ() -> "dict[str, str]":
    """The environment without what would make another Python's modules ours."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}


def _start_again_with_a_newer_python() -> None:
    import subprocess

    question = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    for name in NEWER_PYTHONS:
        try:  # being on PATH says little: a version manager's stand-in may have nothing behind it
            answer = subprocess.call([name, "-c", question], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            continue
        if answer == 0:
            os.execvp(name, [name, *sys.argv])
    needed = ".".join(map(str, OLDEST))
    found = ".".join(map(str, sys.version_info[:2]))
    sys.exit(
        f"{os.path.basename(sys.argv[0])} needs Python {needed} or newer, found {found} at {sys.executable}. "
        "Install a newer one; it may stand beside this one."
    )
