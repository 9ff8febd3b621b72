"""Setup: from a bot's token to settings with which `agent run` answers, asked step by step or given by options.

Read first `wizard.py` (the steps in their order), `steps.py` and `other_steps.py`, then `known.py` (what was there, and
which values fit), `rest.py` (what Discord is asked), `choosing.py`, `permissions.py` and `models.py` (pure; the last is
the table of models that are offered), `model_check.py` (the one call that is tried), and `writing.py`, which alone
writes: `agent.toml`, the secrets file and, if wished, a unit of systemd's; nothing before everything was answered.
"""

from __future__ import annotations

from actors.cli.setup.command import setup

__all__ = ["setup"]
