"""Choice of the sandbox: the system's bubblewrap, else the agent's own, else no sandbox.

Each bubblewrap must withstand attempts to break out.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from actors.linux.private_folder import TemporaryFolder
from actors.linux.syscall_numbers import PROCESSORS
from actors.shell.refused import RefusedError
from actors.shell.sandbox.binary import Binary, UnfitError, bundled_binary, of_system
from actors.shell.sandbox.enclosure import Enclosure, can_mount_by_descriptor, threads_of_user
from actors.shell.sandbox.remedy import NO_PROC, ROOT, examine, has_proc, remedy
from actors.shell.sandbox.scope import has_scopes
from actors.shell.sandbox.view import View, programs_elsewhere
from actors.shell.sandbox.watcher.mounter import NOT_MADE
from actors.shell.warden_client import WardenClient

CHOICES = ("auto", "bwrap", "bundled", "none")
_PROBE_S = 10.0
_BAIT = "word\n"
_MARKER = "kept"
"""Name of an immutable file in the trial's folder."""
_ESCAPES = """
echo in > inside && read -r word < inside && echo "$word"
if [[ -r /proc/self/status ]]; then
    while read -r name value; do
        [[ $name == CapEff: && -n ${value//0/} ]] && echo "has capabilities: $value"
    done < /proc/self/status
fi
read -r word < "$CANARY" && echo "reads what it should not"
echo out > "$CANARY"
echo out >> kept && echo "changes what is kept"
(($$ == OUTSIDER || PPID == OUTSIDER)) || { kill -0 "$OUTSIDER" && echo "reaches the agent by signals"; }
: > "/dev/tcp/127.0.0.1/$PORT" && echo "reaches the network"
exit 0
"""
"""Uses only bash itself; expected errors go to stderr, to be discarded. In a container the agent's own number may be
1 or 2. In a namespace 1 and 2 are this bash and its parent, and there is no other process."""


@dataclass(frozen=True, slots=True)
class Level:
    """Protection between commands and the machine."""

    enclosure: Enclosure | None
    """Enclosure; None without a sandbox, either by choice or because every command is refused."""
    text: str
    """Message for people: the level, and the reason against a better level."""
    refusal: str = ""
    """Reason for refusing every command; empty if commands are allowed."""


@dataclass(slots=True)
class SandboxFindings:
    """Results of trials on this machine, for the next lives of an actor in one process: no trial is repeated."""

    bash: str = ""
    """Path of bash; empty if unknown."""
    level: Level | None = None


async def find_level(choice: str, bash: str, warden: WardenClient, bwrap: str = "bwrap", root: Path = ROOT) -> Level:
    """Best working level that `choice` permits.

    Args:
        choice: One of `CHOICES`.
        bash: Path of bash.
        warden: Runs the trials.
        bwrap: Name or path of bubblewrap.
        root: As in `examine`.

    Raises:
        ValueError: unknown choice.
    """
    if choice not in CHOICES:
        raise ValueError(f"sandbox {choice!r}: must be one of {', '.join(CHOICES)}")
    if choice == "none":
        return Level(None, "none: configured")
    reasons = []
    broken = ""
    for name, find in (("bwrap", lambda: of_system(bwrap)), ("bundled", bundled_binary)):
        if choice not in ("auto", name):
            continue
        try:
            binary = _find_binary(find)
            broken = broken or binary.path
            enclosure = await _find_enclosure(bash, binary.path, warden)
        except _UntriedError as error:
            refusal = str(error)
            return Level(None, f"refusing: {refusal}", refusal)
        except UnfitError as error:
            reasons.append(str(error))
        else:
            if not enclosure.mounts_by_descriptor:
                reasons.append("mounts are made by path: this kernel, or a policy, refuses mounts by descriptor")
            why = f" ({'; '.join(reasons)})" if reasons else ""
            return Level(enclosure, f"{binary.text}{why}")
    reason = "; ".join(reasons)
    refusal = f"{reason}. {remedy(examine(broken, reason, root))}"
    return Level(None, f"refusing: {refusal}", refusal)


def sandbox_level(choice: str, bash: str) -> Level:
    """Equivalent of `find_level` for callers without an event loop; takes about a tenth of a second.

    Raises:
        ValueError: unknown choice.
    """

    async def find() -> Level:
        warden = WardenClient()
        try:
            return await find_level(choice, bash, warden)
        finally:
            warden.close()

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selectors.PollSelector())) as runner:
        return runner.run(find())


