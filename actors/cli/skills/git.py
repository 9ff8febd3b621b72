"""Git repository as a source of skills: one commit is fetched into a bare repository and comes out as a tar file.

No work tree is made, so nothing of the repository is checked out, run or followed: no hook, filter, submodule or link.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from actors.kernel import SystemClock
from actors.shell.launch import DEFAULT_PATH, Launch, has_ended, start
from actors.shell.refused import RefusedError
from domain.policy.foreign_skill.member import MOST_SOURCE_BYTES
from domain.text.brief import brief

PROTOCOLS = ("https", "ssh", "file")
DEADLINE_S = 120.0
"""Seconds for all of a fetch."""
MOST_MEMORY_BYTES = 2 * 1024 * 1024 * 1024
"""Address space of each process of git's."""
_LOOK_S = 0.02
_MOST_CHARACTERS = 500
"""Characters of git's own words."""
_PASSED_ON = (
    *("SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"),
    *(name for each in ("http_proxy", "https_proxy", "all_proxy", "no_proxy") for name in (each, each.upper())),
)
"""Variables that git may see."""
_SCP = re.compile(r"(?:[\w.-]+@)[\w.-]+:(?!//)[\w./~-]+")
"""Address of ssh without a scheme."""
_REF = re.compile(r"[\w][\w./-]{0,199}")
_TREE = re.compile(r"(https://[^/\s]+/[^/\s]+/[^/\s]+?)(?:\.git)?(?:/-)?/tree/([^/\s]+)/?(.*)")
"""Address of a page that shows a folder of a repository."""
_OPTIONS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.attributesFile=/dev/null"),
    *("-c", "credential.helper="),
    *("-c", "fetch.recurseSubmodules=no"),
    *("-c", "maintenance.auto=false"),
    *("-c", "gc.auto=0"),
    *("-c", "http.lowSpeedLimit=1000"),
    *("-c", "http.lowSpeedTime=30"),
    *("-c", "tar.umask=0022"),
)


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a repository, with the parts given in a page's address."""

    url: str
    ref: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A commit of a repository."""

    archive: Path
    """Tar file of the commit's files."""
    commit: str


def git_address(text: str) -> Address | None:
    """Address of a repository; None for a path on this machine.

    Raises:
        ValueError: the address has a forbidden protocol, or may hold a password.
    """
    if _SCP.fullmatch(text) and not os.path.lexists(text):
        return Address(text)
    if "://" not in text:
        return None
    parts = urlsplit(text)
    if parts.scheme not in PROTOCOLS:
        raise ValueError(f"address {brief(text, 200)}: its protocol must be one of {', '.join(PROTOCOLS)}")
    if parts.password is not None or (parts.scheme == "https" and parts.username is not None):
        raise ValueError(f"address of {brief(parts.hostname, 100)}: must hold no name and password")
    if page := _TREE.fullmatch(text):
        return Address(page[1], page[2], page[3].strip("/"))
    if parts.path.endswith((".zip", ".skill", ".tar.gz", ".tgz", ".tar")):
        raise ValueError(f"address {brief(text, 200)}: is no repository of git; fetch the archive, and add its file")
    return Address(text)


def fetch(
    address: Address, folder: Path, environ: Mapping[str, str], *, deadline_s: float = DEADLINE_S, most_bytes: int = 0
) -> Fetched:
    """Fetch a single commit.

    Args:
        address: Of the repository.
        folder: Empty folder of the caller.
        environ: Environment of this process; git sees little of it.
        deadline_s: Seconds for the whole fetch.
        most_bytes: Limit of git's output; 0 for the usual limit.

    Raises:
        ValueError: the commit cannot be fetched; names the value and the rule.
    """
    if address.ref and not _REF.fullmatch(address.ref):
        raise ValueError(f"ref {brief(address.ref)}: must be a branch, a tag or a commit")
    git = _Git(folder, address, environ, deadline_s, most_bytes or MOST_SOURCE_BYTES)
    git.run("init", "--quiet", "--bare", "--template=", ".")
    options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
    git.run("fetch", *options, "--", address.url, address.ref or "HEAD")
    commit = git.run("rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}").strip()
    archive = folder / "fetched.tar"
    # Attributes of a work tree, of which there is none: those of the commit would first have all of it in memory.
    git.run("archive", "--format=tar", "--worktree-attributes", f"--output={archive}", commit)
    return Fetched(archive, commit)


class _Git:
    def __init__(
        self, folder: Path, address: Address, environ: Mapping[str, str], deadline_s: float, most_bytes: int
    ) -> None:
        self._folder = folder
        self._clock = SystemClock()
        self._deadline = self._clock.monotonic() + deadline_s
        self._most_bytes = most_bytes
        self._repository = folder / "repository.git"
        self._repository.mkdir()
        path = os.pathsep.join(each for each in environ.get("PATH", "").split(os.pathsep) if each.startswith("/"))
        self._program = shutil.which("git", path=path or DEFAULT_PATH)
        scheme = address.url.partition("://")[0] if "://" in address.url else "ssh"
        self._environment = {name: environ[name] for name in _PASSED_ON if name in environ} | {
            "PATH": path or DEFAULT_PATH,
            "HOME": str(folder),
            "LC_ALL": "C",
            "GIT_ALLOW_PROTOCOL": scheme,
            "GIT_ASKPASS": "/bin/false",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ClearAllForwardings=yes",
            "GIT_TERMINAL_PROMPT": "0",
            "SSH_ASKPASS": "/bin/false",
        }

    def run(self, command: str, *arguments: str) -> str:
        """Output of a finished git command."""
        if self._program is None:
            raise ValueError("there is no git on this machine")
        output = self._folder / "said"
        argv = (self._program, *_OPTIONS, command, *arguments)
        launch = Launch(argv=argv, environment=self._environment, cwd=self._repository)
        fd = os.open(output, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            process = start(launch, fd)
        except RefusedError as error:
            raise ValueError(f"git: {error}") from error
        finally:
            os.close(fd)
        try:
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
            while not has_ended(process, _LOOK_S):
                self._require_bounds(command)
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        with output.open("rb") as file:
            output_text = file.read(64 * 1024).decode("utf-8", "replace")
        if process.returncode:
            raise ValueError(f"git {command}: {brief(' '.join(output_text.split()), _MOST_CHARACTERS)}")
        return output_text

    def _require_bounds(self, command: str) -> None:
        if self._clock.monotonic() > self._deadline:
            raise ValueError(f"git {command}: did not end within its time")
        if _bytes_below(self._folder) > self._most_bytes:
            raise ValueError(f"git {command}: wrote more than {self._most_bytes} bytes")


def _bytes_below(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - thrice as fast
    return total
