"""Shell actors of a benchmark: an actor for each level, and a client of the actors."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from actors.kernel import ActorSpec, ActorSystem
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from messages.base import Address, RequestId, Surface, Window
from messages.shell import BashResult, CancelBash, RunBash, SharedFolder

PATIENCE_S = 120.0


class Shells:
    """Shell actor for each level, in one system."""

    def __init__(self, root: Path, levels: tuple[str, ...]) -> None:
        self._root = root
        self._ids = itertools.count(1)
        self._system = ActorSystem(workers=2)
        for level in levels:
            self._system.register(ActorSpec(level, self._builder(level), core=True))
        self._system.start()
        self._edge = self._system.edge("bench")

    def close(self) -> None:
        """Stop all actors."""
        self._system.stop()

    def tell(
        self,
        level: str,
        command: str,
        number: int = 0,
        timeout_s: float = PATIENCE_S,
        folders: tuple[SharedFolder, ...] = (),
    ) -> RequestId:
        """Start a command of window `number`, with `folders` visible as well."""
        request_id = RequestId(f"r{next(self._ids)}")
        request = RunBash(
            request_id=request_id,
            reply_to=self._edge.address,
            window=_window(number),
            command=command,
            timeout_s=timeout_s,
            folders=folders,
        )
        self._system.tell(Address(level), request)
        return request_id

    def cancel(self, level: str, request_id: RequestId) -> None:
        """Have a command killed."""
        self._system.tell(Address(level), CancelBash(request_id=request_id))

    def result(self, request_id: RequestId) -> BashResult:
        """Wait for the result of a command.

        Raises:
            RuntimeError: the command was refused.
        """
        reply = self._edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", "") == request_id)
        if not isinstance(reply, BashResult):
            raise RuntimeError(f"a command was not run: {reply}")
        return reply

    def workdir(self, level: str, number: int = 0) -> Path:
        """Working directory of a window's commands."""
        window = _window(number)
        return self._root / level / "work" / window.surface.value / window.id

    def _builder(self, level: str) -> Callable[[str], ShellActor]:
        folder = self._root / level
        return lambda _key: ShellActor(ShellConfig(work_root=folder / "work", data_root=folder, sandbox=level))


def _window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


@contextmanager
def open_shells(levels: tuple[str, ...]) -> Iterator[Shells]:
    """Open shells of these levels until the end of the block."""
    root = Path(tempfile.mkdtemp(prefix="bench-shell-"))
    shells = Shells(root, levels)
    try:
        yield shells
    finally:
        shells.close()
        shutil.rmtree(root, ignore_errors=True)
