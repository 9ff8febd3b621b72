"""Form of an attempt: a bash command that reports each success as one line."""

from __future__ import annotations

BREACH = "BREACH:"
"""Beginning of a line that reports a success."""
PRELUDE = f'breach() {{ echo "{BREACH} $*"; }}\n'
"""Head of every command: bash's word for a success."""
FINISHED = "all tried"
"""Last line of a completed command."""


def python(code: str, *arguments: object) -> str:
    """Command that runs `code` with `breach(words)`, the C library as `libc`, and `syscall(number, ...)`."""
    prelude = (
        "import ctypes, os, signal, socket, struct, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"def breach(*words): print('{BREACH}', *words, flush=True)\n"
        "def syscall(number, *given):\n"
        "    done = libc.syscall(ctypes.c_long(number), *[\n"
        "        ctypes.c_long(each) if isinstance(each, int) else each for each in given])\n"
        "    return done, ctypes.get_errno()\n"
    )
    words = " ".join(f"'{argument}'" for argument in arguments)
    return f"python3 -I -S - {words} <<'END-OF-CODE'\n{prelude}{code}\nEND-OF-CODE\n"


def whole(command: str) -> str:
    """Text of a command with head and last line."""
    return f"{PRELUDE}{command}\necho; echo '{FINISHED}'"
