"""Queue of forget requests: each is carried out in slices, once the index has been compared with the logs."""

from __future__ import annotations

from collections.abc import Callable, Generator

from actors.kernel import Host
from actors.memory.store import Store
from actors.memory.upkeep.backlog import Backlog
from actors.memory.upkeep.upkeep import READY, SLICE_S, Upkeep
from messages.base import Window
from messages.forget import ForgetDerived, answer_derived
from messages.memory import ForgetSlice


class Forgetting:
    """Queue of requests; one that fails stays, and is carried out after the next comparison with the logs."""

    def __init__(self, host: Host, upkeep: Upkeep, backlog: Backlog, drop_blocks: Callable[[], None]) -> None:
        """Begin without requests.

        Args:
            host: Actor that owns the index.
            upkeep: Gives the index.
            backlog: Holds turns on their way to a vector.
            drop_blocks: Drops the blocks that are kept for explanations.
        """
        self._host = host
        self._upkeep = upkeep
        self._backlog = backlog
        self._drop_blocks = drop_blocks
        self._waiting: dict[tuple[str, Window], ForgetDerived] = {}
        """Requests that are not answered yet, by forget id and window: a repeated request takes its own place."""
        self._run: tuple[Store, Generator[None, None, int]] | None = None

    def work(self, message: ForgetDerived | ForgetSlice) -> None:
        """Queue a request, or do the next slice.

        Raises:
            apsw.Error: the index cannot be written.
            OSError: a file beside it cannot.
        """
        if isinstance(message, ForgetDerived):
            self._waiting[message.forget_id, message.window] = message
            self.go_on()
        else:
            self._do_slice()

    def go_on(self) -> None:
        """Carry out what waits, unless a comparison with the logs must end first: only then are all rows known."""
        if self._waiting and self._run is None and self._upkeep.state == READY:
            self._host.tell(self._host.address, ForgetSlice())

    def _do_slice(self) -> None:
        run, self._run = self._run, None
        store = self._upkeep.store()
        if not self._waiting:
            return
        key, request = next(iter(self._waiting.items()))
        if run is None or run[0] is not store:
            self._drop_blocks()
            self._backlog.drop()
            run = store, store.forget(request.events)
        until = self._host.monotonic() + SLICE_S
        try:
            with self._host.blocking():
                while self._host.monotonic() < until:
                    next(run[1])
        except StopIteration as end:
            del self._waiting[key]
            self._answer(request, int(end.value))
            self._backlog.go_on()
            self.go_on()
        else:
            self._run = run
            self._host.tell(self._host.address, ForgetSlice())

    def _answer(self, request: ForgetDerived, count: int) -> None:
        self._host.tell(
            request.reply_to,
            answer_derived(request, self._host.address.kind, count),
        )
