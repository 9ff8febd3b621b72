"""Row of McpActor in the table of parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from actors.kernel import Actor, ActorSpec
from actors.mcp.checks import findings
from actors.mcp.config import LONGEST_START_S, McpConfig, ServerConfig
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from actors.settings.mcp import McpServer
from domain.policy.approval import APPROVED_ANSWER_S, needs_approval
from messages.web import (
    MCP,
    CallTool,
    DescribeServer,
    GetPrompt,
    ListPrompts,
    ListResources,
    ListTools,
    ReadResource,
)

ANSWER_MARGIN_S = 15.0


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The single actor for servers of the protocol; None without a configured server."""
    servers = plan.settings.mcp.servers
    if not servers:
        return None
    asks_outside = needs_approval(plan.approve, leaves_sandbox=True)
    known = {name: server_config(name, server, plan.secrets) for name, server in servers.items()}

    def build(_key: str) -> Actor:
        from actors.mcp.actor import McpActor

        config = McpConfig(
            servers=known,
            idle_s=plan.settings.mcp.idle_minutes * 60.0,
            secrets=tuple(plan.secrets.values()),
            asks_outside=asks_outside,
            asks_always=needs_approval(plan.approve, leaves_sandbox=False),
        )
        return McpActor(config)

    longest_s = LONGEST_START_S + max(server.timeout_s for server in servers.values()) + ANSWER_MARGIN_S
    answer_s = longest_s + (APPROVED_ANSWER_S if asks_outside else 0.0)
    return Part(
        spec=ActorSpec(MCP.kind, build),
        verbs={
            "mcp.list": Verb(MCP, ListTools, answer_s),
            "mcp.describe": Verb(MCP, DescribeServer, answer_s),
            "mcp.call": Verb(MCP, CallTool, answer_s),
            "mcp.resources": Verb(MCP, ListResources, answer_s),
            "mcp.read": Verb(MCP, ReadResource, answer_s),
            "mcp.prompts": Verb(MCP, ListPrompts, answer_s),
            "mcp.prompt": Verb(MCP, GetPrompt, answer_s),
        },
        skills=(SHIPPED_SKILLS / "mcp",),
        checks=(lambda: findings(known.values()),),
        skill_channels=None if plan.settings.mcp.is_for_all else plan.settings.mcp.channels,
    )


def server_config(name: str, server: McpServer, secrets: Mapping[str, str]) -> ServerConfig:
    """A server in the actor's form; a missing secret makes the server unusable."""
    wanted = [*server.env.values(), *([server.key] if server.key else [])]
    missing = [secret for secret in wanted if not secrets.get(secret)]
    return ServerConfig(
        name=name,
        command=server.command,
        url=server.url,
        key=secrets.get(server.key, ""),
        environment=tuple((variable, secrets.get(secret, "")) for variable, secret in server.env.items()),
        has_network=server.network == "full",
        reads=tuple(str(Path(folder).expanduser()) for folder in server.read),
        writes=tuple(str(Path(folder).expanduser()) for folder in server.write),
        channels=frozenset(server.channels),
        timeout_s=server.timeout_s,
        fault=f"the secret {missing[0]} is not set" if missing else "",
    )
