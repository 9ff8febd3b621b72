"""Setup: from a bot's token to settings with which `agent run` answers, asked step by step or given by options.

Read first `wizard.py` (the steps in their order) and `steps.py`, then `rest.py` (what Discord is asked), `choosing.py`
and `permissions.py` (pure), `model_check.py` (the one call that is tried), and `writing.py`, the only one that writes:
`agent.toml`, the secrets file and, if wished, a unit of systemd's; nothing before everything was answered.
"""

from __future__ import annotations

from actors.cli.setup.command import setup

__all__ = ["setup"]
