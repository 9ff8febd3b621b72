"""Trust in folders: the files of a folder that count, each by place and content."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType

ABSENT = ""
"""Digest of a missing file."""
MADE_NAME = "agent.made"
"""File in a data root made by the agent, with a random line in the file."""
_DIGEST = re.compile("[0-9a-f]{64}")
_VERSION = 1


class Standing(Enum):
    """Standing of a file with the user."""

    TRUSTED = auto()
    CHANGED = auto()
    """The place was trusted with another content."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class TrustList:
    """Files trusted by the user; both the place and the content must match."""

    digests: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Absolute path of a file, links in the folder resolved -> SHA-256 in hexadecimal, or `ABSENT`."""

    def standing(self, path: str, digest: str) -> Standing:
        """Standing of the file at `path` with the content of the digest."""
        known = self.digests.get(path)
        if known is None:
            return Standing.UNKNOWN
        return Standing.TRUSTED if known == digest else Standing.CHANGED

    def with_files(self, digests: Mapping[str, str]) -> TrustList:
        """List with the files added; earlier content of the files is no longer trusted."""
        return TrustList({**self.digests, **digests})

    def without_folder(self, folder: str) -> TrustList:
        """List without the files in `folder` proper, and without the folder's data roots; files further below stay."""
        return TrustList({path: digest for path, digest in self.digests.items() if _folder_of(path) != folder})

    def render(self) -> str:
        """Text of the list, in ASCII."""
        return json.dumps({"version": _VERSION, "files": dict(sorted(self.digests.items()))}, indent=1) + "\n"


def parse_trust_list(text: str) -> TrustList:
    """List in a text.

    Raises:
        ValueError: the text holds no list; the message names the rule.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("must be JSON") from None
    if not isinstance(document, dict) or document.get("version") != _VERSION or document.keys() != {"version", "files"}:
        raise ValueError(f"must be an object with version {_VERSION} and files")
    files = document["files"]
    if not isinstance(files, dict):
        raise ValueError("files: must be an object")
    for path, digest in files.items():
        if not path.startswith("/"):
            raise ValueError(f"file {json.dumps(path)}: must be an absolute path")
        if not isinstance(digest, str) or (digest != ABSENT and not _DIGEST.fullmatch(digest)):
            raise ValueError(f"file {json.dumps(path)}: must have a SHA-256 in hexadecimal, or none")
    return TrustList(files)


def _folder_of(path: str) -> str:
    """Folder that a file is trusted for: the file's own folder, or the folder above for a data root's mark."""
    folder, _, name = path.rpartition("/")
    return (folder.rpartition("/")[0] if name == MADE_NAME else folder) or "/"
