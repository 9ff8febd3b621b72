"""The agent in a process of its own on a loopback Discord; each failure comes with the agent's last words."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from actors.kernel import SystemClock
from lab.bench.process import MeasurementError
from lab.load.agent_process import AgentProcess
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

PATIENCE_S = 600.0
_LOOK_S = 0.02


def discord_table(server: PlaygroundServer, channels: Iterable[int] = (GENERAL_ID,)) -> str:
    """Beginning of the table `discord` of an agent that answers all users in some channels."""
    return (
        f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = {json.dumps([str(each) for each in channels])}\nallowed_users = ["*"]\n'
    )


class LoopbackAgent(AgentProcess):
    """`agent run` as the bot of a playground."""

    def __init__(
        self, folder: Path, server: PlaygroundServer, settings: str, *options: str, **extra_environment: str
    ) -> None:
        """Write the settings, which begin with `discord_table`; no process runs yet."""
        super().__init__(folder, settings, server.bot_token, options, extra_environment=extra_environment)
        self._server = server

    def come_online(self, timeout_s: float = PATIENCE_S) -> None:
        """Start a process, and return when the bot is online.

        Raises:
            MeasurementError: the process ended, or took longer.
        """
        now = SystemClock().monotonic
        ends_s = now() + timeout_s
        self.start()
        while True:
            try:
                self._server.wait_until_online(timeout_s=_LOOK_S)
                return
            except TimeoutError:
                if not self.is_running or now() > ends_s:
                    raise self.error("the agent did not come online") from None

    def ask(self, words: str, channel: int = GENERAL_ID, timeout_s: float = PATIENCE_S) -> None:
        """Say words in a channel, and return when the agent has answered.

        Raises:
            MeasurementError: no answer came in time.
        """
        message_id = self._server.say(channel, words)
        try:
            self._server.wait_for_reply(channel, after=message_id, timeout_s=timeout_s)
        except TimeoutError:
            raise self.error(f"the agent did not answer {words[:60]!r} in {timeout_s:g} s") from None

    def kill(self) -> None:
        """Kill the process alone, without waiting for its end."""
        if self.is_running and self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait_until_gone(self, timeout_s: float = PATIENCE_S) -> None:
        """Return when the ending process is gone, and the bot offline."""
        self.wait(timeout_s)
        self._server.wait_until_online(online=False, timeout_s=timeout_s)

    def error(self, reason: str) -> MeasurementError:
        """Error with a reason and the end of the agent's log."""
        return MeasurementError(f"{reason}; it said:\n{self.complaints().end}")
