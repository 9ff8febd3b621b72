"""PlaygroundActor: a loopback Discord and its page, for as long as the actor lives."""

from __future__ import annotations

from actors.kernel import Actor
from lab.playground.server import PlaygroundServer


class PlaygroundActor(Actor):
    """Keeps a playground listening.

    Owns: the server's port and thread.
    Asks: nobody, and nobody asks it: the bot talks to it as to Discord, people through the page.
    Crashes on: a port that is taken. The server outlives a restart with its channels and messages.
    """

    def __init__(self, server: PlaygroundServer) -> None:
        super().__init__()
        self._server = server

    def on_start(self) -> None:
        """Listen."""
        with self.blocking():
            self._server.start()

    def on_stop(self) -> None:
        """Close every connection."""
        with self.blocking():
            self._server.stop()
