"""Locks: packages with version, marker, hashes and who asks for them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
RUN, DEV = "requirements.lock", "requirements-dev.lock"
PROJECT = "remembrancer"
_PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\\n]+?))? \\\n")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ASKER = re.compile(r"#\s+(?:via )?(?!via$)([A-Za-z0-9_.-]+(?: \([^)]*\))?|-c \S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    """Pin of a lock."""

    name: str
    """Canonical."""
    version: str
    marker: str
    """Environments that the pin is for; empty for all."""
    hashes: tuple[str, ...]
    """SHA-256 of each file that may be installed."""
    asked_by: tuple[str, ...]
    """Canonical names of packages that need this one; the project's own as `PROJECT`."""

    @property
    def purl(self) -> str:
        """Package URL, which names a release everywhere."""
        return f"pkg:pypi/{self.name}@{self.version}"

    def is_for(self, environment: dict[str, str]) -> bool:
        """True if the pin counts in an environment, given as markers name it."""
        return not self.marker or Marker(self.marker).evaluate(environment)


def read_lock(text: str) -> list[Package]:
    """Packages of a lock in its order.

    Raises:
        ValueError: a line is neither a pin, a hash nor a comment.
    """
    begins = list(_PIN.finditer(text))
    packages = []
    ends = [each.start() for each in begins[1:]] + [len(text)]
    for pin, end in zip(begins, ends, strict=False):
        body = text[pin.end() : end]
        packages.append(
            Package(
                name=canonicalize_name(pin["name"]),
                version=pin["version"],
                marker=(pin["marker"] or "").strip(),
                hashes=tuple(_HASH.findall(body)),
                asked_by=tuple(dict.fromkeys(_asker(name) for name in _ASKER.findall(body) if name[0] != "-")),
            )
        )
    strange = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith(("#", "--hash=sha256:")) and not _PIN.match(f"{line}\n")
    ]
    if strange:
        raise ValueError(f"lock line {strange[0]!r}: a pin, a hash or a comment is required")
    return packages


def _asker(name: str) -> str:
    return canonicalize_name(name.partition(" ")[0])


def locked(layer: str = RUN) -> list[Package]:
    """Packages of a lock of this checkout."""
    return read_lock((ROOT / layer).read_text())


def project() -> dict[str, Any]:
    """`pyproject.toml` of this checkout."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def requirements(document: dict[str, Any]) -> dict[str, list[str]]:
    """Lock -> requirements of the project's own that the lock was made for, as `bin/lock` has them."""
    groups = document["dependency-groups"]
    run = [
        *document["project"]["dependencies"],
        *document["project"]["optional-dependencies"]["local"],
        *groups["build"],
    ]
    return {RUN: run, DEV: list(groups["dev"])}
