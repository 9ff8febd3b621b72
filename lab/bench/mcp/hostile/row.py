"""Row of the table: one hostile server, and the permitted harm of its own call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

RAW = Path(__file__).parents[1] / "raw_server.py"

_SANDBOXED = "import os\nif os.uname().nodename != 'sandbox':\n    sys.exit('this server runs in a sandbox only')\n"
"""Guard of the machine: no row acts unless a sandbox has named the host."""


class End(StrEnum):
    """Permitted end of a call."""

    ANSWERED = "answered"
    """The call has a result in spite of the attack."""
    REFUSED = "refused"
    """The call ends with an error."""
    EITHER = "either"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One hostile server over stdin and stdout.

    Attributes:
        name: Words for a person.
        code: Lines behind `raw_server.py`.
        end: End of a call of the tool `act`.
        command: Words behind `mcp` that meet the attack; a call of the tool if empty.
        absent: Texts that the answer may not show.
        takes_time: True if the call may last until the timeout.
    """

    name: str
    code: str
    end: End = End.EITHER
    command: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    takes_time: bool = False

    @property
    def timeout_s(self) -> float:
        """Time for a call in tests: short where the attack is the waiting, else enough for a busy machine."""
        return 2.0 if self.end is End.REFUSED or self.takes_time else 60.0

    def argv(self, size: int, mark: str, port: int) -> tuple[str, ...]:
        """Command of the server.

        Args:
            size: Size of the attack, known to the code as `SIZE`.
            mark: Text in the arguments of the server's processes.
            port: Port of a service of the host, known to the code as `PORT`.
        """
        return command_of(f"# {mark}\n{_SANDBOXED}SIZE, PORT = {size}, {port}\n{self.code}")


def command_of(code: str) -> tuple[str, ...]:
    """Command of a server with `code` behind the raw server's own text."""
    return ("python3", "-c", f"{RAW.read_text('utf-8')}\n{code}")
