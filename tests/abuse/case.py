"""One attack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.abuse.ground import COMMAND_S, Ground

Command = Callable[[Ground], str]


@dataclass(frozen=True, slots=True)
class Case:
    """An attack that says itself what worked; nothing must."""

    number: int
    """As in the list of abuse cases; some have several attacks."""
    name: str
    command: Command
    works_bare: bool = False
    """Whether it is harmless enough to be tried without a sandbox, and works there: that it can work at all."""
    timeout_s: float = COMMAND_S

    def __str__(self) -> str:
        return f"{self.number:02}-{self.name.replace(' ', '-')}"


def python(code: str, *arguments: object) -> str:
    """A command that runs `code` with `breach(words)`, the C library as `libc`, and `syscall(number, ...)`."""
    prelude = (
        "import ctypes, os, signal, socket, struct, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def breach(*words): print('BREACH:', *words, flush=True)\n"
        "def syscall(number, *given):\n"
        "    done = libc.syscall(ctypes.c_long(number), *[\n"
        "        ctypes.c_long(each) if isinstance(each, int) else each for each in given])\n"
        "    return done, ctypes.get_errno()\n"
    )
    words = " ".join(f"'{argument}'" for argument in arguments)
    return f"python3 -I -S - {words} <<'END-OF-CODE'\n{prelude}{code}\nEND-OF-CODE\n"
