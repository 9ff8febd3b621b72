"""Trust of the user in files: the list in the user's own state folder, read once; `actors.cli.trust` writes it."""

from __future__ import annotations

import hashlib
import os
import pwd
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from actors.linux.regular_file import NotRegularError, open_regular
from domain.policy.folder_trust import ABSENT, Standing, TrustList, parse_trust_list

FOLDER = "remembrancer"
FILE_NAME = "trusted.json"
STATE_VARIABLE = "XDG_STATE_HOME"
_LARGEST_FILE_BYTES = 16 * 1024 * 1024


class TrustError(Exception):
    """The list of trusted files cannot be used; the text names the list and the reason."""


class Trust(Protocol):
    """Standing of files with the user."""

    trouble: str
    """Reason for a missing list; empty for a usable list, or before the first need."""

    def standing(self, path: Path, digest: str) -> Standing:
        """Standing of the file at `path` with the given digest."""


class NoTrust:
    """Trust of a user who trusts no file."""

    trouble = ""

    def standing(self, path: Path, digest: str) -> Standing:  # noqa: ARG002 - the protocol's
        """Unknown, whatever the file."""
        return Standing.UNKNOWN


class UserTrust:
    """Trust by the user's list; the list is read at the first need."""

    def __init__(self, environ: Mapping[str, str], user: int | None = None) -> None:
        """Trust of a user.

        Args:
            environ: Environment of the user.
            user: Number of the user; by default of this process.
        """
        self._environ = environ
        self._user = user
        self._list: TrustList | None = None
        self.trouble = ""

    def standing(self, path: Path, digest: str) -> Standing:
        """Standing of a file; unknown for an unusable list, as `trouble` then reports."""
        if self._list is None:
            try:
                self._list = read_trust_list(trust_path(self._environ, self._user))
            except TrustError as error:
                self._list, self.trouble = TrustList(), str(error)
        return self._list.standing(place_of(path), digest)


def digest_of(content: bytes | None) -> str:
    """Digest of a file's content; `ABSENT` for None, a missing file."""
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def place_of(path: Path) -> str:
    """Place under which a file is listed: its folder with links resolved, and its own name.

    The file itself may be a link: then trust covers the folder of the link and the content at the link's target.
    Otherwise a link to a trusted file would make any folder trusted.
    """
    return os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 - of text, which may hold any byte


def trust_path(environ: Mapping[str, str], user: int | None = None) -> Path:
    """Path of the list of trusted files, in `$XDG_STATE_HOME`, else in `.local/state` of the home folder.

    The list need not exist. A relative variable does not count: the path would depend on the current folder.

    Raises:
        TrustError: the user has no home folder.
    """
    state, home = Path(environ.get(STATE_VARIABLE, "")), Path(environ.get("HOME", ""))
    if not state.is_absolute():
        state = (home if home.is_absolute() else _account_home(os.geteuid() if user is None else user)) / ".local/state"
    return state / FOLDER / FILE_NAME


def read_trust_list(path: Path) -> TrustList:
    """The list at `path`; an empty one where there is no file.

    Raises:
        TrustError: the list cannot be read, is damaged, or may be written by other users.
    """
    try:
        with open(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:  # noqa: PTH123 - has no Path
            _require_own(os.fstat(stream.fileno()), path, 0o077, "600")
            _require_own(path.parent.stat(), path.parent, 0o022, "700")
            content = stream.read(_LARGEST_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return TrustList()
    except NotRegularError:
        raise TrustError(f"{path}: must be a file") from None
    except OSError as error:
        raise TrustError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > _LARGEST_FILE_BYTES:
        raise TrustError(f"{path}: must have at most {_LARGEST_FILE_BYTES} bytes")
    try:
        return parse_trust_list(content.decode("ascii"))
    except UnicodeDecodeError:
        raise TrustError(f"{path}: is damaged: must be ASCII; mend it, or move it away and trust again") from None
    except ValueError as error:
        raise TrustError(f"{path}: is damaged: {error}; mend it, or move it away and trust again") from None


def _require_own(status: os.stat_result, path: Path, open_bits: int, mode: str) -> None:
    if status.st_uid not in (os.geteuid(), 0):
        raise TrustError(f"{path}: belongs to user {status.st_uid}, not to this one or root")
    if status.st_mode & open_bits:
        raise TrustError(f"{path}: mode is {stat.S_IMODE(status.st_mode):04o}: run: chmod {mode}")


def _account_home(user: int) -> Path:
    try:
        home = Path(pwd.getpwuid(user).pw_dir)
    except KeyError:
        home = Path()
    if not home.is_absolute():
        raise TrustError(f"there is no folder for a list of trusted files: set HOME or {STATE_VARIABLE} to a full path")
    return home
