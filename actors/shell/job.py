"""Wire format between the agent and the watching process: a job and its ending, as JSON, on a socket per command.

Behind the JSON of a job stand the raw bytes of its standard input.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEADER = struct.Struct("<II")
"""Header of a job: the lengths of the JSON and of the standard input, in bytes."""
FILTER_FD = 10
STATUS_FD = 11
SYNC_FD = 12
FIRST_FILE_FD = 13
BLOCK_FD = 9
"""Descriptor numbers at which bubblewrap finds the filter, reports the command's ending, keeps the descriptor to close
with the sandbox, finds the first file to copy, and waits for the watching process's mounts."""


UNBOUNDED = 1 << 62
THREADS = 128
"""Most threads of a command, each process counted by its threads; on top of the user's own threads if the kernel
counts by user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of a command, checked while the command runs."""

    folder: str = ""
    """Path of the agent's own choosing: where the command may write; empty for nowhere on disk."""
    most_bytes: int = 0
    """Most bytes in `folder`, by blocks."""
    most_files: int = 0
    """Most files in `folder`, all kinds counted."""
    used_bytes: int = 0
    """Bytes held at the last measurement."""
    used_files: int = 0
    least_free_bytes: int = 0
    """On the disk of `folder`."""
    least_free_names: int = 0
    """Least free names on the disk of `folder`; 0 for a disk with names on demand."""
    least_memory_bytes: int = 0
    """Of the machine; where no control group bounds the command's."""
    most_temporary_files: int = UNBOUNDED
    """Most files in each of the command's file systems in memory."""
    most_threads: int = 0
    """Most threads of all its processes; 0 if the kernel's limit of processes holds."""

    def fields(self) -> dict[str, str | int]:
        """Fields in their wire form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class LateMount:
    """Mount in a folder open to changes by other commands, made by descriptor after bubblewrap's own."""

    folder: str
    """Folder of the sandbox whose own path no command can change."""
    path: str
    """Path below the folder, without any link."""
    source: str = ""
    """Required source path in the sandbox; empty to keep present content, if any."""
    may_write: bool = False
    is_cover: bool = False
    """True for an empty folder over the present folder."""
    is_shared: bool = False
    """True if less of the folder is shown, and no command refused, where a name of the path is being swapped."""

    def fields(self) -> dict[str, str | bool]:
        """Fields in their wire form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Command with all data for the start."""

    argv: Sequence[str]
    """bubblewrap's arguments; bubblewrap writes to `STATUS_FD`."""
    environment: Mapping[str, str]
    nice: int = 19
    """Niceness of the command after its first moment."""
    limits: Limits = Limits()
    shared: Sequence[Limits] = ()
    """Bounds of further folders that the command may write to: for each, the bounds of a folder and its disk."""
    seccomp: bytes = b""
    """The filter where a control group bounds the command's memory."""
    seccomp_ungrouped: bytes = b""
    """The filter where no group bounds memory and the processor: without the ways to hold memory that no process has,
    and without new sessions, where the kernel shares the processor out among sessions."""
    is_scoped: bool = False
    """True if Landlock's scope must put abstract sockets outside out of reach."""
    files: Sequence[str] = ()
    """Files that bubblewrap finds open from `FIRST_FILE_FD` on."""
    late: Sequence[LateMount] = ()
    """Mounts for which bubblewrap waits at `BLOCK_FD`, in order."""
    stdin: bytes = b""
    """Standard input of the command, kept in memory only."""

    def encode(self) -> bytes:
        """Ending in the wire form."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "stdin"}
        fields |= {name: base64.b64encode(fields[name]).decode() for name in _FILTERS}
        fields |= {"limits": self.limits.fields(), "shared": [limits.fields() for limits in self.shared]}
        fields |= {"late": [mount.fields() for mount in self.late]}
        body = json.dumps(fields).encode()  # in ASCII, since a path may be no UTF-8
        return HEADER.pack(len(body), len(self.stdin)) + body + self.stdin

    @classmethod
    def decode(cls, body: bytes, stdin: bytes = b"") -> Job:
        """Job in `body`, without its header; the standard input follows the body."""
        fields = json.loads(body)
        filters = {name: base64.b64decode(fields[name]) for name in _FILTERS}
        limits = {"limits": Limits(**fields["limits"]), "shared": tuple(Limits(**each) for each in fields["shared"])}
        late = {"late": tuple(LateMount(**each) for each in fields["late"])}
        return cls(**fields | filters | limits | late, stdin=stdin)


_FILTERS = ("seccomp", "seccomp_ungrouped")


def receive(channel: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """Receive the next bytes and their descriptors; all descriptors are close-on-exec.

    `socket.recv_fds` of Python 3.11 ignores its flags, so a command would inherit the agent's end of the channel.
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
    """Outcome of a command. All its processes are dead by now."""

    exit_code: int | None = None
    """Exit code as of bash; negative for a signal; None for a command not started or not ended by itself."""
    fault: str = ""
    """Why the command was not started."""
    exceeded: str = ""
    """Bound that the command was killed for exceeding; else empty."""

    def encode(self) -> bytes:
        """Ending in the wire form."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def decode(cls, body: bytes) -> Ending:
        """The ending in `body`."""
        return cls(**json.loads(body))
