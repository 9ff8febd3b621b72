"""The whole agent on a loopback Discord: in this process to look into it, or in one of its own to kill it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest

from actors.bootstrap import Agent
from actors.cli.try_it import playground_connection
from actors.context.log.file import check_file
from actors.part import Layer
from actors.parts import LAYERS
from actors.settings.load import load
from domain.log.event import Event, Kind
from domain.log.parser import parse
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID
from tests.actors.cli.command import CHECKOUT as CHECKOUT
from tests.actors.cli.command import open_command
from tests.patience import PATIENCE_S

ONLINE_S = PATIENCE_S / 2
"""Until an agent is online; what tests wait for besides, and its end, are to fit into pytest's own timeout."""


class Stage:
    """A playground, and the agent in this process."""

    def __init__(
        self,
        server: PlaygroundServer,
        data: Path,
        secrets: Mapping[str, str] | None = None,
        layers: tuple[Layer, ...] = LAYERS,
        channels: tuple[int, ...] = (GENERAL_ID,),
        online_s: float = ONLINE_S,
        **given: object,
    ) -> None:
        self.server = server
        self.data = data
        tables = {layer.name: layer.table for layer in layers}
        settings = load(environ={}, folder=data.parent, overrides={"data_root": str(data), **given}, tables=tables)
        self.online = threading.Event()
        self.agent = Agent(
            settings,
            secrets or {},
            replace(playground_connection(server), channels=tuple(map(str, channels))),
            lambda _name: self.online.set(),
            layers,
        )
        self.agent.start()
        if not self.online.wait(online_s):
            self.agent.stop()  # or its threads stay, and fail other tests
            pytest.fail(f"the agent did not come online within {online_s:g} s: {self.agent.reason or 'no reason'}")

    def ask(self, text: str, channel: int = GENERAL_ID, timeout_s: float = PATIENCE_S) -> str:
        """Say `text` and give the bot's first answer."""
        said = self.server.say(channel, text)
        return str(self.server.wait_for_reply(channel, after=said, timeout_s=timeout_s)["content"])

    def stop(self) -> None:
        """End the agent in good order."""
        self.agent.stop()


class Process:
    """The agent in a process of its own, as `agent run` starts it."""

    def __init__(
        self, server: PlaygroundServer, data: Path, *, model: str = "offline", api_base: str = "", more: str = ""
    ) -> None:
        self.server = server
        self.data = data
        self._config = data.parent / "agent.toml"
        self._config.write_text(
            f'data_root = "{data}"\n'
            f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
            f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n'
            f'[model]\nname = "{model}"\napi_base = "{api_base}"\n{more}'
        )
        self.process: subprocess.Popen[Any] | None = None

    def start(self, *options: str, stderr: int | IO[bytes] | None = None) -> None:
        """Start it and wait until it is online.

        Args:
            options: Of `agent run`.
            stderr: Destination of its errors, as of `subprocess`.
        """
        environment = {**os.environ, "DISCORD_BOT_TOKEN": self.server.bot_token, "PYTHONPATH": str(CHECKOUT)}
        self.process = open_command(
            "agent",
            "run",
            "--config",
            str(self._config),
            *options,
            env=environment,
            cwd=self.data.parent,
            stderr=stderr,
        )
        self.server.wait_until_online(timeout_s=PATIENCE_S)

    @property
    def pid(self) -> int:
        """Process id of the running agent."""
        assert self.process is not None
        return int(self.process.pid)

    @property
    def is_running(self) -> bool:
        """True if the agent has not ended by itself."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """End it without a word."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        self.process = None
        self.server.wait_until_online(online=False, timeout_s=PATIENCE_S)

    def terminate(self) -> int:
        """End it in good order; its exit code."""
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code


def bot_texts(server: PlaygroundServer, channel: int = GENERAL_ID) -> list[str]:
    """Texts of the bot in a channel, oldest first."""
    return [str(message["content"]) for message in server.messages(channel) if is_bot(message)]


def is_bot(message: dict[str, Any]) -> bool:
    """True if the bot wrote the message."""
    return str(message["author"]["id"]) == str(BOT_ID)


def events(data: Path, surface: str, window: int) -> list[Event]:
    """Events of a window's logs, each of which is checked."""
    found: list[Event] = []
    for path in sorted((data / "logs" / surface / str(window)).glob("*.md")):
        assert check_file(path) == (), path
        found += [logged.event for logged in parse(path.read_bytes()).events]
    return found


def of_kind(found: list[Event], kind: Kind) -> list[str]:
    """The contents of the events of one kind."""
    return [event.content for event in found if event.kind is kind]


def say(stage: Stage, word: str, window: int = GENERAL_ID) -> int:
    """Ask for an answer that shows `word`."""
    return stage.server.say(window, f"run: echo {word}")


def shows(word: str, message: dict[str, Any]) -> bool:
    """True if a message shows `word` as a command's output."""
    return f"\n{word}" in str(message["content"])


def answered_once(stage: Stage, *words: str, window: int = GENERAL_ID) -> None:
    """Every one of `words` that were asked for was logged once and answered once, in this order."""
    server = stage.server
    for word in words:
        server.wait_for_reply(window, after=0, timeout_s=PATIENCE_S, until=partial(shows, word))
    shown = bot_texts(server, window)
    surface = "discord-channel" if window == GENERAL_ID else "discord-thread"
    logged = of_kind(events(stage.data, surface, window), Kind.USER)
    for word in words:
        assert sum(f"\n{word}" in text for text in shown) == 1, shown
        assert logged.count(f"run: echo {word}") == 1
    places = [next(place for place, text in enumerate(shown) if f"\n{word}" in text) for word in words]
    assert places == sorted(places), shown
