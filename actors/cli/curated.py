"""`agent memory curated`: the hand-kept memory, with or without a running agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.asking import OPERATOR, Options, VerbClient, asking_options
from actors.cli.common import fail
from actors.cli.terminal.completion import WindowKey

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb

window_option = click.option(
    "--window",
    "about",
    type=WindowKey(),
    default="",
    help="Window of the project, e.g. discord-channel/123; else the command line's.",
)
C = TypeVar("C", bound=Callable[..., None])


def _all_options(command: C) -> C:
    """Add the options common to all these commands."""
    return window_option(asking_options(command))


@click.group("curated")
def curated_group() -> None:
    """Show and edit the memory kept by hand by people and the agent; the agent may run or not."""


@curated_group.command()
@click.argument("scope", type=click.Choice(["global", "project"]))
@click.argument("text")
@click.option("--section", default="", help="Heading above the text.  [default: Remembered]")
@_all_options
def remember(scope: str, text: str, section: str, **options: Any) -> None:
    """Stage TEXT for an index; flush commits it, and so does the agent's end."""
    _do("remember", options, writes=True, scope=scope, text=text, section=section)


@curated_group.command()
@click.option(
    "--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Number of decisions, newest first."
)
@_all_options
def traces(limit: int, **options: Any) -> None:
    """List the last decisions: injections with place and reason, writes and denials."""
    _do("traces", options, limit=limit)


@curated_group.command()
@click.argument("trace_id", metavar="ID")
@_all_options
def trace(trace_id: str, **options: Any) -> None:
    """Show one decision."""
    _do("trace", options, id=trace_id)


@curated_group.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--scope", type=click.Choice(["global", "project"]), default=None, help="Only there.")
@_all_options
def recall(query: tuple[str, ...], scope: str | None, **options: Any) -> None:
    """Find facts by their words; exits 0 for ok, no_match and unavailable, else 1."""
    reply = _do("recall", options, query=" ".join(query), scope=scope or "")
    if reply.code in ("denied", "malformed", "backend_error"):
        raise SystemExit(1)


_LOOKS = {
    "status": "Show both scopes: files and sizes, what is injected, page table, trust, paths.",
    "pages": "List the pages, and the state of the page table.",
    "faults": "List faults.",
    "stale": "Suggest facts to look at again; nothing is ever removed for its age.",
}
_WRITES = {
    "verify": "Rebuild the page tables from the markdown, which stays unchanged.",
    "flush": "Commit staged and proposed texts, and rebuild the page tables.",
    "import": "Stage Claude Code's memory of the project (curated.claude_folder), which is only read.",
}
_SWITCHES = {
    "on": "Have the memory in a window's prompts again; needs the running agent and --window.",
    "off": "Leave the memory out of a window's prompts until the agent ends; needs the running agent and --window.",
}
"""Commands without arguments of their own, by their effect -> name -> help."""


def _add(name: str, words: str, act: Callable[[str, Options], object]) -> None:
    @curated_group.command(name, help=words)
    @_all_options
    def command(**options: Any) -> None:
        act(name, options)


for _name, _words in _LOOKS.items():
    _add(_name, _words, lambda name, options: _do(name, options))
for _name, _words in _WRITES.items():
    _add(_name, _words, lambda name, options: _do(name, options, writes=True))
for _name, _words in _SWITCHES.items():
    _add(_name, _words, lambda name, options: _switch(options, on=name == "on"))


def _switch(options: Options, *, on: bool) -> None:
    if not options["about"]:
        fail("--window is required: name the window, e.g. discord-channel/123")
    needs = "no agent runs on the data root {}: start one, or name another data root with --data"
    _do("switch", options, needs_agent=needs, on=on)


def _do(verb: str, options: Options, *, writes: bool = False, needs_agent: str = "", **fields: object) -> Any:
    """Ask and print; a command that writes keeps any agent from starting meanwhile."""
    fields = {**fields, "about": options["about"], "window": OPERATOR}
    return _CURATED.tell(verb, options, fields, locks="lock" if writes else "", needs_agent=needs_agent)


def _verbs() -> Mapping[str, Verb]:
    from actors.curated.row import OPERATOR_VERBS, VERBS

    return {**VERBS, **OPERATOR_VERBS}


def _specs(plan: Plan, _verb: str) -> Iterable[ActorSpec]:
    from actors.curated.row import curated_spec

    return (curated_spec(plan, lives=False),)


_CURATED = VerbClient("curated", _verbs, _specs)
