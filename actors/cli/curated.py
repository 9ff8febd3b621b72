"""`agent memory curated`: the memory that is kept by hand, beside a running agent or without one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings
from actors.cli.operator import ANSWER_S, OPERATOR, Answer, running

if TYPE_CHECKING:
    from actors.settings.schema import Settings
    from messages.base import Message

OFF = "the layer curated is switched off; [layers] curated = true in agent.toml switches it on"
window_option = click.option(
    "--window",
    "about",
    default="",
    help="The window whose project is meant, e.g. discord-channel/123; else the command line's.",
)
C = TypeVar("C", bound=Callable[..., None])


def _options(command: C) -> C:
    """Add the options that all of these commands take."""
    return window_option(config_option(data_option(json_option(command))))


@click.group()
def curated() -> None:
    """Look into the memory that people and the agent keep by hand, and write it; the agent may run or not."""


@curated.command()
@_options
def status(**options: Any) -> None:
    """Show both scopes: files and sizes, what is injected, page table, trust, paths."""
    _do("status", "DescribeCurated", options)


@curated.command()
@_options
def pages(**options: Any) -> None:
    """List the pages, and say whether the page table is there and valid."""
    _do("pages", "ListPages", options)


@curated.command()
@_options
def verify(**options: Any) -> None:
    """Make the page tables anew from the markdown, which stays as it is."""
    _do("verify", "VerifyPages", options, writes=True)


@curated.command()
@click.argument("scope", type=click.Choice(["global", "project"]))
@click.argument("text")
@click.option("--section", default="", help="Heading that it belongs below.  [default: Remembered]")
@_options
def remember(scope: str, text: str, section: str, **options: Any) -> None:
    """Stage TEXT for an index; flush commits it, as does the agent's end."""
    _do("remember", "RememberFact", options, writes=True, scope=scope, text=text, section=section)


@curated.command()
@_options
def flush(**options: Any) -> None:
    """Commit what is staged and proposed, and make the page tables anew."""
    _do("flush", "FlushFacts", options, writes=True)


@curated.command()
@_options
def faults(**options: Any) -> None:
    """List what is wrong."""
    _do("faults", "ListFaults", options)


@curated.command()
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="The newest so many.")
@_options
def traces(limit: int, **options: Any) -> None:
    """List the last decisions: what was injected where and why, what was written or denied."""
    _do("traces", "ListTraces", options, limit=limit)


@curated.command()
@click.argument("trace_id", metavar="ID")
@_options
def trace(trace_id: str, **options: Any) -> None:
    """Show one decision."""
    _do("trace", "ShowTrace", options, id=trace_id)


@curated.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--scope", type=click.Choice(["global", "project"]), default=None, help="Only there.")
@_options
def recall(query: tuple[str, ...], scope: str | None, **options: Any) -> None:
    """Find facts by their words; exits 0 for ok, no_match and unavailable, else 1."""
    answer = _do("recall", "RecallFacts", options, query=" ".join(query), scope=scope or "")
    if answer["code"] in ("denied", "malformed", "backend_error"):
        raise SystemExit(1)


@curated.command()
@_options
def stale(**options: Any) -> None:
    """Suggest facts to look at again; nothing is ever removed for its age."""
    _do("stale", "ListStale", options)


@curated.command()
@_options
def on(**options: Any) -> None:
    """Have the memory in a window's prompts again; needs the running agent and --window."""
    _switch(options, on=True)


@curated.command()
@_options
def off(**options: Any) -> None:
    """Leave the memory out of a window's prompts until the agent ends; needs the running agent and --window."""
    _switch(options, on=False)


@curated.command("import")
@_options
def import_(**options: Any) -> None:
    """Stage what Claude Code remembers of the project (curated.claude_folder), which is only read."""
    _do("import", "ImportClaude", options, writes=True)


