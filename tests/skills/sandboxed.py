"""Scripts of skills as the agent's tool runs them: through bash, with the socket of a window whose actor is a fake."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.part import Verb
from actors.socket.actor import SocketActor, SocketConfig
from messages.base import Address, Message, RequestId, Surface, Window
from messages.socket import DoorOpen, OpenDoor
from tests.patience import PATIENCE_S

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="100000000000000001")


def door_to(build: Callable[[], Actor], verb: str, message: type[Message]) -> AbstractContextManager[Path]:
    """The socket of `WINDOW` at which `verb` asks an actor that `build` makes."""
    return door_with(build, {verb: message})


@contextmanager
def door_with(build: Callable[[], Actor], messages: Mapping[str, type[Message]]) -> Iterator[Path]:
    """The same for several verbs."""
    address = Address("asked")
    with TemporaryDirectory(prefix="s-") as folder:
        system = ActorSystem(workers=2)
        config = SocketConfig(folder=Path(folder), verbs={verb: Verb(address, each) for verb, each in messages.items()})
        system.register(ActorSpec("socket", lambda _key: SocketActor(config), core=True))
        system.register(ActorSpec(address.kind, lambda _key: build(), core=True))
        system.start()
        try:
            edge = system.edge("test")
            system.tell(Address("socket"), OpenDoor(request_id=RequestId("r"), reply_to=edge.address, window=WINDOW))
            opened = edge.receive()
            assert isinstance(opened, DoorOpen)
            yield Path(opened.path)
        finally:
            system.stop()


def run_script(
    script: Path, command: str, door: Path | None, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Result of `command`, with `script` as `$S`."""
    environment |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "S": str(script)}
    if door is not None:
        environment["AGENT_SOCKET"] = str(door)
    return subprocess.run(
        ["bash", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        cwd=cwd,
    )
