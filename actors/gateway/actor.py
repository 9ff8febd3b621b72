"""GatewayActor: serves HTTP in front of a model's server, and has the facts asked and told."""

from __future__ import annotations

import logging
from collections.abc import Callable

from actors.gateway.config import GatewayConfig
from actors.gateway.metrics import Metrics
from actors.gateway.server import Server
from actors.http_server.exchange import Exchange
from actors.kernel import Actor, LoopThread, not_understood
from messages.facts import EntriesRecalled, GatewayMessage, GatewayUp, ListenAgain, TurnStored
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

CLOSE_S = 3.0
AGAIN_S = 1.0
MOST_AGAIN_S = 60.0
READY_S = 15.0
"""Longest wait for the first word of the memory before clients are served: its trouble keeps no chat from a model."""


class GatewayActor(Actor):
    """Server of `/v1/chat/completions` and all other paths of the model's server.

    Owns: the socket on its address, the connections to the model's server, and the loop of both.
    Asks: the facts, for memories about a question and to keep a turn; an answer waits for neither for long.
    Crashes on: a loop thread that cannot be started, and its own faults; never on a fault of a client or a server. An
    address in use is no crash: it is tried again.
    """

    def __init__(self, config: GatewayConfig, on_up: Callable[[str], None] = lambda _place: None) -> None:
        """Begin without a socket.

        Args:
            config: The operator's decisions.
            on_up: Told the address whenever usable, from another thread.
        """
        super().__init__()
        self._config = config
        self._on_up = on_up
        self._loop = LoopThread("gateway", self)
        self._metrics = Metrics()
        self._exchange = Exchange(self)
        self._server = Server(config, self._exchange, self._metrics)
        self._port = 0
        self._trouble = ""
        self._tries = 0

    def on_start(self) -> None:
        """Start the loop, and listen once the memory is open: earlier words might be kept too late."""
        self._loop.start()
        self.ask(self._config.facts, DescribeYourself, READY_S, lambda _description: self._listen())

    def handle(self, message: GatewayMessage | EntriesRecalled | TurnStored | Refused | DescribeYourself) -> None:
        """Pass an answer on to the waiting request, or note the result of listening."""
        match message:
            case EntriesRecalled() | TurnStored() | Refused():
                pass  # An answer behind its deadline.
            case GatewayUp(port=port, trouble=trouble):
                self._note(port, trouble)
            case ListenAgain():
                self._listen()
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """Let running requests end, and close everything."""
        with self.blocking():
            self._loop.end(self._server.stop(), CLOSE_S, "the gateway's connections were not closed in time")

    def _listen(self) -> None:
        self._loop.submit_answer(self._start(), GatewayUp(port=0, trouble="listening failed inside the gateway"))

    async def _start(self) -> GatewayUp:
        try:
            return GatewayUp(port=await self._server.start())
        except OSError as error:
            return GatewayUp(port=0, trouble=f"it cannot be listened on: {error.strerror or error}")
        except UnicodeError:
            return GatewayUp(port=0, trouble="it is not a host name")

    def _note(self, port: int, trouble: str) -> None:
        address = self._config.address
        place = f"{f'[{address}]' if ':' in address else address}:{port or self._config.port}"
        self._port, self._trouble = port, f"{place}: {trouble}" if trouble else ""
        if not trouble:
            self._tries = 0
            log.info("gateway on http://%s/v1 in front of %s", place, self._config.base_url)
            self._on_up(f"http://{place}/v1")
            return
        self._tries += 1
        wait_s = min(AGAIN_S * 2 ** (self._tries - 1), MOST_AGAIN_S)
        if self._tries == 1:
            log.error("gateway on %s, which is tried again", self._trouble)
        self.after(wait_s, ListenAgain())

    def _description(self, message: DescribeYourself) -> SelfDescription:
        metrics = self._metrics
        return SelfDescription(
            request_id=message.request_id,
            about=self.address.kind,
            figures=(("state", "in trouble" if self._trouble else "listening" if self._port else "starting"),),
            operator_figures=(
                ("address", self._config.address),
                ("port", self._port),
                ("requests", sum(metrics.requests.values())),
                ("in_flight", metrics.in_flight),
                ("recalls_failed", metrics.recalls["failed"] + metrics.recalls["late"]),
                ("trouble", self._trouble or "none"),
            ),
        )