def _switch(options: Mapping[str, Any], *, on: bool) -> None:
    if not options["about"]:
        fail("--window is missing: it names the window whose prompts are meant, e.g. discord-channel/123")
    _do("switch", "SwitchInjection", options, needs_agent=True, on=on)


def _do(
    verb: str,
    command: str,
    options: Mapping[str, Any],
    *,
    writes: bool = False,
    needs_agent: bool = False,
    **fields: object,
) -> Answer:
    """Ask the running agent, or the memory alone where none runs; print what it says."""
    given = {"data_root": str(options["data"].absolute())} if options["data"] else {}
    settings, secrets = load_settings(options["config_file"], given)
    if not settings.has_layer("curated"):
        fail(OFF)
    if options["about"] and not _is_window(options["about"]):
        fail(f"--window {options['about'][:80]!r}: must be a window's key, such as discord-channel/123")
    fields = {**fields, "about": options["about"]}
    answer = running(settings, f"curated.{verb}", window=OPERATOR, **fields)
    reply = None if answer is None else _reply(command, answer)
    if reply is None:
        if needs_agent:
            fail(f"no agent is running here ({settings.data_root}); this needs one, and --data names another")
        reply = _alone(settings, secrets.environment(), command, fields, writes=writes)
    return _show(reply, as_json=options["as_json"])


def _alone(
    settings: Settings, secrets: Mapping[str, str], command: str, fields: Mapping[str, object], *, writes: bool
) -> Message:
    """Answer of the memory without a running agent; a writing command prevents any start meanwhile."""
    from actors.context.log.data_root import DataRoot, DataRootError

    root = DataRoot(settings.data_root)
    if not writes or not root.path.is_dir():
        return _asked(settings, secrets, command, fields)
    try:
        root.lock()
    except DataRootError as error:
        fail(str(error))
    try:
        return _asked(settings, secrets, command, fields)
    finally:
        root.release()


def _asked(settings: Settings, secrets: Mapping[str, str], command: str, fields: Mapping[str, object]) -> Message:
    from actors.bootstrap import agent_plan
    from actors.curated.row import curated_spec
    from actors.kernel import ActorSystem
    from messages.base import RequestId, Window
    from messages.curated import CURATED

    system = ActorSystem(workers=2)
    edge = system.edge("curated-alone")
    system.register(curated_spec(agent_plan(settings, secrets, system, None), lives=False))
    system.start()
    try:
        request_id = RequestId(system.new_id())
        window = Window.from_key(OPERATOR)
        edge.tell(CURATED, _class(command)(request_id=request_id, reply_to=edge.address, window=window, **fields))
        answer = edge.receive(ANSWER_S, lambda message: getattr(message, "request_id", None) == request_id)
    except TimeoutError:
        fail(f"the memory did not answer within {ANSWER_S:g} s")
    finally:
        system.stop()
    return answer


def _is_window(key: str) -> bool:
    from messages.base import Window

    try:
        Window.from_key(key)
    except ValueError:
        return False
    return True


def _class(name: str) -> Any:
    from messages import curated as writing
    from messages import curated_view

    return getattr(writing, name, None) or getattr(curated_view, name)


def _reply(command: str, answer: Mapping[str, Any]) -> Message:
    """The message that an answer through the socket was."""
    import msgspec

    from actors.curated.commands import REPLIES

    reply: Message = msgspec.convert({**answer, "request_id": ""}, REPLIES[_class(command)])
    return reply


def _show(reply: Message, *, as_json: bool) -> Answer:
    import msgspec

    from domain.curated.wording import lines
    from messages.socket import Refused

    if isinstance(reply, Refused):
        _refuse(reply.reason)
    fields: dict[str, Any] = msgspec.to_builtins(reply)
    answer = {name: value for name, value in fields.items() if name not in ("type", "request_id")}
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        for line in lines(reply, "agent memory curated"):
            click.echo(line)
    return answer


def _refuse(reason: str) -> NoReturn:
    fail(reason)
