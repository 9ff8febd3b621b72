"""Broker of system calls, which does in a command's stead what the filter holds back.

It is what Landlock does not rule over, done where it is the command's own. Every request is done on an object that
was opened first and looked at then, never on a path or memory that the command could change in between.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial

from actors.linux import syscall
from actors.linux.syscall_numbers import PROCESSORS

_NOTICE = struct.Struct("=QIIiIQ6Q")
"""`struct seccomp_notif`: id, pid, flags, call's number, convention, instruction, arguments."""
_ANSWER = struct.Struct("=QqiI")
"""`struct seccomp_notif_resp`: id, value, error, flags."""
_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102

_MOST_PATH, _PAGE = 4096, 4096
_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW, _AT_EMPTY_PATH = 0x100, 0x1000
_LONGEST_ADDRESS = 128


@dataclass(frozen=True, slots=True)
class _Request:
    """One call that waits for its answer."""

    id: int
    thread: int
    name: str
    arguments: tuple[int, ...]

    def number(self, index: int) -> int:
        """An argument that is a C int."""
        return struct.unpack("=i", struct.pack("=I", self.arguments[index] & 0xFFFFFFFF))[0]  # type: ignore[no-any-return]


class _LaterError(Exception):
    """The answer takes time: `act` has to be done first, elsewhere."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self.act = act


class Broker:
    """Broker of one command's requests.

    Args:
        listener: What the filter gave.
        own: Folders that are the command's own.
        door: Path of a socket that it may connect to besides.
    """

    def __init__(self, listener: int, own: Sequence[str], door: str) -> None:
        self.listener = listener
        self._own = [os.path.realpath(folder) for folder in own if folder]
        self._door = os.path.realpath(door) if door else ""
        numbers = PROCESSORS[os.uname().machine].numbers
        self._names = {number: name for name, number in numbers.items()}

    def answer(self) -> None:
        """Take one request and answer it; what takes time is answered by a thread."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notice, True)
        except OSError:  # the asker has been killed meanwhile
            return
        id_, thread, _, number, _, _, *arguments = _NOTICE.unpack(notice)
        request = _Request(id_, thread, self._names.get(number, ""), tuple(arguments))
        opened = ExitStack()
        try:
            self._act_on(request, opened)
        except _LaterError as later:
            threading.Thread(target=self._finish, args=(request, later.act, opened), daemon=True).start()
        except OSError as error:
            self._send(request, error)
            opened.close()
        else:
            self._send(request, None)
            opened.close()

    def _finish(self, request: _Request, act: Callable[[], None], opened: ExitStack) -> None:
        """Do what may take long; in a thread."""
        with opened:
            try:
                act()
            except OSError as error:
                self._send(request, error)
            else:
                self._send(request, None)

    def _send(self, request: _Request, error: OSError | None) -> None:
        fault = 0 if error is None else error.errno or errno.EPERM
        answer = bytearray(_ANSWER.pack(request.id, 0, -fault, 0))
        with suppress(OSError):  # the asker has been killed meanwhile
            fcntl.ioctl(self.listener, _SEND, answer, True)

    def _act_on(self, request: _Request, opened: ExitStack) -> None:
        match request.name:
            case "connect":
                self._connect(request, opened)
            case "chmod" | "fchmod" | "fchmodat" | "fchmodat2":
                self._change_mode(request, opened)
            case "chown" | "lchown" | "fchown" | "fchownat":
                self._keep_owner(request, opened)
            case "utime" | "utimes" | "futimesat" | "utimensat":
                self._change_times(request, opened)
            case _:
                raise PermissionError(errno.EPERM, request.name)

    def _change_mode(self, request: _Request, opened: ExitStack) -> None:
        match request.name:
            case "chmod":
                target, mode = self._object(request, opened, _AT_FDCWD, request.arguments[0]), request.arguments[1]
            case "fchmod":
                target, mode = self._object(request, opened, request.number(0), 0), request.arguments[1]
            case _:
                flags = request.number(3) if request.name == "fchmodat2" else 0
                target = self._object(request, opened, request.number(0), request.arguments[1], flags)
                mode = request.arguments[2]
        if mode & (stat.S_ISUID | stat.S_ISGID):
            raise PermissionError(errno.EPERM, "set-id bits")
        os.chmod(_link(target), mode & 0o7777)  # noqa: PTH101 - pathlib would open nothing less by name

    def _keep_owner(self, request: _Request, opened: ExitStack) -> None:
        """Agree if the owner is to stay who it is, as `tar` and `cp -p` ask of root; nobody may give a file away."""
        path = request.arguments[0]
        match request.name:
            case "fchown":
                target, owner = self._object(request, opened, request.number(0), 0), (1, 2)
            case "fchownat":
                flags = request.number(4)
                target = self._object(request, opened, request.number(0), request.arguments[1], flags)
                owner = (2, 3)
            case _:
                flags = _AT_SYMLINK_NOFOLLOW if request.name == "lchown" else 0
                target, owner = self._object(request, opened, _AT_FDCWD, path, flags), (1, 2)
        state = os.fstat(target)
        owner_ids = [request.number(index) for index in owner]
        if owner_ids[0] not in (-1, state.st_uid) or owner_ids[1] not in (-1, state.st_gid):
            raise PermissionError(errno.EPERM, "another owner")

    def _change_times(self, request: _Request, opened: ExitStack) -> None:
        at_folder = request.name in ("futimesat", "utimensat")
        folder = request.number(0) if at_folder else _AT_FDCWD
        path, times = request.arguments[at_folder : at_folder + 2]
        flags = request.number(3) if request.name == "utimensat" else 0
        nanoseconds = self._times(request, times) if times else None
        syscall.set_times(_link(self._object(request, opened, folder, path, flags)), nanoseconds)

    def _times(self, request: _Request, address: int) -> bytes:
        """Two `struct timespec`, from whatever the call takes."""
        read = partial(_memory, request.thread, address)
        match request.name:
            case "utimensat":
                return read(32)
            case "utime":
                accessed, modified = struct.unpack("=qq", read(16))
                return struct.pack("=qqqq", accessed, 0, modified, 0)
            case _:
                seconds, micro, seconds_2, micro_2 = struct.unpack("=qqqq", read(32))
                return struct.pack("=qqqq", seconds, micro * 1000, seconds_2, micro_2 * 1000)

    def _object(self, request: _Request, opened: ExitStack, folder: int, path: int, flags: int = 0) -> int:
        """A descriptor of what the call names, which is the command's own.

        Raises:
            OSError: there is no such thing, or it belongs to somebody else.
        """
        name = _text(request.thread, path) if path else ""
        if (not name and folder == _AT_FDCWD) or (path and not name and not flags & _AT_EMPTY_PATH):
            raise FileNotFoundError(errno.ENOENT, "no name")
        target = _open(request.thread, folder, name, opened, follows=not flags & _AT_SYMLINK_NOFOLLOW)
        self._check_alive(request)
        if not self._is_own(target):
            raise PermissionError(errno.EPERM, name)
        return target

    def _connect(self, request: _Request, opened: ExitStack) -> None:
        address = _memory(request.thread, request.arguments[1], min(request.arguments[2], _LONGEST_ADDRESS))
        family = int.from_bytes(address[:2], sys.byteorder)
        target = self._socket_at(address, request, opened) if family == socket.AF_UNIX else -1
        end = socket.socket(fileno=syscall.descriptor_of(_process(request.thread), request.number(0)))
        opened.enter_context(end)
        self._check_alive(request)
        if target >= 0 and end.family == socket.AF_UNIX:
            raise _LaterError(lambda: end.connect(_link(target)))
        if end.family not in (socket.AF_INET, socket.AF_INET6):
            raise PermissionError(errno.EACCES, "another kind of socket")
        raise _LaterError(lambda: syscall.connect(end.fileno(), address))

    def _socket_at(self, address: bytes, request: _Request, opened: ExitStack) -> int:
        """A descriptor of the socket that an address names, which is the command's own or the door.

        Raises:
            OSError: there is none, or it is somebody else's.
        """
        name = os.fsdecode(address[2:].split(b"\0")[0])
        if not name:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "no address in the file system")
        target = _open(request.thread, _AT_FDCWD, name, opened, follows=True)
        if not self._is_own(target) and _path(target) != self._door:
            raise PermissionError(errno.EACCES, name)
        return target

    def _is_own(self, descriptor: int) -> bool:
        path = _path(descriptor)
        return any(path == folder or path.startswith(f"{folder}/") for folder in self._own)

    def _check_alive(self, request: _Request) -> None:
        """The number of a process that has ended may be another's by now.

        Raises:
            OSError: nobody waits for this answer any more.
        """
        fcntl.ioctl(self.listener, _IS_VALID, struct.pack("=Q", request.id))


