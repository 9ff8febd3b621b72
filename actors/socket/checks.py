"""Checks of the control sockets: leftovers of a killed agent, and hosts of a running agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from actors.linux.disk import OPERATOR_KEY, draft_path
from actors.part import Finding, Level, Repair
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from actors.socket.paths import OPERATOR_SOCKET

_SUFFIX = ".sock"


def findings(data_root: Path, sockets: Path, is_held: Callable[[], bool]) -> Iterator[Finding]:
    """Leftovers while no agent runs; while an agent runs, the state of its cluster's hosts, if any.

    Args:
        data_root: Holds the operator's socket and its key.
        sockets: Folder of the windows' sockets.
        is_held: True if an agent runs.
    """
    if not data_root.is_dir():
        return
    if is_held():
        yield from _hosts(data_root)
        return
    names = (OPERATOR_SOCKET, OPERATOR_KEY, draft_path(Path(OPERATOR_KEY)).name, ".new")
    stale = [data_root / name for name in names if (data_root / name).exists()]
    stale += (
        [path for path in sorted(sockets.iterdir()) if path.suffix in (_SUFFIX, ".new")] if sockets.is_dir() else []
    )
    if not stale:
        return

    def remove() -> None:
        for path in stale:
            path.unlink(missing_ok=True)

    detail = f"left by an agent that was killed: {', '.join(path.name for path in stale[:3])}"
    more = f" and {len(stale) - 3} more" if len(stale) > 3 else ""
    yield Finding("sockets", Level.WARN, f"{detail}{more}", Repair("remove them; the next start does", remove))


def _hosts(data_root: Path) -> Iterator[Finding]:
    """Hosts of the running agent; empty without hosts or without an answer."""
    try:
        figures = ask_operator(data_root, "status")["actors"].get("cluster", {})
    except (AgentNotRunningError, RefusalError):
        return
    states = {name: str(words) for name, words in figures.items() if name not in ("hosts", "lost_hosts", "windows")}
    if states:
        is_well = all(words.startswith("running") for words in states.values())
        detail = "; ".join(f"{name} {words}" for name, words in states.items())
        yield Finding("hosts", Level.OK if is_well else Level.WARN, detail)
