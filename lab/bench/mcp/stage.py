"""The agent's actors for servers of the protocol, with real sandboxes and sockets, and doubles for all other actors."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from actors.bootstrap import agent_plan, discord_connection
from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.part import SHIPPED_SKILLS
from actors.parts import LAYERS, parts, settings_tables
from actors.settings.load import load
from messages.base import CONTEXT_KIND, Message, MessageId, RequestId, Surface, TurnId, UserId, Window, request_id_of
from messages.socket import SOCKET, DoorOpen, OpenDoor
from messages.turn import AskerTold, TellAsker
from messages.web import (
    MCP,
    AnswerPart,
    CallTool,
    DescribeServer,
    GetPrompt,
    ListPrompts,
    ListResources,
    ListTools,
    McpReply,
    ReadResource,
    ServerAnswered,
)

ALMANAC = SHIPPED_SKILLS / "mcp" / "samples" / "almanac.py"
FRIENDLY: Mapping[str, object] = {"command": ["python3", "-I", str(ALMANAC)], "read": [str(ALMANAC.parent)]}
"""Settings of the sample server."""
SUM = '{"expression": "6 * 7"}'
REAL = ("mcp", "shell", "socket", "skills")
STOP_S = 30.0
PATIENCE_S = 120.0


def window_of(number: int) -> Window:
    """Window with a number, a thread of its own."""
    return Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_300_000 + number))


class McpStage:
    """Agent with servers; a context manager."""

    def __init__(
        self,
        root: Path,
        servers: Mapping[str, Mapping[str, object]],
        secrets: Mapping[str, str] | None = None,
        **further: object,
    ) -> None:
        """Start the actors; a server is started by its first call.

        Args:
            root: Empty folder for all files of the agent.
            servers: Name -> settings of the server.
            secrets: Secrets of the operator.
            given: Further settings, by dotted key.
        """
        self.root = root
        usual: dict[str, object] = {
            "data_root": str(root / "data"),
            "skills.folders": [],
            "discord.allowed_users": ["*"],
            "mcp.servers": {name: dict(each) for name, each in servers.items()},
        }
        settings = load(environ={}, folder=root, overrides={**usual, **further}, tables=settings_tables(LAYERS))
        self.system = ActorSystem(workers=2)
        connection = replace(discord_connection(settings, "none"), channels=("1",))
        plan = agent_plan(settings, dict(secrets or {}), self.system, connection)
        for spec in parts(plan).specs():
            if spec.kind in REAL:
                self.system.register(spec)
            elif spec.kind == CONTEXT_KIND:
                self.system.register(ActorSpec(spec.kind, lambda _key: WindowDouble()))
            else:
                self.system.register(ActorSpec(spec.kind, lambda _key: Silent()))
        self.system.start()
        self._edges = (self.system.edge(f"bench-{number}") for number in itertools.count())
        self._ids = (RequestId(f"bench-{number}") for number in itertools.count())
        self._doors: dict[int, str] = {}

    def ask(self, make: type[Message], window: int = 0, patience_s: float = PATIENCE_S, **fields: Any) -> McpReply:
        """Reply to a request; any thread may ask.

        Args:
            make: Class of the request.
            window: Number of the asking window.
            patience_s: Longest wait.
            fields: Fields of the request, without its ids.
        """
        edge, request_id = next(self._edges), next(self._ids)
        make_request: Any = make
        request = make_request(request_id=request_id, reply_to=edge.address, window=window_of(window), **fields)
        self.system.tell(MCP, request)
        reply: Any = edge.receive(patience_s, lambda message: request_id_of(message) == request_id)
        answer: McpReply = reply
        return answer

    def call(self, server: str, tool: str = "act", arguments: str = "{}", window: int = 0) -> McpReply:
        """Reply to a call of a tool."""
        return self.ask(CallTool, window, server=server, tool=tool, arguments=arguments)

    def add(self, window: int = 0, server: str = "friendly") -> float:
        """Have the sample server calculate; return the seconds taken.

        Raises:
            AssertionError: the answer is wrong.
        """
        began = time.perf_counter()
        reply = self.call(server, "calculate", SUM, window)
        if not isinstance(reply, ServerAnswered) or "42" not in text_of(reply.parts):
            raise AssertionError(f"the sample server answered {reply!r}")
        return time.perf_counter() - began

    def do(self, words: tuple[str, ...], server: str, window: int = 0) -> McpReply:
        """Reply to the request of the skill's command; `hostile` stands for the server."""
        match words:
            case ("list", *rest):
                return self.ask(ListTools, window, words=" ".join(rest))
            case ("describe", _, tool):
                return self.ask(DescribeServer, window, server=server, tool=tool)
            case ("resources",):
                return self.ask(ListResources, window, server=server)
            case ("prompts",):
                return self.ask(ListPrompts, window, server=server)
            case ("read", uri):
                return self.ask(ReadResource, window, server=server, uri=uri)
            case ("prompt", name):
                return self.ask(GetPrompt, window, server=server, name=name)
            case _:
                return self.call(server, window=window)

    def door(self, window: int = 0) -> str:
        """Path of a window's control socket."""
        if window not in self._doors:
            edge = next(self._edges)
            request_id = next(self._ids)
            opening = OpenDoor(request_id=request_id, reply_to=edge.address, window=window_of(window))
            self.system.tell(SOCKET, opening)
            opened = edge.receive(PATIENCE_S)
            assert isinstance(opened, DoorOpen)
            self._doors[window] = opened.path
        return self._doors[window]

    def stop(self) -> None:
        """End the agent."""
        self.system.stop(STOP_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


class WindowDouble(Actor):
    """Window with a member's turn under way."""

    def handle(self, message: Message) -> None:
        """Name the asker."""
        if isinstance(message, TellAsker):
            reply = AskerTold(
                request_id=message.request_id,
                turn_id=TurnId("01J00000000000000000000000"),
                asked_by=UserId("910000000000000021"),
                message_id=MessageId("910000000000000099"),
            )
            self.tell(message.reply_to, reply)


class Silent(Actor):
    """Absent actor."""

    def handle(self, message: Message) -> None:
        """Ignore a message."""


def text_of(parts: tuple[AnswerPart, ...]) -> str:
    """Texts of an answer."""
    return "\n".join(part.text for part in parts)