def _open(thread: int, folder: int, name: str, opened: ExitStack, *, follows: bool) -> int:
    """A descriptor of what `name` is for `thread`, of no use but to name it; closed with `opened`."""
    flags = os.O_PATH | os.O_CLOEXEC | (0 if follows else os.O_NOFOLLOW)
    base = f"/proc/{thread}/cwd" if folder == _AT_FDCWD else f"/proc/{thread}/fd/{folder}"
    for prefix, own in (("/proc/self/", f"/proc/{thread}/"), ("/dev/fd/", f"/proc/{thread}/fd/")):
        if name.startswith(prefix):
            name = own + name.removeprefix(prefix)
    if not name or name.startswith("/"):
        descriptor = os.open(name or base, flags if name else os.O_PATH | os.O_CLOEXEC)
    else:
        start = os.open(base, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
        opened.callback(os.close, start)
        descriptor = os.open(name, flags, dir_fd=start)
    opened.callback(os.close, descriptor)
    return descriptor


def _link(descriptor: int) -> str:
    """A path that leads to what is open, wherever it has been moved."""
    return f"/proc/self/fd/{descriptor}"


def _path(descriptor: int) -> str:
    return os.readlink(_link(descriptor))  # noqa: PTH115


def _process(thread: int) -> int:
    with open(f"/proc/{thread}/status", "rb") as status:  # noqa: PTH123
        return next(int(line.split()[1]) for line in status if line.startswith(b"Tgid:"))


def _memory(thread: int, address: int, size: int) -> bytes:
    memory = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, address)
    finally:
        os.close(memory)


def _text(thread: int, address: int) -> str:
    """The C string at `address`; read by pages, for the page behind it may not be there."""
    data = b""
    while b"\0" not in data:
        if len(data) > _MOST_PATH:
            raise OSError(errno.ENAMETOOLONG, "path")
        piece = _memory(thread, address + len(data), _PAGE - (address + len(data)) % _PAGE)
        if not piece:
            raise OSError(errno.EFAULT, "path")
        data += piece
    return os.fsdecode(data.split(b"\0")[0])
