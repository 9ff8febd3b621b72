"""Command line: argv -> Settings -> run. The import of this module loads no heavy module, so `--help` is quick.

Read first `common.py` (options, errors, logging), then `run.py` and `try_it.py` (a long-running agent), then
`agent_cli.py` (one stateless turn). `doctor_findings.py` folds over the parts' checks. Commands for benchmarks, load
and chaos are in `lab.commands`, which adds them to `agent` in a clone; here stand-ins refer to the clone. Commands
write to the terminal through `terminal/` alone. Of the agent's data, `agent memory rebuild` writes the memory's index,
`agent forget` all holders of the words, `agent restore` a data root without a running agent, `agent model` the folder
of local models, `agent skills` added skills, and `agent doctor --fix` the objects of its findings; `trust/` alone
writes the list of trusted files.
"""

from __future__ import annotations

import os

import click

from actors.cli.agent_cli import agent_cli
from actors.cli.approval import approval
from actors.cli.backup import backup, restore
from actors.cli.common import fail
from actors.cli.config import config
from actors.cli.doctor import doctor
from actors.cli.events import events
from actors.cli.forget import forget
from actors.cli.importing import import_
from actors.cli.local_model import model
from actors.cli.logs import logs
from actors.cli.memory import memory
from actors.cli.objects import objects
from actors.cli.reminders import reminders
from actors.cli.run import gateway, run
from actors.cli.setup import setup
from actors.cli.skills import skills
from actors.cli.status import status
from actors.cli.terminal import ShownGroup
from actors.cli.terminal.completion import completion
from actors.cli.terminal.examples import show_examples
from actors.cli.trust import trust
from actors.cli.try_it import try_it
from actors.cli.usage import usage

# Small products of matrices, which is all that a turn needs, are ten times slower when two threads share one of them on
# a busy machine; numpy's library reads this when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__all__ = ["agent", "agent_cli"]


@click.group(cls=ShownGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option("0.1.0", prog_name="remembrancer")
def agent() -> None:
    """Remembrancer: an agent that lives in Discord and keeps every word in plain logs.

    Start with `agent try`: no account and no key are needed.
    """


@click.pass_context
def _refuse(context: click.Context, words: tuple[str, ...]) -> None:
    """End a command missing from a wheel."""
    typed = " ".join((context.info_name or "", *words))
    fail(
        f"agent {context.info_name} is in the repository only, as it measures or tests the agent: clone the "
        f"repository and run bin/agent {typed} there",
        2,
    )


def _stand_in(name: str) -> click.Command:
    """Hidden command in place of a lab command, for a wheel without the lab."""
    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}
    return click.Command(name, callback=_refuse, params=[words], hidden=True, context_settings=settings)


OF_THE_REPOSITORY = ("bench", "chaos", "simulate")
"""Commands that `lab.commands` replaces."""
_COMMANDS = (
    try_it,
    setup,
    trust,
    run,
    gateway,
    status,
    usage,
    events,
    doctor,
    import_,
    backup,
    restore,
    config,
    logs,
    memory,
    forget,
    model,
    objects,
    reminders,
    approval,
    skills,
)
for command in (*_COMMANDS, completion, *map(_stand_in, OF_THE_REPOSITORY)):
    agent.add_command(command)
show_examples(agent, "agent")
show_examples(agent_cli, "agent-cli")
