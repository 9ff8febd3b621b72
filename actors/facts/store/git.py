"""Git of the entries: a commit after each change, by the machine's own git, beside everything else."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import shutil
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

from actors.facts.store.git_purge import purge
from actors.kernel import Actor, LoopThread

log = logging.getLogger(__name__)

IGNORED = ("memory_index.json", ".journal.jsonl", ".lock", ".*.new", "chroma/")
COMMIT_S = 60.0
STOP_S = 2.0
STALE_S = 2 * COMMIT_S
"""Age in seconds at which a lock counts as left by a killed git."""
_LOCKS = (
    "*.lock",
    "refs/**/*.lock",
    "info/*.lock",
    "objects/*.lock",
    "objects/info/**/*.lock",
    "objects/pack/*.lock",
    "worktrees/*/*.lock",
    "gc.pid",
)
"""Locks of git below `.git`."""
_OPTIONS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "user.name=Remembrancer"),
    *("-c", "user.email=remembrancer@localhost"),
    *("-c", "gc.autoDetach=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.quotePath=false"),
)


class GitError(Exception):
    """Failure of git; the text is git's message."""


class Git:
    """Repository in one folder; commits follow one another, and a commit serves all requests made meanwhile."""

    def __init__(self, owner: Actor, root: Path, ended: Callable[[str], None], again_s: float) -> None:
        """Begin without a loop.

        Args:
            owner: The actor.
            root: `facts.memory_path`.
            ended: Told the trouble after each commit, or "" after a success; on the loop's thread.
            again_s: Seconds after which a failed commit is repeated.
        """
        self._again_s = again_s
        self._trouble = ""
        self._root = root
        self._owner = owner
        self._ended = ended
        self._loop = LoopThread("facts-git", owner)
        self._is_wanted = False
        self._is_busy = False
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the loop, and commit the present files; a missing repository is made."""
        self._loop.start()
        self.commit()

    def commit(self) -> None:
        """Have everything committed soon."""
        self._loop.call(self._want)

    def stop(self) -> None:
        """Wait a moment for a commit under way, and end."""
        try:
            self._loop.submit(self._end()).result(STOP_S)
        except (TimeoutError, CancelledError):
            log.info("a commit was under way; the next one takes the remaining files")
        finally:
            self._loop.stop()

    async def _end(self) -> None:
        if self._running is not None:
            await self._running

    def _want(self) -> None:
        self._is_wanted = True
        if not self._is_busy:
            self._is_busy = True
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._is_wanted:
                self._is_wanted = False
                trouble = ""
                try:
                    async with asyncio.timeout(COMMIT_S):
                        await self._commit()
                except (GitError, OSError) as error:
                    trouble = str(error)
                except TimeoutError:
                    trouble = f"git did not end within {COMMIT_S:g} s"
                self._note(trouble)
        finally:
            self._is_busy = False

    def _note(self, trouble: str) -> None:
        """Report the result of a commit, and have a failed commit repeated; each trouble is logged once."""
        if trouble:
            if trouble != self._trouble:
                log.warning("entries are not committed, which is tried again: %s", trouble)
            asyncio.get_running_loop().call_later(self._again_s, self._want)
        self._trouble = trouble
        self._ended(trouble)

    async def _commit(self) -> None:
        program = shutil.which("git")
        if program is None:
            raise GitError("facts.enable_git_versioning is true, but there is no git on this machine")
        if not (self._root / ".git").exists():
            await self._git(program, "init", "--quiet", "--initial-branch=main")
        self._ignore()
        self._unlock()
        await self._git(program, "add", "--all", "--", ".")
        if await self._git(program, "diff", "--cached", "--quiet", allowed=(0, 1)):
            await self._git(program, "commit", "--quiet", "--no-verify", "--message", "Update memories")
        if left := await purge(self._root, functools.partial(self._output, program)):
            raise GitError(left)

    def _unlock(self) -> None:
        """Remove stale locks of killed gits; a stale lock would block all later commits for ever."""
        folder = self._root / ".git"
        for lock in (path for place in _LOCKS for path in folder.glob(place)):
            with suppress(FileNotFoundError):
                if self._owner.now().timestamp() - lock.lstat().st_mtime > STALE_S:
                    lock.unlink()
                    log.warning("removed %s, left by a killed git", lock)

    def _ignore(self) -> None:
        """Make git ignore rebuildable files; an existing `.gitignore` stays as it is."""
        lines = "".join(f"{line}\n" for line in IGNORED)
        ignore, exclude = self._root / ".gitignore", self._root / ".git" / "info" / "exclude"
        if not ignore.exists():
            ignore.write_text(lines)
        known = exclude.read_bytes().split() if exclude.exists() else []
        if exclude.parent.is_dir() and not {line.encode() for line in IGNORED} <= set(known):
            with exclude.open("a") as stream:
                stream.write(lines)

    async def _git(self, program: str, *arguments: str, allowed: tuple[int, ...] = (0,)) -> int:
        status, output = await self._run_git(program, arguments, b"", asyncio.subprocess.STDOUT)
        if status not in allowed:
            raise GitError(_failure(arguments[0], status, output))
        return status

    async def _output(self, program: str, *arguments: str, stdin: bytes = b"") -> bytes:
        """Output of git for an input; a failure is an error."""
        status, output = await self._run_git(program, arguments, stdin, asyncio.subprocess.DEVNULL)
        if status:
            raise GitError(_failure(arguments[0], status, b"" if arguments[0] == "fast-export" else output))
        return output

    async def _run_git(self, program: str, arguments: tuple[str, ...], stdin: bytes, errors: int) -> tuple[int, bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        place = {"GIT_DIR": str(self._root / ".git"), "GIT_WORK_TREE": str(self._root), "GIT_TERMINAL_PROMPT": "0"}
        process = await asyncio.create_subprocess_exec(
            program,
            *_OPTIONS,
            *arguments,
            cwd=self._root,
            env=environment | place | {"LC_ALL": "C"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
        try:
            output, _ = await process.communicate(stdin)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode or 0, output


def _failure(command: str, status: int, output: bytes) -> str:
    text = " ".join(output.decode("utf-8", "replace").split())[:300]
    return f"git {command} ended with {status}: {text}"
