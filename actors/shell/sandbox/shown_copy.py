"""Shown copies: settings files of a caller's folder needed by programs, shown to commands without secrets.

git, Mercurial and Gradle keep addresses, credentials and harmless settings in one file. Hiding the file would break
the program, so a command reads a copy: credentials are taken out of addresses, and lines with a secret are left
out with their continuations.
"""

from __future__ import annotations

import os
import re

from actors.linux.regular_file import open_regular
from domain.text.secret_look import looks_secret

COPIED = frozenset((".gitmodules", ".gitconfig", ".lfsconfig", "gradle.properties", "pip.conf", ".yarnrc.yml"))
"""Names of copied files, anywhere in the folder."""
_IN_FOLDER = frozenset((".hg/hgrc", "git/config", ".git/config", ".git/config.worktree"))
STORE_FILES = ("config", "config.worktree")
"""Names of copied files in a store of git's."""
MOST_BYTES = 64 * 1024
"""Largest file to search; a larger file is hidden."""
MOST_BYTES_TOGETHER = 1024 * 1024
"""Largest total of files to search in a folder; all further files are hidden."""
MOST_LETTERS = 2_000
"""Longest line to search; a longer line is left out."""
_CREDENTIALS = re.compile(r"(?i)\b(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<user>[^\s/@:\"']*)(?P<password>:[^\s/@\"']*)?@")
_BY_TOKEN = frozenset(("http", "https", "ftp", "ftps"))
"""Schemes in which a user without a password may be a token; ssh needs its user."""
_NAMED = re.compile(
    r"""(?ix) ^\s* ["']?
    [\w.\-/]*(?:(?:passw|passphrase|pwd|secret|token|credential|extraheader|oauth|cookie|auth(?!or))[\w.\-/]*|pass|key)
    ["']? \s* [=:] \s* \S"""
)


def is_copied(name: str, folder: str) -> bool:
    """True if the file `name`, in a folder called `folder`, may hold secrets beside content needed by programs."""
    return name in COPIED or f"{folder}/{name}" in _IN_FOLDER


def copy_without_secrets(path: str) -> bytes | None:
    """Content of a settings file without secrets; None if there is nothing to leave out.

    Raises:
        OSError: it cannot be read, or is not a regular file.
        ValueError: it is too large, or no text.
    """
    with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"{path}: has more than {MOST_BYTES} bytes")
    text = data.decode("utf-8")
    cleaned = without_secrets(text)
    return None if cleaned == text else cleaned.encode("utf-8")


def without_secrets(text: str) -> str:
    """Text of a settings file without credentials in addresses, and without lines that hold a secret."""
    lines, setting = list[str](), list[str]()
    for line in text.splitlines(keepends=True):
        setting.append(_CREDENTIALS.sub(_without_credentials, line) if len(line) <= MOST_LETTERS else "")
        if not line.rstrip("\r\n").endswith("\\"):
            lines += [] if any(map(_is_secret, setting)) else setting
            setting = []
    return "".join([*lines, *([] if any(map(_is_secret, setting)) else setting)])


def _is_secret(line: str) -> bool:
    """True if a line must be left out with its continuations; empty text stands for a line too long."""
    return not line or _NAMED.match(line) is not None or looks_secret(line)


def _without_credentials(match: re.Match[str]) -> str:
    user = "" if match["scheme"].lower() in _BY_TOKEN else f"{match['user']}@"
    return f"{match['scheme']}://{user}"
