"""Commands for language models on this machine: `agent model`, and the choice of `agent try --model`.

Read `command.py` first; the work is done by `actors/local_model/`. Nothing here keeps anything.
"""

from __future__ import annotations

from actors.cli.local_model.command import model

__all__ = ["model"]
