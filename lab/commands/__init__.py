"""Commands of the lab: `agent bench`, `chaos` and `simulate`, and `agent-load`; `bin/agent` starts here.

Read `bench.py` first (a benchmark's command is a row; `benchmarks.py` has the benchmark of each row), then `chaos.py`
and `simulate.py` (fault injection), and `agent_load.py` (load on the whole agent). Each imports its part of the lab
only when run, so other commands start fast. Commands print results; the lab has the measuring code.
A wheel does not contain these commands.
"""

from __future__ import annotations

from actors.cli import agent, agent_cli
from actors.cli.terminal.examples import show_examples
from lab.commands.agent_load import agent_load
from lab.commands.bench import bench
from lab.commands.chaos import chaos
from lab.commands.examples import EXAMPLES
from lab.commands.simulate import simulate

__all__ = ["agent", "agent_cli", "agent_load"]

for command in (bench, chaos, simulate):
    agent.add_command(command)
    show_examples(command, f"agent {command.name}", EXAMPLES)
show_examples(agent_load, "agent-load", EXAMPLES)
