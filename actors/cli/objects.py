"""`agent objects`: files and outputs that windows have seen, their versions, and the texts kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from actors.cli.asking import Options, VerbClient, ask_all, asking_options
from actors.cli.terminal.completion import WindowKey

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb

GC_S = 600.0
MISSING = "there is no data root at {}, so no window has any objects"
window_option = click.option(
    "--window", "window", type=WindowKey(), required=True, help="Window, e.g. discord-thread/123."
)


@click.group()
def objects() -> None:
    """List files and outputs that windows have seen, and delete old texts; the agent may run or not."""


@objects.command("list")
@click.option("--kind", type=click.Choice(["all", "files", "outputs", "active"]), default="all", show_default=True)
@window_option
@asking_options
def list_(kind: str, window: str, **options: Any) -> None:
    """List the objects of a window, and the parts that are shown."""
    _all("list", options, {"kind": kind, "window": window}, "objects", lambda row: row.id)


@objects.command()
@click.argument("object_id", metavar="ID")
@window_option
@asking_options
def history(object_id: str, window: str, **options: Any) -> None:
    """List the versions of ID, such as f2: times, sizes, hashes, and if the text is kept."""
    _all("history", options, {"id": object_id, "window": window}, "versions", lambda row: row.version.no)


@objects.command()
@click.option(
    "--keep-days",
    type=click.IntRange(0, 36_500),
    default=30,
    show_default=True,
    help="Days for which replaced versions keep their texts.",
)
@asking_options
def gc(keep_days: int, **options: Any) -> None:
    """Discard texts of versions replaced long ago; numbers, times and hashes stay."""
    _OBJECTS.tell("gc", options, {"keep_days": keep_days}, answer_s=GC_S, locks="lock", missing=MISSING)


def _all(verb: str, options: Options, fields: Mapping[str, object], rows: str, key: Callable[[Any], object]) -> None:
    """Print a reply with all its rows."""
    reply = ask_all(
        lambda more: _OBJECTS.ask(verb, options, {**fields, **more}, locks="lock", missing=MISSING),
        (rows,),
        lambda whole: key(getattr(whole, rows)[-1]),
    )
    _OBJECTS.show(verb, reply, options)


def _verbs() -> Mapping[str, Verb]:
    from actors.objects.row import STORE_VERBS, VERBS

    return {**VERBS, **STORE_VERBS}


def _specs(plan: Plan, _verb: str) -> Iterable[ActorSpec]:
    from actors.parts import parts
    from messages.objects import OBJECT_STORE, OBJECTS_KIND

    return (part.spec for part in parts(plan) if part.spec.kind in (OBJECTS_KIND, OBJECT_STORE.kind))


_OBJECTS = VerbClient("objects", _verbs, _specs)
