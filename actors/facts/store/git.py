"""Git of the entries: a commit after each change, by the machine's own git, beside everything else."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

from actors.kernel import Actor, LoopThread

log = logging.getLogger(__name__)

IGNORED = ("memory_index.json", ".journal.jsonl", ".*.new", "chroma/")
COMMIT_S = 60.0
STOP_S = 2.0
STALE_S = 2 * COMMIT_S
"""Age in seconds at which a lock counts as left by a killed git."""
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
    """Repository in one folder; commits follow one another, and one stands for all that were asked for meanwhile."""

    def __init__(self, owner: Actor, root: Path, ended: Callable[[str], None]) -> None:
        """Nothing is started yet.

        Args:
            owner: The actor.
            root: `facts.memory_path`.
            ended: Told after each commit what is the matter, or "" for nothing; on the loop's thread.
        """
        self._root = root
        self._owner = owner
        self._ended = ended
        self._loop = LoopThread("facts-git", owner)
        self._is_wanted = False
        self._is_busy = False
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the loop, and commit what there is; the repository is made if it is missing."""
        self._loop.start()
        self.commit()

    def commit(self) -> None:
        """Have everything committed soon."""
        self._loop.call(self._want)

    def stop(self) -> None:
        """Wait a moment for a commit that is under way, and end."""
        try:
            self._loop.submit(self._end()).result(STOP_S)
        except (TimeoutError, CancelledError):
            log.info("a commit was under way; what it leaves is in the next one")
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
                self._ended(trouble)
        finally:
            self._is_busy = False

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

    def _unlock(self) -> None:
        """Remove the lock that a killed git has left, which would stand in the way of all others for ever."""
        lock = self._root / ".git" / "index.lock"
        with suppress(FileNotFoundError):
            if self._owner.now().timestamp() - lock.lstat().st_mtime > STALE_S:
                lock.unlink()
                log.warning("a git that was killed has left %s, which is removed", lock)

    def _ignore(self) -> None:
        """Have git pass over what can be made again; a `.gitignore` that is there stays as it is."""
        lines = "".join(f"{line}\n" for line in IGNORED)
        ignore, exclude = self._root / ".gitignore", self._root / ".git" / "info" / "exclude"
        if not ignore.exists():
            ignore.write_text(lines)
        if exclude.parent.is_dir() and (not exclude.exists() or IGNORED[1].encode() not in exclude.read_bytes()):
            with exclude.open("a") as stream:
                stream.write(lines)

    async def _git(self, program: str, *arguments: str, allowed: tuple[int, ...] = (0,)) -> int:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        place = {"GIT_DIR": str(self._root / ".git"), "GIT_WORK_TREE": str(self._root), "GIT_TERMINAL_PROMPT": "0"}
        process = await asyncio.create_subprocess_exec(
            program,
            *_OPTIONS,
            *arguments,
            cwd=self._root,
            env=environment | place | {"LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode not in allowed:
            text = " ".join(said.decode("utf-8", "replace").split())[:300]
            raise GitError(f"git {arguments[0]} ended with {process.returncode}: {text}")
        return process.returncode or 0
