"""Removal of forgotten files from the history of the agent's own repository."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from actors.facts.config import FactsConfig
from actors.linux.disk import Disk, put_whole

FILE = "remembrancer-forget"
"""File below `.git`: paths to be removed, a line each, from before the answer until their removal begins."""
BEGUN = "remembrancer-forgetting"
"""File below `.git`: paths under removal, until the removal is done."""
AT_ONCE = 500
"""Paths of one pass over the history."""
LEFT = "the history of {place} still has it, and is left alone: {why}"
Run = Callable[..., Awaitable[bytes]]


def note_purge(config: FactsConfig, paths: Sequence[str], disk: Disk) -> str:
    """Note the files that must leave the history; return a sentence on remains, empty without a repository.

    Raises:
        OSError: the note may not be on the disk.
    """
    folder = config.root / ".git"
    if not folder.is_dir() or not paths:
        return ""
    if not config.enable_git_versioning:
        return LEFT.format(place=folder, why="facts.enable_git_versioning is off")
    place = folder / FILE
    known = list[str]()
    with suppress(FileNotFoundError):  # a removal may begin at any time
        known = place.read_text().split("\n")
    lines = dict.fromkeys(line for line in (*known, *paths) if line)
    put_whole(disk, place, "\n".join(lines).encode(), is_durable=True)
    return "its versions in the git history are removed with the next commit, or the status says why not"


def is_purge_due(root: Path) -> bool:
    """True if the history still has files that must leave."""
    return any((root / ".git" / name).exists() for name in (FILE, BEGUN))


async def purge(root: Path, run: Run) -> str:
    """Remove the noted files from all commits; return the remains with the reason.

    Args:
        root: `facts.memory_path`.
        run: Runs git with arguments and an input, and gives its output.
    """
    if not is_purge_due(root):
        return ""
    if (await run("remote")).strip():
        return LEFT.format(place=root / ".git", why="the repository has a remote")
    authors = set((await run("log", "--all", "--format=%ce")).decode().split())
    if authors - {"remembrancer@localhost"}:
        return LEFT.format(place=root / ".git", why="other people have committed to it")
    while (paths := _begin(root)) is not None:
        for at in range(0, len(paths), AT_ONCE):
            left_out = [f":(exclude,top,literal){path}" for path in paths[at : at + AT_ONCE]]
            stream = await run("fast-export", "--all", "--full-tree", "--", ".", *left_out)
            await run("fast-import", "--force", "--quiet", stdin=stream)
        await run("reset", "--quiet")
        await run("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        await run("gc", "--quiet", "--prune=now")
        (root / ".git" / BEGUN).unlink()
    return ""


def _begin(root: Path) -> list[str] | None:
    """Paths to remove now, of a removal cut short or of the note; None without any. A later note is a new file."""
    begun = root / ".git" / BEGUN
    try:
        if not begun.exists():
            (root / ".git" / FILE).replace(begun)
    except FileNotFoundError:
        return None
    return [line for line in begun.read_text().split("\n") if line]
