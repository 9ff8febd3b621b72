"""Wire format between the agent and the watching process: a job, and how it ended; JSON, a socket a command."""

from __future__ import annotations

import base64
import json
import socket
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEADER = struct.Struct("<I")
"""Precedes a job: its length in bytes."""
FILTER_FD = 10
STATUS_FD = 11
FIRST_FILE_FD = 12
"""Numbers at which bubblewrap finds the filter, tells how the command ended, and finds the first file to copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One command with everything that starting it takes."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    nice: int = 10
    """By how much it gives way to others, once it has had its first moment."""
    most_processes: int = 0
    """More end the command; 0 for no such rule, when the kernel's own limit holds."""
    seccomp: bytes = b""
    """Empty for none."""
    landlock: Mapping[str, Sequence[str]] | None = None
    """Kind of right -> paths; None when bubblewrap does the work."""
    has_network: bool = False
    door: str = ""
    """Path of the one socket outside of `own` paths that may be connected to; with Landlock only."""
    reports_status: bool = False
    """Whether `argv` is bubblewrap, which writes to `STATUS_FD`."""
    files: Sequence[str] = ()
    """What bubblewrap is to find open from `FIRST_FILE_FD` on."""
    scratch: str = ""
    """A folder for the command alone; removed at its end; empty for none."""

    def encode(self) -> bytes:
        """As it travels."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["seccomp"] = base64.b64encode(self.seccomp).decode()
        body = json.dumps(fields, ensure_ascii=False).encode()
        return HEADER.pack(len(body)) + body

    @classmethod
    def decode(cls, body: bytes) -> Job:
        """The job in `body`, without its header."""
        fields = json.loads(body)
        return cls(**fields | {"seccomp": base64.b64decode(fields["seccomp"])})


def receive(channel: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """What came next, with the descriptors that came with it; none of them outlives an exec.

    `socket.recv_fds` of Python 3.11 forgets its flags, so that a command would inherit the agent's end of the channel.
    """
    width = array("i").itemsize
    words, ancillary, _, _ = channel.recvmsg(size, socket.CMSG_SPACE(2 * width), socket.MSG_CMSG_CLOEXEC)
    descriptors = array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(content[: len(content) - len(content) % width])
    return words, list(descriptors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Outcome of a command. Nothing of it is alive when this comes."""

    exit_code: int | None = None
    """As of bash; negative for a signal; None if it was not started or did not end by itself."""
    fault: str = ""
    """Why the command was not started."""
    too_many: int = 0
    """How many processes it had when that was too many; else 0."""

    def encode(self) -> bytes:
        """As it travels."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def decode(cls, body: bytes) -> Ending:
        """The ending in `body`."""
        return cls(**json.loads(body))
