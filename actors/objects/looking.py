"""Look at a window's files: changes, contents and new paths.

Whatever a command put into the folder, no look reads outside the folder or has to wait, and each look is bounded.
No part of a path may be a link: a folder is opened below the root by the kernel's own rule, and its files are examined
beside its descriptor.
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
"""Entries of folders examined by a search."""
MATCHED = 50
"""Most files named by a command's patterns."""
RACY_NS = 10_000_000
"""A file changed so shortly before a look may change again with the same times: timestamps are that coarse."""
_ANY_SIZE = 2**63 - 1
_ATTEMPTS = 5
"""Tries at opening a constantly replaced file, and at reading a constantly written file at a single moment."""
_WILD = frozenset("*?[")
_OUT_OF_MEANS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors about this machine, not about the file."""


class Looking:
    """View of the files below a folder; the folder need not exist; keeps no state between two calls.

    A watcher notified of changes could stand behind the same four questions. Each raises `OSError` if this machine has
    no descriptors or no memory left: then the state is unknown, and no file is gone.
    """

    def __init__(self, root: Path, *, walked: int = WALKED, pread: Callable[[int, int, int], bytes] = os.pread) -> None:
        """Begin without a look.

        Args:
            root: The folder.
            walked: Entries of folders examined by a search for patterns.
            pread: Reads of an open file, as `os.pread`.
        """
        self._root = root
        self._walked = walked
        self._pread = pread

    def find_changed(self, known: Mapping[str, tuple[Signature, int]]) -> tuple[str, ...]:
        """Files of `known` to look at again, in the same order: changed, gone, or too fresh to tell.

        Args:
            known: Path -> its signature, and the time just before the look at the signature, in nanoseconds since 1970.
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
        """File at the path `name`; None without a regular file of one name there, or if opening fails.

        Args:
            name: Path below the root; None is the answer to a path that is not plain.
            reads: True if the content is wanted, not only the existence.
        """
        if not is_plain(name):
            return None
        return self._read(name) if reads else self._look_beside(name)

    def find(self, sought: Mapping[str, tuple[Signature, str]], limit: int = WALKED) -> dict[str, str]:
        """Find files gone from their paths: old path -> new path of each match.

        A match has the same device, inode, size and content; an inode alone is soon given to another file.

        Args:
            sought: Old path -> signature, and hash of the content; in place of an empty hash, the time of the last
                change in the signature counts.
            limit: Most entries of folders to examine, from the root down.
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
        """Files a shell would put in the place of `patterns`, in the same order, each once.

        Args:
            patterns: Plain paths with `*`, `?` and `[...]`; wildcards match no `/` and no dot at a name's beginning.
            limit: Most files; the search for all patterns together examines a bounded number of entries.
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
    """Bounded walk through the folders below a folder, by descriptors; a link is listed but not followed."""

    def __init__(self, root: int | None, entries: int) -> None:
        self._root = root
        self._left = entries

    def files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Plain path and entry of each file other than a folder, nearest to the root first."""
        folders = deque([""])
        while folders and self._left > 0:
            for path, entry in self._entries(folders.popleft()):
                if _is_folder(entry):
                    folders.append(path)
                else:
                    yield path, entry

    def matching(self, parts: list[str]) -> list[str]:
        """Regular files that fit a pattern, given part by part."""
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
        """Paths in `folder` that fit a part of a pattern, sorted."""
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
        """Plain path and entry of each item in `folder`, while the limit of entries allows."""
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
    """Descriptor of the root; None for a missing folder."""
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
    """Descriptor of a folder below the root, empty for the root itself; None for a missing folder."""
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
    """Raise an error about the machine; any other error means a missing file."""
    if isinstance(error, OSError) and error.errno in _OUT_OF_MEANS:
        raise error


def _signed_beginning(opened: int, pread: Callable[[int, int, int], bytes]) -> tuple[Signature, bytes]:
    """Signature and beginning of an open file: of a single moment if the file rests, else the signature is older."""
    signature = _signature_of(os.fstat(opened))
    beginning = _beginning(opened, signature.size, pread)
    for _ in range(_ATTEMPTS - 1):
        after = _signature_of(os.fstat(opened))
        if after == signature:
            break
        signature, beginning = after, _beginning(opened, after.size, pread)
    return signature, beginning


def _beginning(opened: int, size: int, pread: Callable[[int, int, int], bytes]) -> bytes:
    """All of a file of the given size, or a byte more than the kept limit; without bytes added meanwhile."""
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
    """State of a name in a folder, a link's own; None for a missing name."""
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
