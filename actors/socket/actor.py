"""SocketActor: the sockets through which scripts in the sandbox, and the operator's commands, reach the actors."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import msgspec

from actors.kernel import Actor, LoopThread, NotUnderstoodError, Timer, ask_from_loop
from actors.part import Verb
from actors.socket.door import USUAL_PATIENCE, Patience
from actors.socket.doors import Doors, Entrance
from actors.socket.status import Facts, Status
from actors.socket.verb import RequestContext, addressee, help_on, message_of
from actors.socket.wire import Request, RequestError, quote_value
from messages.base import Address, Message, RequestId, Window, has_request_id
from messages.socket import DoorOpen, OpenDoor, Refused, TendDoors
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

ANSWER_S = 60.0
IDLE_S = 900.0
SWEEP_S = 60.0
OPEN_S = 5.0
RETRY_S = 5.0
"""Seconds until another try to make missing sockets."""
HELP = "help"
STATUS = "status"
NOT_IN_LANES = (
    "{verb}: only commands of the conversation's own turns may ask this, and none that is run beside them, "
    "such as a sub-agent's"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketConfig:
    """Configuration of the sockets: the permitted questions by socket."""

    folder: Path | None
    """Folder of windows' sockets, used by the agent alone; None for a temporary folder."""
    verbs: Mapping[str, Verb]
    """Verbs for windows; a message with a field `window` gets the socket's window."""
    operator_path: Path | None = None
    """Path of the operator's socket; None for no operator's socket."""
    operator_verbs: Mapping[str, Verb] = field(default_factory=dict)
    """Verbs for the operator, besides `help` and `status`."""
    describers: tuple[Address, ...] = ()
    """Actors that answer `DescribeYourself`."""
    system_facts: Callable[[], Facts] = dict
    """The kernel's figures; called on the loop's thread."""
    answer_s: float = ANSWER_S
    """Longest wait for an answer."""
    idle_s: float = IDLE_S
    """A door unused for so long is closed; must be longer than any command may run."""
    open_files: int | None = None
    """Limit of the process's descriptors, shared with the sockets; None to ask the kernel."""
    patience: Patience = USUAL_PATIENCE
    """Patience with clients."""


