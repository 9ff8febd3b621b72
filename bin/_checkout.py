"""What a checkout that is set up has, and where: its .venv, the stamps in it, the locks; asked before every command.

Like _launch.py, every Python 3 can read it, and it imports nothing that Python has not loaded already.
"""

import os


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
