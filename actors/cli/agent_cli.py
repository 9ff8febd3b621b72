"""`agent-cli`: one stateless turn through the same actors, for testing and debugging."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from actors.cli.common import (
    config_option,
    fail,
    ignore,
    left_out_sentence,
    load_settings,
    note,
    set_up_logging,
    shape_log,
    verbose_option,
)
from actors.cli.relay import relay
from actors.cli.terminal import ShownCommand, echo_answer, on_one_line
from actors.linux.private_folder import TemporaryFolder

if TYPE_CHECKING:
    from actors.kernel import ActorSystem, Edge
    from actors.part import Plan
    from actors.settings.schema import Settings
    from messages.discord import PostMessage

STATELESS = "agent-cli is stateless: each call has a window of its own, so /new has no effect"
OF_DISCORD = frozenset({"forget", "help", "import", "memory", "model", "remember", "status", "unremember"})
"""Commands of Discord without a row here: the Discord actor's own, and commands of parts absent from a single turn."""
MODEL_FOLDERS = ("skills", "memory", "logs")
"""Folders of a data root whose content reaches a model."""
LAST_S = 2
"""Seconds for printing the last output of an ended command; a stopped reader is not waited for."""
MOST_NAMED = 20
"""Lines about names set aside; further names are given as a number."""
YES = ("y", "yes")
NO_TERMINAL_NOTE = "a command or request needs approval (shell.approve), and there is no terminal to ask on: refused"
LOOK_S = 1.0
"""Seconds between two checks that a reader of the answer still exists."""


@click.command(cls=ShownCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("prompt", required=False)
@click.option("--model", help="Model, as litellm names it, or offline; else the configured model.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--json-events", "tells_events", is_flag=True, help="Print events, each a line of JSON.")
@click.option("--no-memory", is_flag=True, help="Answer without memories.")
@click.option("--write", "lets_write", is_flag=True, help="Let commands change the current folder, not only read it.")
@config_option
@verbose_option
def agent_cli(
    prompt: str | None,
    model: str | None,
    as_json: bool,
    tells_events: bool,
    no_memory: bool,
    lets_write: bool,
    config_file: Path | None,
    verbose: bool,
) -> None:
    """Answer PROMPT once and print only the answer; `-`, or no PROMPT in a pipe, reads it from stdin.

    For testing: no history is kept, no log is written, the data root stays unchanged, and memories are only read. The
    agent itself lives in Discord.

    Commands read the current folder, without its secrets, and write to a temporary folder that is removed after the
    turn.
    """
    from actors.context.log.root_folders import folder_faults
    from actors.part import UnusableError
    from domain.turn.typed_command import slash_command

    if as_json and tells_events:
        raise click.UsageError("--json and --json-events cannot be combined: choose one")
    text = _prompt(prompt)
    if slash_command(text) == "new" and len(text.split()) == 1:
        click.echo(STATELESS, err=True)
        sys.exit(0)
    set_up_logging(verbose=verbose)
    settings, secrets = load_settings(config_file, _chosen_settings(model, no_memory=no_memory), report=ignore)
    if sentence := left_out_sentence(settings, secrets, _data_left_out(settings)):
        note(sentence)
    shape_log(settings.log.format)
    if settings.origin.trusts_data and (fault := next(folder_faults(settings.data_root), "")):
        fail(fault)
    try:
        report = click.echo if tells_events else None
        result = _one_turn(settings, secrets.environment(), text, lets_write=lets_write, report=report)
    except UnusableError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps({"answer": result.text, "outcome": result.outcome, "model": settings.model.name}))
    elif result.outcome == "answered" and not tells_events:
        echo_answer(result.text)
    for post in result.confirmations:
        if reason := relay(settings, secrets, post):
            click.echo(f"note: the confirmation could not be shown in Discord: {reason}", err=True)
    if result.outcome == "answered":
        sys.exit(0)
    if as_json:
        sys.exit(1)
    fail(result.text)


def _chosen_settings(model: str | None, *, no_memory: bool) -> dict[str, object]:
    """Settings that the options decide."""
    from actors.parts import LAYERS

    chosen: dict[str, object] = {"model.name": model} if model else {}
    if no_memory:
        chosen |= {"memory.enabled": False, **{f"layers.{layer.name}": False for layer in LAYERS}}
    return chosen


