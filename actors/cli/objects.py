"""`agent objects`: files and outputs that windows have seen, their versions, and what is kept of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings
from actors.cli.operator import ANSWER_S, Answer, running
from domain.text.terminal_text import plain

if TYPE_CHECKING:
    from actors.settings.schema import Settings
    from messages.base import Message

OFF = "the layer objects is switched off; [layers] objects = true in agent.toml switches it on"
GC_S = 600.0
window_option = click.option(
    "--window", "window", required=True, help="The window that is meant, e.g. discord-thread/123."
)
C = TypeVar("C", bound=Callable[..., None])


def _options(command: C) -> C:
    """Add the options that all of these commands take."""
    return config_option(data_option(json_option(command)))


@click.group()
def objects() -> None:
    """Look into the files and outputs that windows have seen, and throw old texts away; the agent may run or not."""


@objects.command("list")
@click.option("--kind", type=click.Choice(["all", "files", "outputs", "active"]), default="all", show_default=True)
@window_option
@_options
def list_(kind: str, window: str, **options: Any) -> None:
    """List the objects of a window, and what is shown of them."""
    _show(_all("list", "ListObjects", options, window, "objects", kind=kind), options, _object_lines)


@objects.command()
@click.argument("object_id", metavar="ID")
@window_option
@_options
def history(object_id: str, window: str, **options: Any) -> None:
    """List the versions of ID, such as f2: times, sizes, hashes, whether the text is kept."""
    _show(_all("history", "TellHistory", options, window, "versions", id=object_id), options, _version_lines)


@objects.command()
@click.option(
    "--keep-days",
    type=click.IntRange(0, 36_500),
    default=30,
    show_default=True,
    help="Keep texts of versions that were replaced since.",
)
@_options
def gc(keep_days: int, **options: Any) -> None:
    """Throw away texts of versions that were replaced long ago; numbers, times and hashes stay."""
    settings, secrets = _settings(options)
    answer = running(settings, "objects.gc", GC_S, keep_days=keep_days)
    if answer is None:
        answer = _alone(settings, secrets, "CollectObjects", "", {"keep_days": keep_days})
    _show(answer, options, _gc_lines)


def _all(
    verb: str, command: str, options: Mapping[str, Any], window: str, rows: str, **fields: object
) -> Mapping[str, Any]:
    """The answer with all its rows, asked for piece by piece."""
    settings, secrets = _settings(options)
    _require_window(window)
    found: list[Any] = []
    after: Mapping[str, object] = {}
    while True:
        answer = running(settings, f"objects.{verb}", window=window, **fields, **after)
        if answer is None:
            answer = _alone(settings, secrets, command, window, {**fields, **after})
        found += answer[rows]
        if answer["is_all"] or not answer[rows]:
            return {**answer, rows: found, "is_all": True}
        after = {"after": answer[rows][-1]["id"] if verb == "list" else answer[rows][-1]["version"]["no"]}


def _settings(options: Mapping[str, Any]) -> tuple[Settings, Mapping[str, str]]:
    given = {"data_root": str(options["data"].absolute())} if options["data"] else {}
    settings, secrets = load_settings(options["config_file"], given)
    if not settings.has_layer("objects"):
        fail(OFF)
    return settings, secrets.environment()


def _require_window(key: str) -> None:
    from messages.base import Window

    try:
        Window.from_key(key)
    except ValueError as error:
        fail(f"--window: {error}")


def _alone(
    settings: Settings, secrets: Mapping[str, str], command: str, window: str, fields: Mapping[str, object]
) -> Answer:
    """Answer of the store and the window's actor without a running agent; no agent can start meanwhile."""
    from actors.context.log.data_root import DataRoot, DataRootError

    root = DataRoot(settings.data_root)
    if not root.path.is_dir():
        fail(f"there is no data root at {settings.data_root}, so no window has any objects")
    try:
        root.lock()
    except DataRootError as error:
        fail(str(error))
    try:
        return _answer_of(_asked(settings, secrets, command, window, fields))
    finally:
        root.release()


def _asked(
    settings: Settings, secrets: Mapping[str, str], command: str, window: str, fields: Mapping[str, object]
) -> Message:
    from actors.bootstrap import agent_plan
    from actors.kernel import ActorSystem
    from actors.parts import parts
    from messages import object_store, objects
    from messages.base import RequestId, Window

    system = ActorSystem(workers=2)
    edge = system.edge("objects-alone")
    for part in parts(agent_plan(settings, secrets, system, None)):
        if part.spec.kind in (objects.OBJECTS_KIND, object_store.OBJECT_STORE.kind):
            system.register(part.spec)
    system.start()
    try:
        whose = {"window": Window.from_key(window)} if window else {}
        to = objects.objects_of(whose["window"]) if whose else object_store.OBJECT_STORE
        kind = getattr(objects, command, None) or getattr(object_store, command)
        request_id = RequestId(system.new_id())
        edge.tell(to, kind(request_id=request_id, reply_to=edge.address, **whose, **fields))
        answer = edge.receive(ANSWER_S, lambda message: getattr(message, "request_id", None) == request_id)
    except TimeoutError:
        fail(f"the object store did not answer within {ANSWER_S:g} s")
    finally:
        system.stop()
    return answer


def _answer_of(reply: Message) -> Answer:
    """A reply as the socket would have given it."""
    import msgspec

    from messages.socket import Refused

    if isinstance(reply, Refused):
        fail(reply.reason)
    answer: Answer = msgspec.to_builtins(reply)
    return {name: value for name, value in answer.items() if name not in ("request_id", "type")}


def _show(
    answer: Mapping[str, Any], options: Mapping[str, Any], lines: Callable[[Mapping[str, Any]], list[str]]
) -> None:
    if options["as_json"]:
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
        return
    for line in lines(answer):
        click.echo(plain(line))


def _object_lines(answer: Mapping[str, Any]) -> list[str]:
    return [
        f"{each['id']:<6} {each['state']:<11} {each['kind']:<6} {each['chars']:>8}  {each['about']}".rstrip()
        for each in answer["objects"]
    ]


def _version_lines(answer: Mapping[str, Any]) -> list[str]:
    lines = []
    for each in answer["versions"]:
        version, kept = each["version"], "kept" if each["is_kept"] else "text not kept"
        lines.append(
            f"{version['no']:>5}  {version['valid_from']:<32}  {version['status']:<7} {version['size']:>9}  {kept:<13} "
            f"shown {each['shown']:>3}  {version['content_hash'][:12] or '-':<12}  {json.dumps(version['path'])}"
        )
    return [*lines, answer["note"]] if answer["note"] else lines


def _gc_lines(answer: Mapping[str, Any]) -> list[str]:
    freed = f"{answer['texts']} texts thrown away, {answer['bytes_freed']} bytes"
    return [f"{freed}; the database has {answer['file_bytes']} bytes"]
