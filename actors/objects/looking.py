"""Look at a window's files: changes, contents and new paths.

Whatever a command put into the folder, nothing outside it is read, nothing makes a look wait, and each look is bounded.
No part of a path may be a link: a folder is opened below the root by the kernel's own rule, and its files are asked
about beside its descriptor.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from actors.linux.safe_open import folder_beneath, open_beneath
from domain.objects.looked import KEPT_BYTES, FileLook, Signature, look_at_bytes, unread_look
from domain.objects.path import is_plain

WALKED = 5_000
"""Entries of folders that one search looks at."""
MATCHED = 50
"""Files that the patterns of one command may name."""
RACY_NS = 10_000_000
"""A file that was changed so shortly before a look may be changed again with the same times: they are that coarse."""
_ANY_SIZE = 2**63 - 1
_ATTEMPTS = 5
"""To open a file that is replaced all the time, and to read one that is written all the time, at one moment."""
_WILD = frozenset("*?[")
_OUT_OF_MEANS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors that say something of this machine and nothing of the file."""


class Looking:
    """Sight of the files below one folder, which need not exist; keeps nothing between two calls.

    A watcher that is told of changes could stand behind the same four questions. Each raises `OSError` if this machine
    has no descriptors or no memory left: then nothing is known, and no file is gone.
    """

    def __init__(self, root: Path, *, walked: int = WALKED, pread: Callable[[int, int, int], bytes] = os.pread) -> None:
        """A look at nothing yet.

        Args:
            root: The folder.
            walked: Entries of folders that a search for patterns looks at.
            pread: Reads of an open file, as `os.pread`.
        """
        self._root = root
        self._walked = walked
        self._pread = pread

    def find_changed(self, known: Mapping[str, tuple[Signature, int]]) -> tuple[str, ...]:
        """Those of `known` that are to be looked at again, in its order: changed, gone, or too fresh to tell.

        Args:
            known: Path -> its signature, and the time just before the look that gave it, in nanoseconds since 1970.
        """
        folders: dict[str, list[str]] = {}
        for path in known:
            folders.setdefault(path.rpartition("/")[0], []).append(path)
        same: set[str] = set()
        with _opened_root(self._root) as root:
            for folder, paths in folders.items():
                with _open_folder(root, folder) as opened:
                    same.update(path for path in paths if opened is not None and _is_same(opened, path, *known[path]))
        return tuple(path for path in known if path not in same)

    def look(self, name: str, *, reads: bool) -> FileLook | None:
        """File at the path `name`; None without a regular file of one name there, or if it cannot be opened.

        Args:
            name: Path below the root; None is the answer to one that is not plain.
            reads: Whether its content is wanted, and not only that it is there.
        """
        if not is_plain(name):
            return None
        return self._read(name) if reads else self._look_beside(name)

    def find(self, sought: Mapping[str, tuple[Signature, str]], limit: int = WALKED) -> dict[str, str]:
        """Find files that are gone from their paths: old path -> new path of each one found.

        It is the same file if device, inode and size are, and its content; an inode alone is soon given to another.

        Args:
            sought: Old path -> signature, and hash of the content; if that is empty, the time of the last change in
                the signature stands for it.
            limit: Most entries of folders to look at, from the root down.
        """
        wanted = {(signature.device, signature.inode): path for path, (signature, _) in sought.items()}
        places: dict[str, str] = {}
        with _opened_root(self._root) as root:
            for path, entry in _Walk(root, limit).files():
                state = _state_of(entry)
                old = wanted.get((state.st_dev, state.st_ino)) if state is not None else None
                if state is not None and old is not None and self._is_it(path, state, *sought[old]):
                    places[old] = path
                    if len(places) == len(wanted):
                        break
        return places

    def matching(self, patterns: Iterable[str], limit: int = MATCHED) -> tuple[str, ...]:
        """Files that a shell would put in the place of `patterns`, in that order, each once.

        Args:
            patterns: Plain paths with `*`, `?` and `[...]`, which match no `/` and no dot at a name's beginning.
            limit: Most files; a bounded number of entries of folders is looked at for all patterns together.
        """
        paths: dict[str, None] = {}
        with _opened_root(self._root) as root:
            walk = _Walk(root, self._walked)
            for pattern in patterns:
                if len(paths) < limit and is_plain(pattern):
                    paths.update(dict.fromkeys(walk.matching(pattern.split("/"))))
        return tuple(paths)[:limit]

    def _read(self, name: str) -> FileLook | None:
        """Content of the file; tried again while the file is there, as a replaced file may be nameless when opened."""
        for _ in range(_ATTEMPTS):
            read = self._read_once(name)
            if read is not None or self._look_beside(name) is None:
                return read
        return None

    def _read_once(self, name: str) -> FileLook | None:
        try:
            opened = open_beneath(self._root, name, _ANY_SIZE)
        except (ValueError, OSError) as error:
            _check_means(error if isinstance(error, OSError) else error.__cause__)
            return None
        try:
            return look_at_bytes(name, *_signed_beginning(opened, self._pread))
        except OSError as error:
            _check_means(error)
            return None
        finally:
            os.close(opened)

    def _look_beside(self, name: str) -> FileLook | None:
        folder, _, last = name.rpartition("/")
        with _opened_root(self._root) as root, _open_folder(root, folder) as opened:
            state = None if opened is None else _state_beside(opened, last)
        return unread_look(name, _signature_of(state)) if state is not None and _is_regular(state) else None

    def _is_it(self, path: str, state: os.stat_result, signature: Signature, content_hash: str) -> bool:
        if not _is_regular(state) or state.st_size != signature.size:
            return False
        if not content_hash:
            return state.st_mtime_ns == signature.mtime_ns
        look = self._read(path)
        return look is not None and look.content_hash == content_hash


