"""Plan of an agent that lives, from a settings file."""

from __future__ import annotations

from pathlib import Path

from actors.bootstrap import agent_plan, discord_connection
from actors.kernel import ActorSystem
from actors.part import Plan
from actors.parts import settings_tables
from actors.settings.load import load


def plan_of(root: Path, toml: str, **secrets: str) -> Plan:
    """The plan of an agent in Discord.

    Args:
        root: Of the test; `data` in it is the data root.
        toml: Settings, beside those of the data root and the token.
        secrets: By name.
    """
    file = root / "agent.toml"
    file.write_text(f'data_root = "{root / "data"}"\n{toml}')
    settings = load(file, environ={}, tables=settings_tables())
    return agent_plan(settings, secrets, ActorSystem(workers=0), discord_connection(settings, "token"))