def _find_binary(find: Callable[[], Binary]) -> Binary:
    machine = os.uname().machine
    if machine not in PROCESSORS:
        raise UnfitError(f"no filter for processor {machine}")
    return find()


async def _find_enclosure(bash: str, bwrap: str, warden: WardenClient) -> Enclosure:
    """Enclosure that passes the trial, with mounts by descriptor if available.

    Raises:
        UnfitError: no enclosure passes.
        _UntriedError: the trial could not be prepared.
    """
    by_descriptor = can_mount_by_descriptor()
    enclosure = Enclosure(bash=bash, bwrap=bwrap, has_scopes=has_scopes(), mounts_by_descriptor=by_descriptor)
    try:
        await _try(enclosure, warden)
    except UnfitError as error:
        if not by_descriptor or NOT_MADE not in str(error):
            raise
        enclosure = replace(enclosure, mounts_by_descriptor=False)
        await _try(enclosure, warden)
    return enclosure


class _UntriedError(Exception):
    """No sandbox can be tried on this machine; the text names the lack and the remedy."""


async def _try(enclosure: Enclosure, warden: WardenClient) -> None:
    """Run a command that tries forbidden acts.

    Raises:
        UnfitError: the command did not run, or an act succeeded.
        _UntriedError: the trial could not be prepared.
    """
    with ExitStack() as prepared:
        inside, canary, server = _prepare(prepared)
        output = await _output(enclosure, warden, str(inside), _targets(canary, server))
        if not _is_untouched(canary):
            output += b"writes where it should not"
        if output != b"in\n":
            text = " ".join(output.decode("utf-8", "replace").removeprefix("in\n").split())
            raise UnfitError(f"{enclosure.bwrap} does not work here: {text[:300] or 'the trial said nothing'}")


def _prepare(prepared: ExitStack) -> tuple[Path, Path, socket.socket]:
    """Prepare a trial: a folder, a file that must be out of reach, and a server that must be out of reach."""
    if not has_proc():
        raise _UntriedError(f"The sandbox cannot be tested without /proc. {NO_PROC}")
    try:
        folder = TemporaryFolder("agent-probe-")
        inside, canary = _bait(prepared.enter_context(folder))
    except OSError as error:
        raise _UntriedError(
            f"The sandbox cannot be tested: a temporary folder cannot be made ({error}). "
            "Make room in /tmp and let the agent's user write there, or set TMPDIR to a folder where the user can."
        ) from error
    try:
        return inside, canary, prepared.enter_context(socket.create_server(("127.0.0.1", 0)))
    except OSError as error:
        raise _UntriedError(
            f"The sandbox cannot be tested: there is no loopback network ({error}). Bring it up: ip link set lo up."
        ) from error


def _bait(folder: str) -> tuple[Path, Path]:
    """Folder for the trial, and a file beside the folder that must be out of reach."""
    inside, canary = Path(folder, "inside"), Path(folder, "canary")
    inside.mkdir()
    (inside / _MARKER).touch()
    canary.write_text(_BAIT)
    return inside, canary


def _is_untouched(canary: Path) -> bool:
    try:
        return canary.read_text() == _BAIT
    except (OSError, UnicodeDecodeError):  # what should not be reached was removed or made into something else
        return False


def _targets(canary: Path, server: socket.socket) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "CANARY": str(canary),
        "OUTSIDER": str(os.getpid()),
        "PORT": str(server.getsockname()[1]),
    }


async def _output(enclosure: Enclosure, warden: WardenClient, inside: str, environment: dict[str, str]) -> bytes:
    view = View(cwd=inside, own=(inside,), protected=(f"{inside}/{_MARKER}",), executable=programs_elsewhere())
    threads = threads_of_user(os.getuid())
    command = f"{{\n{_ESCAPES}\n}} 2> /dev/null"
    job = enclosure.job(command, view, environment, timeout_s=_PROBE_S, user_threads=threads)
    try:
        process = await warden.start(job)
    except RefusedError as error:
        raise UnfitError(str(error)) from error
    pieces: list[bytes] = []
    reading = asyncio.ensure_future(process.read(pieces.append))
    await asyncio.wait({process.exited}, timeout=_PROBE_S)
    await process.kill()
    await asyncio.wait({reading}, timeout=1.0)
    reading.cancel()
    await asyncio.wait({reading})
    process.close()
    return b"".join(pieces) + process.ending.fault.encode()