class _Walk:
    """Bounded walk through folders below one, by descriptors; a link is an entry and no way."""

    def __init__(self, root: int | None, entries: int) -> None:
        self._root = root
        self._left = entries

    def files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Plain path and entry of whatever is no folder; what is near the root first."""
        folders = deque([""])
        while folders and self._left > 0:
            for path, entry in self._entries(folders.popleft()):
                if _is_folder(entry):
                    folders.append(path)
                else:
                    yield path, entry

    def matching(self, parts: list[str]) -> list[str]:
        """Regular files that fit a pattern, which is given part by part."""
        folders = [""]
        for part in parts[:-1]:
            if _WILD.isdisjoint(part):
                folders = [_join(folder, part) for folder in folders]
            else:
                folders = [path for folder in folders for path in self._fitting(folder, part, _is_folder)]
        last = parts[-1]
        if _WILD.isdisjoint(last):
            return [_join(folder, last) for folder in folders if self._has_file(folder, last)]
        return [path for folder in folders for path in self._fitting(folder, last, _is_file)]

    def _fitting(self, folder: str, part: str, is_wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        """Paths in `folder` that fit one part of a pattern, sorted."""
        pattern = part.replace("[^", "[!")
        return sorted(
            path
            for path, entry in self._entries(folder)
            if entry.name[0] != "." or part[0] == "."
            if fnmatch.fnmatchcase(entry.name, pattern) and is_wanted(entry)
        )

    def _has_file(self, folder: str, name: str) -> bool:
        with _open_folder(self._root, folder) as opened:
            state = None if opened is None else _state_beside(opened, name)
        return state is not None and stat.S_ISREG(state.st_mode)

    def _entries(self, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Plain path and entry of what is in `folder`, as long as entries may be looked at."""
        with _open_folder(self._root, folder, is_listed=True) as opened:
            if opened is None or self._left <= 0:
                return
            with os.scandir(opened) as entries:
                for entry in entries:
                    self._left -= 1
                    path = _join(folder, entry.name)
                    if is_plain(path):
                        yield path, entry
                    if self._left <= 0:
                        return


@contextmanager
def _opened_root(root: Path) -> Iterator[int | None]:
    """Descriptor of the root; None if there is no such folder."""
    try:
        opened = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        _check_means(error)
        yield None
        return
    try:
        yield opened
    finally:
        os.close(opened)


@contextmanager
def _open_folder(root: int | None, folder: str, *, is_listed: bool = False) -> Iterator[int | None]:
    """Descriptor of a folder below the root, empty for the root itself; None if there is no such folder."""
    opened = None
    try:
        if root is not None:
            opened = folder_beneath(root, folder or ".", is_listed=is_listed)
    except (OSError, ValueError) as error:
        _check_means(error)
    try:
        yield opened
    finally:
        if opened is not None:
            os.close(opened)


def _check_means(error: BaseException | None) -> None:
    """Raise an error that says nothing of the file; whatever else it is, there is no such file."""
    if isinstance(error, OSError) and error.errno in _OUT_OF_MEANS:
        raise error


def _signed_beginning(opened: int, pread: Callable[[int, int, int], bytes]) -> tuple[Signature, bytes]:
    """Signature and beginning of an open file: of one moment if it ever rests, else the signature is the older."""
    signature = _signature_of(os.fstat(opened))
    beginning = _beginning(opened, signature.size, pread)
    for _ in range(_ATTEMPTS - 1):
        after = _signature_of(os.fstat(opened))
        if after == signature:
            break
        signature, beginning = after, _beginning(opened, after.size, pread)
    return signature, beginning


def _beginning(opened: int, size: int, pread: Callable[[int, int, int], bytes]) -> bytes:
    """All of a file that had that size, or a byte more than is kept of it; not what was added meanwhile."""
    data = bytearray()
    wanted = min(size, KEPT_BYTES + 1)
    while len(data) < wanted and (piece := pread(opened, wanted - len(data), len(data))):
        data += piece
    return bytes(data)


def _is_same(folder: int, path: str, signature: Signature, looked_at_ns: int) -> bool:
    state = _state_beside(folder, path.rpartition("/")[2])
    return (
        state is not None
        and state.st_ino == signature.inode
        and state.st_ctime_ns == signature.ctime_ns
        and state.st_mtime_ns == signature.mtime_ns
        and state.st_size == signature.size
        and state.st_dev == signature.device
        and state.st_ctime_ns <= looked_at_ns - RACY_NS
    )


def _state_beside(folder: int, name: str) -> os.stat_result | None:
    """State of what a folder has under a name, a link's own; None if that is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (OSError, ValueError) as error:
        _check_means(error)
        return None


def _state_of(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError as error:
        _check_means(error)
        return None


def _signature_of(state: os.stat_result) -> Signature:
    return Signature(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


def _is_regular(state: os.stat_result) -> bool:
    """True for a regular file with no second name."""
    return stat.S_ISREG(state.st_mode) and state.st_nlink == 1


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_dir(follow_symlinks=False)
    return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_file(follow_symlinks=False)
    return False


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
