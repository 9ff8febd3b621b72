"""An McpActor on a system of real threads, with a real shell that starts its servers in sandboxes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.mcp.actor import McpActor
from actors.mcp.config import McpConfig, ServerConfig
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from messages.base import CONTEXT_KIND, Message, RequestId, Surface, TurnId, Window
from messages.shell import SHELL
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import AskerTold, TellAsker
from messages.web import MCP, CallTool, ServerAnswered
from tests.patience import PATIENCE_S

HERE = Path(__file__).parent
SMALL = ("python3", str(HERE / "small_server.py"))


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


def small(name: str = "small", **more: Any) -> ServerConfig:
    """The small server."""
    usual: dict[str, Any] = {"name": name, "command": SMALL, "reads": (str(HERE),), "timeout_s": PATIENCE_S}
    return ServerConfig(**usual | more)


class PlacedWindow(Actor):
    """Window with fixed channel tables."""

    def __init__(self, tables: tuple[str, ...]) -> None:
        super().__init__()
        self._tables = tables

    def handle(self, message: TellAsker) -> None:
        told = AskerTold(request_id=message.request_id, turn_id=TurnId("t"), tables=self._tables)
        self.tell(message.reply_to, told)


class Bench:
    """Asks an McpActor and collects its answers."""

    def __init__(
        self,
        root: Path,
        *servers: ServerConfig,
        sandbox: str = "auto",
        places: Mapping[str, tuple[str, ...]] | None = None,
        **settings: Any,
    ) -> None:
        """A bench.

        Args:
            root: Data root.
            servers: The servers; the small one if empty.
            sandbox: As of the settings.
            places: Window id -> channel tables that hold there.
            settings: Further fields of McpConfig.
        """
        known = servers or (small(),)
        config = McpConfig(servers={each.name: each for each in known}, **{"start_s": PATIENCE_S} | settings)
        shell = ShellConfig(work_root=root / "work", data_root=root / "data", sandbox=sandbox)
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec(SHELL.kind, lambda _key: ShellActor(shell), core=True))
        self.system.register(ActorSpec(MCP.kind, lambda _key: McpActor(config)))
        tables = places or {}
        self.system.register(ActorSpec(CONTEXT_KIND, lambda key: PlacedWindow(tables.get(Window.from_key(key).id, ()))))
        self.system.start()
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def ask(self, kind: type[Message], *, of: Window | None = None, **fields: Any) -> RequestId:
        request_id = next(self._ids)
        message = kind(request_id=request_id, reply_to=self.edge.address, window=of or window(), **fields)
        self.system.tell(MCP, message)
        return request_id

    def reply(self, request_id: RequestId) -> Any:
        return self.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)

    def get(self, kind: type[Message], **fields: Any) -> Any:
        return self.reply(self.ask(kind, **fields))

    def call(self, tool: str, arguments: str = "{}", *, server: str = "small", of: Window | None = None) -> str:
        """Texts of an answer."""
        answer = self.get(CallTool, server=server, tool=tool, arguments=arguments, of=of)
        assert isinstance(answer, ServerAnswered), answer
        return "\n".join(part.text for part in answer.parts)

    def refusal(self, kind: type[Message], **fields: Any) -> str:
        answer = self.get(kind, **fields)
        assert isinstance(answer, Refused), answer
        return answer.reason

    def figures(self) -> dict[str, Any]:
        """Description of the actor."""
        request_id = next(self._ids)
        self.system.tell(MCP, DescribeYourself(request_id=request_id, reply_to=self.edge.address))
        told = self.reply(request_id)
        assert isinstance(told, SelfDescription)
        return dict(told.figures + told.operator_figures)
