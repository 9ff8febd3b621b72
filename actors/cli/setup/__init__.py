"""Setup: from a bot's token to settings with which `agent run` answers, asked step by step or given by options.

Read first `wizard.py` (the steps in their order), `steps.py` and `other_steps.py`, then `known.py` (existing settings,
and the rule for valid values), `rest.py` (questions to Discord), `choosing.py`, `permissions.py` and `models.py` (pure;
the last is the table of offered models), `model_check.py` (the single test call), and `writing.py`, the only
writer: `agent.toml`, the secrets file and, if wished, a systemd unit; no file is written before the last answer.
"""

from __future__ import annotations

from actors.cli.setup.command import setup

__all__ = ["setup"]
