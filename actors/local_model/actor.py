"""LocalModelActor: owns the server of a language model on this machine, a child process."""

from __future__ import annotations

import logging

from actors.kernel import Actor, LoopThread, not_understood
from actors.local_model.checks import NOT_INSTALLED
from actors.local_model.config import LocalModelConfig
from actors.local_model.engine import Engine, NotStartedError
from actors.local_model.store import ModelFileError, Store
from messages.model import (
    EngineNotStarted,
    EngineStarted,
    LocalModelFailed,
    LocalModelMessage,
    LocalModelReady,
    LocalModelRefused,
    OpenLocalModel,
)

log = logging.getLogger(__name__)

CLOSE_S = 5.0


class LocalModelActor(Actor):
    """Owner of the server of a local model: started at the first request, ended with this actor.

    Owns: the child process, its key, and the loop that watches the process.
    Asks: the server, for its health.
    Crashes on: the end of a started server, and a server without answers to health checks. Waiting callers get the
    reason; the next life starts the server at the next request.
    """

    def __init__(self, name: str, config: LocalModelConfig, store: Store, engine: Engine | None = None) -> None:
        """Begin without a server.

        Args:
            name: Name of the model, without `local/`, or the path of its file.
            config: Size of the server.
            store: Files of models.
            engine: Runs the server; None for the usual engine.
        """
        super().__init__()
        self._name = name
        self._config = config
        self._store = store
        self._engine = engine or Engine(health_s=config.health_s)
        self._loop = LoopThread("local-model", self)
        self._waiting: list[OpenLocalModel] = []
        self._address = ""
        self._key = ""

    def on_start(self) -> None:
        """Start the loop."""
        self._loop.start()

    def handle(self, message: LocalModelMessage) -> None:
        """Answer a caller, or pass on the server's state."""
        match message:
            case OpenLocalModel():
                self._open(message)
            case EngineStarted(address=address):
                self._address = address
                for request in self._take_waiting():
                    self._tell_ready(request)
            case EngineNotStarted(reason=reason, may_pass=may_pass):
                self._tell_all(reason, may_pass=may_pass)
            case _:
                not_understood(message)

    def on_stop(self) -> None:
        """End the server and tell waiting callers."""
        self._tell_all("its server restarts", may_pass=True)
        with self.blocking():
            self._loop.stop(CLOSE_S)

    def _open(self, request: OpenLocalModel) -> None:
        if self._address:
            self._tell_ready(request)
            return
        self._waiting.append(request)
        if len(self._waiting) > 1:
            return
        try:
            with self.blocking():
                file = self._store.find(self._name)
        except ModelFileError as error:
            self._tell_all(str(error), may_pass=False)
            return
        self._key = self.new_token() + self.new_token()
        self.in_progress = True
        log.info("local model %s is loaded", self._name)
        self._loop.submit(self._run(self._config.order(file, self._key)))

    async def _run(self, order: dict[str, object]) -> None:
        try:
            await self._engine.run(
                order,
                self._config.start_timeout_s,
                lambda address: self.tell(self.address, EngineStarted(address=address)),
            )
        except NotStartedError as error:
            reason = f"local/{self._name}: {error}"
            if error.is_missing:
                reason = f"local/{self._name} {NOT_INSTALLED}"
            self.tell(self.address, EngineNotStarted(reason=reason, may_pass=error.may_pass))
        except Exception as error:  # noqa: BLE001 - whatever ended the server ends this life
            self.fail(error)

    def _take_waiting(self) -> list[OpenLocalModel]:
        waiting, self._waiting, self.in_progress = self._waiting, [], False
        return waiting

    def _tell_ready(self, request: OpenLocalModel) -> None:
        ready = LocalModelReady(request_id=request.request_id, address=self._address, key=self._key)
        self.tell(request.reply_to, ready)

    def _tell_all(self, reason: str, *, may_pass: bool) -> None:
        for request in self._take_waiting():
            if may_pass:
                self.tell(request.reply_to, LocalModelFailed(request_id=request.request_id, reason=reason))
            else:
                self.tell(request.reply_to, LocalModelRefused(request_id=request.request_id, reason=reason))