def _data_left_out(settings: Settings) -> str:
    """Name of the data root if skills, memory and logs there are kept from the model; empty if used or missing."""
    if settings.origin.trusts_data:
        return ""
    root = settings.data_root
    return os.path.relpath(root) if any((root / name).exists() for name in MODEL_FOLDERS) else ""


def _prompt(argument: str | None) -> str:
    source: TextIO | None = sys.stdin  # None where the caller has closed it
    if argument is None and source is not None and source.isatty():
        raise click.UsageError("Missing argument 'PROMPT'.")
    if argument not in (None, "-"):
        text = argument
    else:  # bytes that are no UTF-8 travel as lone surrogates, as they do in arguments.
        text = "" if source is None else source.buffer.read().decode("utf-8", "surrogateescape")
    if not text or not text.strip():
        fail("the prompt is empty")
    return text


def _one_turn(
    settings: Settings, secrets: Mapping[str, str], text: str, *, lets_write: bool, report: Callable[[str], None] | None
) -> TurnResult:
    """Result of the turn."""
    from actors.bootstrap import turn_plan
    from actors.kernel import ActorSystem
    from actors.linux.hardening import make_undumpable
    from actors.parts import parts
    from messages.status import ActorGaveUp

    def give_up(event: ActorGaveUp) -> None:
        edge.put(event)

    make_undumpable()
    _end_in_good_order_on_signals()
    system = ActorSystem(on_escalation=give_up)
    edge = system.edge("cli")
    try:
        with TemporaryFolder("agent-cli-") as scratch:
            plan = turn_plan(settings, secrets, system, edge.address, Path(scratch), lets_write=lets_write)
            _require_writable(plan)
            table = parts(plan)
            _require_no_command(text, {command.name.partition(" ")[0] for command in table.menu.commands})
            for spec in table.specs():
                system.register(spec)
            before = _obeyed_before(plan)
            system.start()
            try:
                return ask(system, edge, text, report)
            finally:
                system.stop()
                _set_aside(plan, before)
    except (KeyboardInterrupt, _EndedError):
        signal.alarm(LAST_S)
        raise
    finally:
        if report is not None:
            _tell_last(edge, report)


class _EndedError(SystemExit):
    """A signal ends the command."""


