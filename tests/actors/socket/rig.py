"""A socket actor with an owner of two verbs behind it, and clients that speak to it as scripts do."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actors.kernel import Actor, ActorSpec, ActorSystem, Clock
from actors.part import Verb
from actors.socket.actor import SocketActor, SocketConfig
from messages.base import Address, Message, RequestId, Surface, Window
from messages.socket import DoorOpen, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription
from tests.patience import PATIENCE_S

SOCKET = Address("socket")
OWNER = Address("owner")
MUTE = Address("mute")
ALICE = Window(surface=Surface.DISCORD_CHANNEL, id="100000000000000001")
BOB = Window(surface=Surface.DISCORD_THREAD, id="100000000000000002")


class Look(Message, frozen=True, kw_only=True, gc=False):
    """Look something up for a window."""

    request_id: RequestId
    reply_to: Address
    window: Window
    query: str
    limit: int = 10


class Seen(Message, frozen=True, kw_only=True, gc=False):
    request_id: RequestId
    window: str
    query: str
    items: tuple[str, ...] = ()


class LookAnywhere(Message, frozen=True, kw_only=True, gc=False):
    """Look something up in one window or in all."""

    request_id: RequestId
    reply_to: Address
    window: Window | None = None


class OwnerActor(Actor):
    """Answers at once; the query `refuse` is refused, `big` gets an answer that is too long, `hold` waits for `go`."""

    def on_start(self) -> None:
        self._held: list[Look] = []

    def handle(self, message: Look | LookAnywhere | DescribeYourself) -> None:
        match message:
            case Look(query="refuse"):
                self.tell(message.reply_to, Refused(request_id=message.request_id, reason="no: 'refuse' is refused"))
            case Look(query="hold"):
                self._held.append(message)
            case Look(query="go"):
                for held in (*self._held, message):
                    self._see(held)
                self._held.clear()
            case Look():
                self._see(message)
            case LookAnywhere():
                place = message.window.address.key if message.window else "everywhere"
                self.tell(message.reply_to, Seen(request_id=message.request_id, window=place, query=""))
            case DescribeYourself():
                figures, private = (("rows", 3),), (("held", len(self._held)),)
                about = SelfDescription(
                    request_id=message.request_id, about="owner", figures=figures, operator_figures=private
                )
                self.tell(message.reply_to, about)

    def _see(self, look: Look) -> None:
        items = ("x" * 1_000_000,) * 9 if look.query == "big" else ("one", "two")[: look.limit]
        answer = Seen(request_id=look.request_id, window=look.window.address.key, query=look.query, items=items)
        self.tell(look.reply_to, answer)


class MuteActor(Actor):
    """Hears everything and answers nothing."""

    def handle(self, message: Message) -> None:
        pass


class WindowOwnerActor(Actor):
    """One of several: says which it is."""

    def handle(self, message: Look) -> None:
        self.tell(message.reply_to, Seen(request_id=message.request_id, window=self.address.key, query=message.query))


def own_of(window: Window) -> Address:
    """Who looks things up for one window alone."""
    return Address("own", window.address.key)


VERBS = {"look": Verb(OWNER, Look), "silence": Verb(MUTE, Look)}
OF_WINDOWS = {"own": Verb(own_of, Look)}
OPERATOR_VERBS = {
    "look": Verb(OWNER, Look),
    "silence": Verb(MUTE, Look, answer_s=0.05),
    "anywhere": Verb(OWNER, LookAnywhere),
}


class Rig:
    """The system, running, with its sockets below `root`."""

    def __init__(self, root: Path, *, clock: Clock | None = None, **options: Any) -> None:
        self.root = root
        self.folder = root / "sockets"
        self.system = ActorSystem(workers=2, clock=clock)
        self.edge = self.system.edge("test")

        def build(_key: str) -> SocketActor:
            operator = {"operator_path": root / "agent.sock", "operator_verbs": OPERATOR_VERBS}
            return SocketActor(SocketConfig(**{"folder": self.folder, "verbs": VERBS, **operator, **options}))

        self.system.register(ActorSpec("socket", build, core=True))
        self.system.register(ActorSpec("owner", lambda _key: OwnerActor(), core=True))
        self.system.register(ActorSpec("own", lambda _key: WindowOwnerActor()))
        self.system.register(ActorSpec("mute", lambda _key: MuteActor(), core=True))
        self.system.start()

    def ask_for_door(self, window: Window = ALICE, *, is_lane: bool = False) -> Message:
        request_id = RequestId(self.system.new_id())
        question = OpenDoor(request_id=request_id, reply_to=self.edge.address, window=window, is_lane=is_lane)
        self.system.tell(SOCKET, question)
        return self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", "") == request_id)

    def door(self, window: Window = ALICE, *, is_lane: bool = False) -> Path:
        answer = self.ask_for_door(window, is_lane=is_lane)
        assert isinstance(answer, DoorOpen)
        return Path(answer.path)

    def client(self, window: Window = ALICE) -> Client:
        return Client(self.door(window))

    def operator(self) -> Client:
        return Client(self.root / "agent.sock", key=(self.root / "agent.key").read_text())


class Client:
    """One connection."""

    def __init__(self, path: Path, key: str = "") -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(str(path))
        self._lines = self.socket.makefile("rb")
        self._key = {"key": key} if key else {}

    def ask(self, verb: str, arguments: Mapping[str, object] | None = None, name: object = 1) -> dict[str, Any]:
        self.send(verb, arguments, name)
        return self.answer()

    def send(self, verb: str, arguments: Mapping[str, object] | None = None, name: object = 1) -> None:
        request = {"id": name, "verb": verb, "arguments": dict(arguments or {}), **self._key}
        self.raw(json.dumps(request).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(self) -> dict[str, Any]:
        line = self._lines.readline()
        assert line.endswith(b"\n"), f"the connection ended: {line!r}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def is_ended(self) -> bool:
        try:
            return self._lines.read(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self._lines.close()
        self.socket.close()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208