class SocketActor(Actor):
    """Owner of the control sockets: one for each window with commands, one for the window's lanes, and the operator's.

    Owns: the sockets, their folder, the operator's key.
    Asks: for each request, the actor named by its verb; for `status`, every actor that describes itself.
    Crashes on: its own faults; never on a client, nor on a full or unwritable disk: then the sockets wait until the
    disk recovers. A crash cuts all connections; windows get new sockets with their next commands.
    """

    def __init__(self, config: SocketConfig) -> None:
        """Open no socket yet.

        Args:
            config: Allowed questions at each socket.

        Raises:
            ValueError: a verb has the name of one of the actor's own.
        """
        super().__init__()
        for name in (HELP, STATUS):
            if name in config.verbs or name in config.operator_verbs:
                raise ValueError(f"verb {name!r}: is the socket actor's own")
        self._config = config
        self._key = ""
        self._loop = LoopThread("socket", self)
        self._doors: Doors | None = None
        self._trouble: str | None = "not tried yet"
        """Reason for the absence of the operator's socket and the sockets' folder; None when present."""
        self._tending: Timer | None = None

    def on_start(self) -> None:
        """Start the loop and open the operator's door."""
        self._status = Status(self, self._config.describers, self._config.system_facts)
        self._doors = Doors(self._config.folder, self.monotonic, self._config.open_files, self._config.patience)
        self._loop.start()
        self._tend()

    def handle(self, message: Message) -> None:
        """Open a socket, or hand another actor's answer to the waiting client."""
        match message:
            case OpenDoor() if self._trouble is not None:
                reason = f"the control sockets cannot be made: {self._trouble}"
                self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))
            case OpenDoor():
                self._loop.submit(self._open(message))
            case TendDoors():
                self._tend()
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case _ if has_request_id(message):
                log.info("%s came after its deadline", type(message).__name__)
            case _:
                raise NotUnderstoodError(message)

    def on_stop(self) -> None:
        """Cut all connections and leave no socket."""
        doors, self._doors = self._doors, None
        if self._tending is not None:
            self._tending.cancel()
        if doors is not None:
            with self.blocking():
                self._close(doors)
                self._loop.stop()

    def _tend(self) -> None:
        """Close idle sockets; make sockets that could not be made before."""
        if self._trouble is not None:
            with self.blocking():
                self._prepare()
        else:
            self._loop.call(self._ready.close_idle, self._config.idle_s)
        if self._tending is not None:
            self._tending.cancel()
        self._tending = self.after(SWEEP_S if self._trouble is None else RETRY_S, TendDoors())

    def _prepare(self) -> None:
        before = self._trouble
        try:
            self._ready.prepare()
            if self._config.operator_path is not None:
                failure = self._loop.submit(self._open_operator(self._config.operator_path)).result(OPEN_S)
                if failure is not None:
                    raise failure
        except TimeoutError:  # an OSError, too, and no disk's: the loop hangs
            raise
        except OSError as error:
            self._trouble = error.strerror or str(error)
            if self._trouble != before:
                log.warning("the control sockets cannot be made, which is tried again: %s", self._trouble)
        else:
            self._trouble = None

    @property
    def _ready(self) -> Doors:
        if self._doors is None:
            raise RuntimeError("the socket actor has not started")
        return self._doors

    # on the loop's thread

    async def _open_operator(self, path: Path) -> OSError | None:
        """Open the operator's socket; return the reason for a failure, no fault of the loop's."""
        try:
            self._key = self._ready.open_operator(path, self._carry_out_operator)
        except OSError as error:
            return error
        return None

    async def _open(self, message: OpenDoor) -> None:
        entrance = Entrance(message.window, message.is_lane)

        async def carry_out(request: Request) -> object:
            return await self._carry_out(request, entrance)

        try:
            path = self._ready.open(entrance, carry_out)
        except OSError as error:
            reason = f"the control socket of {message.window.address.key} cannot be opened: {error.strerror or error}"
            log.warning("%s", reason)
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason=reason))
        else:
            answer = DoorOpen(request_id=message.request_id, path=str(path), open_s=self._config.idle_s)
            self.tell(message.reply_to, answer)

    async def _carry_out(self, request: Request, entrance: Entrance) -> object:
        self._ready.used(entrance)
        verbs = self._config.verbs
        if entrance.is_lane:
            if request.verb in verbs and not verbs[request.verb].in_lanes:
                raise RequestError(NOT_IN_LANES.format(verb=request.verb))
            verbs = {name: verb for name, verb in verbs.items() if verb.in_lanes}
        if request.verb == HELP:
            return help_on(verbs, operator=False)
        return await self._pass_on(verbs, request, entrance.window)

    async def _carry_out_operator(self, request: Request) -> object:
        if not hmac.compare_digest(request.key.encode("utf-8", "replace"), self._key.encode("ascii")):
            raise RequestError("key: must be what the file agent.key in the data root holds", request.id)
        if request.verb == HELP:
            return help_on(self._config.operator_verbs, operator=True)
        if request.verb == STATUS:
            return await self._status.report()
        return await self._pass_on(self._config.operator_verbs, request, None)

    async def _pass_on(self, verbs: Mapping[str, Verb], request: Request, window: Window | None) -> object:
        name = request.verb
        verb = verbs.get(name) or _refuse_verb(name, verbs)

        message = message_of(
            verb, name, request.arguments, RequestContext(RequestId(self.new_id()), self.address, window)
        )
        answer_s = self._config.answer_s if verb.answer_s is None else verb.answer_s
        try:
            answer = await ask_from_loop(self, addressee(verb, message), lambda **_: message, answer_s)
        except TimeoutError:
            raise RequestError(f"{name} was not answered within {answer_s:g} s; it may still be done") from None
        if isinstance(answer, Refused):
            raise RequestError(answer.reason)
        return _result(answer)

    def _close(self, doors: Doors) -> None:
        async def close() -> None:
            doors.close()

        try:
            self._loop.submit(close()).result(OPEN_S)
        except (TimeoutError, CancelledError):
            log.warning("the control sockets could not be closed within %g s", OPEN_S)

    def _description(self, request_id: RequestId) -> SelfDescription:
        doors = self._ready
        figures = (
            ("doors", len(doors)),
            ("requests", doors.tally.requests),
            ("faults", doors.tally.faults),
            ("strangers", doors.tally.strangers),
        )
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures)


def _refuse_verb(name: str, verbs: Mapping[str, Verb]) -> NoReturn:
    raise RequestError(f"verb {quote_value(name)}: is not one of {', '.join((HELP, *sorted(verbs)))}")


def _result(answer: Message) -> dict[str, object]:
    """Fields of the answer, without the id of the request."""
    fields: dict[str, object] = msgspec.to_builtins(answer)
    return {name: value for name, value in fields.items() if name not in ("request_id", "type")}
