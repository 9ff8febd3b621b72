"""ObserverActor: serves a page about the actors at work, on loopback."""

from __future__ import annotations

import json
import logging
from concurrent.futures import Future
from pathlib import Path

from actors.http_server.exchange import Exchange
from actors.kernel import Actor, LoopThread, Timer, not_understood
from actors.linux.disk import OBSERVER_PAGE, put_secret
from actors.observer.metrics import Spent
from actors.observer.server import LIMITS, Limits, ObserverServer, Place
from actors.observer.watch import Watch
from messages.base import Address, Message, make_ready
from messages.memory import MemoryExplained
from messages.model import SPENT, CallSpent, UsageRead
from messages.scheduler import RemindersListed
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

CLOSE_S = 2.0


class Listening(Message, frozen=True, kw_only=True, gc=False):
    """The server listens, or the reason why not (the actor's own message)."""

    port: int
    trouble: str = ""


class ListenOnceMore(Message, frozen=True, kw_only=True, gc=False):
    """Time to try the port again (the actor's own timer)."""


class ObserverActor(Actor):
    """Server of the observer's page.

    Owns: a socket on loopback, the socket's loop, and `observer.json`, the file with the page's address and token.
    Asks: actors that can describe themselves, the memory and the scheduler, while a page is open or metrics are
    scraped; hears all messages while a page is open, and always the cost of model calls.
    Crashes on: a loop thread that cannot be started, and its own faults; never on acts of a page. A port in use
    is no crash: the actor tries the port again.
    """

    def __init__(self, data_root: Path, port: int, describers: tuple[Address, ...], limits: Limits = LIMITS) -> None:
        """Open no socket yet.

        Args:
            data_root: Holds the logs, and `observer.json` while the page can be opened.
            port: 0 for any.
            describers: Actors that can describe themselves.
            limits: Limits on the work caused by readers, and the pause before another try.
        """
        super().__init__()
        self._file = data_root / OBSERVER_PAGE
        self._data_root = data_root
        self._wanted_port = port
        self._describers = describers
        self._limits = limits
        self._loop = LoopThread("observer", self)
        self._exchange = Exchange(self)
        self._spent = Spent()
        self._server: ObserverServer | None = None
        self._token = ""
        self._port = 0
        self._trouble = ""
        self._again: Timer | None = None
        """Timer until the next try."""

    def on_start(self) -> None:
        """Follow the usage of calls, start the loop, and listen."""
        self.follow(SPENT)
        self._token = self.new_token()
        self._loop.start()
        self._listen()

    def handle(
        self,
        message: Listening
        | ListenOnceMore
        | CallSpent
        | SelfDescription
        | MemoryExplained
        | UsageRead
        | RemindersListed
        | Refused
        | DescribeYourself,
    ) -> None:
        """Pass an answer on to the waiting page, or note the result of listening."""
        match message:
            case SelfDescription() | MemoryExplained() | RemindersListed() | UsageRead() | Refused():
                pass  # An answer behind its deadline.
            case Listening(port=port, trouble=trouble):
                self._note(port, trouble)
            case CallSpent():
                self._loop.call(self._spent.take, message)
            case ListenOnceMore():
                self._listen()
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Take the address away, and close everything; the next life tries again by itself."""
        if self._again is not None:
            self._again.cancel()
        with self.blocking():
            try:
                self._file.unlink(missing_ok=True)
            except OSError as error:
                log.warning("observer: %s cannot be removed: %s", OBSERVER_PAGE, error.strerror)
            last = None if self._server is None else self._server.stop()
            self._loop.end(last, CLOSE_S, "the observer's connections were not closed in time")

    def _listen(self) -> None:
        system = self.mailbox.system
        watch = Watch(system, self._exchange, lambda: self._describers)
        place = Place(self._wanted_port, self._token, self._data_root)
        self._server = ObserverServer(place, self._exchange, watch, self._spent, self._limits)

        def tell(started: Future[int]) -> None:
            if started.cancelled():
                return
            error = started.exception()
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            self.tell(self.address, Listening(port=0, trouble=reason) if error else Listening(port=started.result()))

        self._loop.submit(self._start(self._server)).add_done_callback(tell)

    async def _start(self, server: ObserverServer) -> int:
        return await server.start()

    def _note(self, port: int, trouble: str) -> None:
        self._port = port
        if trouble:
            if not self._trouble:
                log.error("observer on 127.0.0.1:%d: %s; it is tried again", self._wanted_port, trouble)
            self._trouble = trouble
            self._again = self.after(self._limits.again_s, ListenOnceMore())
            return
        address = f"http://127.0.0.1:{port}/?token={self._token}"
        try:
            with self.blocking():
                put_secret(self._data_root, OBSERVER_PAGE, json.dumps({"url": address}), is_durable=False)
        except OSError as error:
            if not self._trouble.startswith(OBSERVER_PAGE):
                log.error("observer: %s cannot be written, which is tried again: %s", OBSERVER_PAGE, error.strerror)
            self._trouble = f"{OBSERVER_PAGE} cannot be written: {error.strerror}"
            self._again = self.after(self._limits.again_s, Listening(port=port))
            return
        self._trouble = ""
        log.info("observer on http://127.0.0.1:%d", port)

    def _description(self, message: DescribeYourself) -> SelfDescription:
        state = "in trouble" if self._trouble else "listening" if self._port else "starting"
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", state),),
            operator_figures=(("port", self._port), ("trouble", self._trouble or "none"), ("address", str(self._file))),
        )


make_ready(__name__)
