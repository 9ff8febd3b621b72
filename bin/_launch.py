"""Starts a command of this checkout in the checkout's own .venv, which is made first when missing or out of date.

Every Python 3 must be able to read this file and the commands beside it: that is how one which is too old gets to say
so. It runs before every command, so beside _checkout.py it imports nothing that Python has not loaded already; the slow
part, once per change of the locks, is in _environment.py.
"""

import os
import sys

from _checkout import clean_environ, is_built, is_current, set_up_environ, venv_python

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
STDLIB = os.path.dirname(os.__file__)
OLDEST = (3, 11)
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")

# `python3 bin/agent` is not isolated as bin/agent is; what is imported from here on is ours or Python's all the same.
sys.path[:] = [
    os.path.join(ROOT, "bin"),
    *(entry for entry in sys.path if (entry + os.sep).startswith(STDLIB + os.sep) or entry.endswith("lib-dynload")),
]
if not {"PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"}.isdisjoint(os.environ):  # -I or not, Python takes them for itself
    sys.executable = sys._base_executable  # type: ignore[attr-defined]
# This process sets up, and OpenSSL, for one, reads its variables as soon as something is hashed.
for _name in set(os.environ).difference(clean_environ()):
    del os.environ[_name]


def run(arguments: "list[str]", layers: "tuple[str, ...]" = ("run",)) -> None:
    """Becomes the .venv's Python, started with `arguments`; does not come back.

    Args:
        arguments: Words after `python` on the command line.
        layers: Locks that must be installed: "run", "dev".
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


def _start_again_with_a_newer_python() -> None:
    import subprocess

    question = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    for name in NEWER_PYTHONS:
        try:  # being on PATH says little: a version manager's stand-in may have nothing behind it
            answer = subprocess.call(
                [name, "-I", "-c", question],
                cwd=ROOT,
                env=set_up_environ(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            continue
        if answer == 0:
            os.execvpe(name, [name, "-I", *sys.argv], clean_environ())
    needed = ".".join(map(str, OLDEST))
    version = ".".join(map(str, sys.version_info[:2]))
    sys.exit(
        f"{os.path.basename(sys.argv[0])} needs Python {needed} or newer, found {version} at {sys.executable}. "
        "Install a newer one; it may stand beside this one."
    )
