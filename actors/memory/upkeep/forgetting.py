"""Queue of forget requests: each is carried out in slices, once the index has been compared with the logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator

from actors.kernel import Host
from actors.memory.store import Store
from actors.memory.upkeep.backlog import Backlog
from actors.memory.upkeep.upkeep import COMPARING, READY, SLICE_S, Upkeep
from messages.base import Window
from messages.forget import EndShown, ForgetDerived, answer_derived
from messages.memory import ForgetSlice
from messages.turn import Reference


class Forgetting:
    """Queue of requests; a failed request stays, and is carried out after the next comparison with the logs."""

    def __init__(
        self,
        host: Host,
        upkeep: Upkeep,
        backlog: Backlog,
        drop_blocks: Callable[[Collection[Reference]], list[EndShown]],
    ) -> None:
        """Begin without requests.

        Args:
            host: Actor that owns the index.
            upkeep: Gives the index.
            backlog: Holds turns on their way to a vector.
            drop_blocks: Drops the blocks kept for explanations; gives the ends of the turns that were shown any of some
                places.
        """
        self._host = host
        self._upkeep = upkeep
        self._backlog = backlog
        self._drop_blocks = drop_blocks
        self._waiting: dict[tuple[str, Window], ForgetDerived] = {}
        """Unanswered requests, by forget id and window: a repeated request takes its own place."""
        self._run: tuple[Store, Generator[None, None, int]] | None = None
        self._hidden: Counter[tuple[str, Window]] = Counter()
        """Rows taken out ahead of a request's turn, by forget id and window."""

    def work(self, message: ForgetDerived | ForgetSlice) -> None:
        """Queue a request, or do the next slice.

        Raises:
            apsw.Error: the index cannot be written.
            OSError: a file beside it cannot.
        """
        if isinstance(message, ForgetDerived):
            self._waiting[message.forget_id, message.window] = message
            if self._upkeep.state == COMPARING:
                self._hide(message)
            self.go_on()
        else:
            self._do_slice()

    def go_on(self) -> None:
        """Carry out waiting requests, after the end of any comparison with the logs: only then are all rows known."""
        if self._waiting and self._run is None and self._upkeep.state == READY:
            self._host.tell(self._host.address, ForgetSlice())

    def _hide(self, request: ForgetDerived) -> None:
        """Bring up none of the words while a comparison runs; after a kill it reads every log."""
        self._end_shown(request)
        self._backlog.drop()
        with self._host.blocking():
            self._hidden[request.forget_id, request.window] += self._upkeep.store().take_out(request.events)
        self._backlog.go_on()

    def _do_slice(self) -> None:
        run, self._run = self._run, None
        store = self._upkeep.store()
        if not self._waiting:
            return
        key, request = next(iter(self._waiting.items()))
        if run is None or run[0] is not store:
            self._end_shown(request)
            self._backlog.drop()
            self._upkeep.begin_logs_anew()
            run = store, store.forget(request.events)
        until = self._host.monotonic() + SLICE_S
        try:
            with self._host.blocking():
                while self._host.monotonic() < until:
                    next(run[1])
        except StopIteration as end:
            del self._waiting[key]
            self._end_shown(request)
            self._answer(request, int(end.value) + self._hidden.pop(key, 0))
            self._backlog.go_on()
            self.go_on()
        else:
            self._run = run
            self._host.tell(self._host.address, ForgetSlice())

    def _end_shown(self, request: ForgetDerived) -> None:
        """End turns in hand that were shown forgotten words, in any window: their answers would repeat the words.

        Other turns begin while a request is carried out, so its end looks for shown words again.
        """
        forgotten = [Reference(path=event.path, line=event.line) for event in request.events]
        for end in self._drop_blocks(forgotten):
            self._host.tell(end.window.address, end)

    def _answer(self, request: ForgetDerived, count: int) -> None:
        self._host.tell(
            request.reply_to,
            answer_derived(request, self._host.address.kind, count),
        )
