from __future__ import annotations

import socket

from actors.kernel import ActorSpec, ActorSystem
from lab.playground.actor import PlaygroundActor
from lab.playground.server import PlaygroundServer


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


def test_the_actor_listens_as_long_as_it_lives() -> None:
    server = PlaygroundServer()
    system = ActorSystem()
    system.register(ActorSpec("playground", lambda _: PlaygroundActor(server), core=True))
    system.start()
    port = server.port
    listening = accepts(port)
    system.stop(5.0)

    assert port != 0
    assert (listening, accepts(port)) == (True, False)