def _end_in_good_order_on_signals() -> None:
    """Let SIGTERM and a closed terminal end the command as Ctrl-C does, which leaves no folders; a second at once."""

    def on_signal(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _EndedError(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, on_signal)


def _tell_last(edge: Edge, report: Callable[[str], None]) -> None:
    """Report the last progress of an interrupted turn."""
    from domain.turn.run_line import run_line
    from messages.status import RunEvent

    for event in edge.drain():
        if isinstance(event, RunEvent):
            report(run_line(event))


def _require_writable(plan: Plan) -> None:
    """End the command if the caller lets commands write to a forbidden place."""
    from actors.shell.refused import RefusedError
    from actors.shell.sandbox.caller_folder import check_writing

    if plan.caller_lets_write and plan.caller_folder is not None:
        try:
            check_writing(plan.caller_folder, plan.unchanging)
        except RefusedError as error:
            fail(f"--write: {error}")


def _obeyed_before(plan: Plan) -> frozenset[str] | None:
    """Names in the caller's folder that programs obey; None if commands may not write there."""
    from actors.shell.sandbox.made_names import obeyed_paths

    if not plan.caller_lets_write or plan.caller_folder is None:
        return None
    return obeyed_paths(plan.caller_folder, plan.private)


def _set_aside(plan: Plan, before: frozenset[str] | None) -> None:
    """Set aside names made by commands that programs would obey, and name each on stderr."""
    from actors.shell.sandbox.made_names import set_aside

    if before is None or plan.caller_folder is None:
        return
    moves = set_aside(plan.caller_folder, plan.private, before)
    for move in moves[:MOST_NAMED]:
        what = f"is now {move.now}" if move.now else "could not be set aside"
        note(
            on_one_line(
                f"{move.name} {what}: a command made it, and programs obey files of that name: inspect it first"
            )
        )
    if len(moves) > MOST_NAMED:
        note(f"and {len(moves) - MOST_NAMED:,} more such names")


def _require_no_command(text: str, names: Iterable[str]) -> None:
    """End the command if the words are a slash command, since Discord never shows slash commands to a model.

    Args:
        text: The prompt.
        names: First words of the commands of all parts.
    """
    from domain.turn.typed_command import slash_command

    name = slash_command(text)
    if name in OF_DISCORD.union(names):
        fail(f"/{name} is a Discord command: agent-cli answers one prompt and has no commands")


@dataclass(frozen=True, slots=True)
class TurnResult:
    """Outcome of a single turn."""

    text: str
    """The answer, or a notice in its place, followed by the runtime's messages."""
    outcome: str
    """`answered`, `failed` or `aborted`."""
    confirmations: tuple[PostMessage, ...] = ()
    """Confirmations of the runtime: for each changed reminder, the exact line."""


def ask(system: ActorSystem, edge: Edge, text: str, report: Callable[[str], None] | None = None) -> TurnResult:
    """Ask one question; return the result.

    Args:
        system: Runs a window's actor and the actors behind it.
        edge: Receiver of the answer.
        text: The words.
        report: Called with each line of progress; None for no report.
    """
    from domain.turn.run_line import run_line
    from messages.base import CONTEXT_KIND, MessageId, Surface, UserId, Window
    from messages.context import UserMessage
    from messages.discord import Delivered, PostMessage
    from messages.status import RUNS, ActorGaveUp, RunEvent
    from messages.turn import TurnEnded

    window = Window(surface=Surface.CLI, id="turn")
    message = UserMessage(
        window=window,
        message_id=MessageId("prompt"),
        author_id=UserId("cli"),
        author_name="you",
        text=text,
        sent_at=system.clock.now(),
        reply_to=edge.address,
    )
    if report is not None:
        edge.follow(RUNS)
    edge.tell(window.address, message)
    confirmations: list[PostMessage] = []
    while True:
        try:
            post = edge.receive(LOOK_S, lambda each: isinstance(each, PostMessage | ActorGaveUp | RunEvent))
        except TimeoutError:
            if system.supervisor.crashes().get(CONTEXT_KIND):  # with it went the turn, which no log keeps
                return TurnResult("the turn was lost in a crash; -v shows why", "failed")
            continue
        if isinstance(post, ActorGaveUp):
            return TurnResult(f"the {post.address} actor crashed {post.crashes} times; -v shows why", "failed")
        if isinstance(post, RunEvent):
            if report is not None:
                report(run_line(post))
            continue
        assert isinstance(post, PostMessage)
        if report is not None:
            report(json.dumps({"type": "post", "text": post.text}))
        edge.tell(post.reply_to, Delivered(request_id=post.request_id, message_ids=(MessageId("stdout"),)))
        if post.buttons:
            decide_on_terminal(edge, post)
        elif post.reply_to == window.address:
            break
        else:
            confirmations.append(post)
    ended = edge.receive(10, lambda each: isinstance(each, TurnEnded))
    assert isinstance(ended, TurnEnded)
    full_text = "\n\n".join([post.text, *(confirmation.text for confirmation in confirmations)])
    return TurnResult(full_text, ended.outcome, tuple(confirmations))


def decide_on_terminal(edge: Edge, post: PostMessage) -> None:
    """Ask the caller a posted question; tell the asker the decision.

    Args:
        edge: Sender of the decision.
        post: The question, with its buttons.
    """
    from domain.policy.approval import NO_TERMINAL
    from messages.base import RequestId, UserId
    from messages.shell import DecideApproval

    has_terminal = _has_terminal()
    grants = has_terminal and _ask(post.exact or post.text.replace("**", ""))
    if not has_terminal:
        note(NO_TERMINAL_NOTE)
    question_id = post.buttons[0].custom_id.partition(":")[2]
    edge.tell(
        post.reply_to,
        DecideApproval(
            request_id=RequestId(f"decide-{question_id}"),
            reply_to=edge.address,
            id=question_id,
            grants=grants,
            decided_by=UserId("cli"),
            reason="" if has_terminal else NO_TERMINAL,
        ),
    )


def _has_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _ask(text: str) -> bool:
    """Show a question and read one line; any reply but a yes is a refusal."""
    click.echo(text, err=True)
    click.echo("Allow it? [y/N] ", err=True, nl=False)
    return sys.stdin.readline().strip().lower() in YES
