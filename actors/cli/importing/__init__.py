"""`agent import`: messages from before the agent joined, from Discord's history or from exports."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actors.cli.asking import OPERATOR, Options, VerbClient, asking_options, lock_root, running
from actors.cli.common import fail
from actors.cli.terminal.progress import Say, progress_line

if TYPE_CHECKING:
    from actors.importer.export_file import Export
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb
    from actors.settings.schema import Settings
    from messages.base import Window
    from messages.past import ExportImported, ImportDescribed

LOOK_EVERY_S = 0.5
_MOST_PATH_CHARS = 48 * 1024
"""Characters of paths in a request: the socket takes lines of 64 KiB."""
EXPORT_S = 86_400.0
_NEEDS_AGENT = "no agent is running on {}: Discord's history is read by the running agent; start it with `agent run`"


@click.group("import")
def import_() -> None:
    """Import messages from before the agent: search and memories then reach back to the first message."""


@import_.command()
@click.option("--no-wait", is_flag=True, help="Start or resume the import, and return at once.")
@asking_options
def discord(no_wait: bool, **options: Any) -> None:
    """Import the history of all channels that the agent hears, newest first, archived threads included.

    The running agent does the work, and goes on after any end. You may interrupt the command at any time.
    """
    _IMPORT.ask("discord", options, {"window": OPERATOR}, needs_agent=_NEEDS_AGENT)
    pause = threading.Event()
    with progress_line() as say:
        while (progress := _state(options)).state in ("listing", "reading") and not no_wait:
            _show(say, progress)
            pause.wait(LOOK_EVERY_S)
    _IMPORT.show("status", progress, options)


@import_.command()
@asking_options
def status(**options: Any) -> None:
    """Print the progress of the import of Discord's history."""
    _IMPORT.show("status", _state(options), options)


@import_.command()
@asking_options
def stop(**options: Any) -> None:
    """Pause the import of Discord's history; `agent import discord` resumes it."""
    _IMPORT.tell("stop", options, {"window": OPERATOR}, needs_agent=_NEEDS_AGENT)


@import_.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@asking_options
def export(files: tuple[Path, ...], **options: Any) -> None:
    """Import FILES of DiscordChatExporter (JSON), without network; the agent may run or not.

    All files are checked before the first message is imported. A second import of a file changes nothing.
    """
    settings, _ = _IMPORT.settings(options)
    paths = [file.absolute() for file in files]
    if missing := [str(path) for path in paths if not path.is_file()]:
        fail(f"{missing[0]}: no such file")
    with progress_line() as say:
        say("the files are being read")
        reply = _import_beside(settings, paths) or _fields(_import_alone(settings, paths, say))
    import msgspec

    from messages.past import ExportImported

    _IMPORT.show("export", msgspec.convert({**reply, "request_id": ""}, ExportImported, strict=False), options)


def _state(options: Options) -> ImportDescribed:
    progress: ImportDescribed = _IMPORT.ask("status", options, {"window": OPERATOR}, needs_agent=_NEEDS_AGENT)  # type: ignore[assignment]  # by its verb
    return progress


def _show(say: Say, progress: ImportDescribed) -> None:
    places = f"{progress.places_done:,} of {progress.places:,} places"
    text = f"{progress.kept:,} messages, {progress.per_second:,.0f} a second, {places}"
    say(f"{text}; {progress.note}" if progress.note else text, progress.read, progress.read + progress.estimate)


def _fields(reply: ExportImported) -> dict[str, Any]:
    return _IMPORT.fields(reply)


def _import_beside(settings: Settings, paths: Iterable[Path]) -> Options | None:
    """Import files by the running agent; None without an agent.

    Paths too many for a request go in several, and then all files are checked before the first request.
    """
    requests = list(_requests(paths))
    windows: set[Window] = set()
    if len(requests) > 1:
        if running(settings, "import.status", window=OPERATOR) is None:
            return None
        exports = _check(paths)
        windows = {each.window for each in exports}
        requests = list(_requests(each.path for each in exports))
    replies: list[Options] = []
    for files in requests:
        reply = running(settings, "import.export", EXPORT_S, window=OPERATOR, files=files)
        if reply is None:
            return None
        replies.append(reply)
    if len(replies) == 1:
        return replies[0]
    sums = {name: sum(reply[name] for reply in replies) for name in ("files", "messages", "kept")}
    return {**sums, "windows": len(windows)}


def _requests(paths: Iterable[Path]) -> Iterator[list[str]]:
    """Paths of each request."""
    files: list[str] = []
    chars = 0
    for path in map(str, paths):
        path_chars = len(json.dumps(path)) + 2
        if files and chars + path_chars > _MOST_PATH_CHARS:
            yield files
            files, chars = [], 0
        files.append(path)
        chars += path_chars
    yield files


def _check(paths: Iterable[Path]) -> list[Export]:
    """Exports in all files, the latest first; ends the command at the first unsound file."""
    from actors.importer.export_file import ExportFault, check_export, newest_first

    try:
        return newest_first(map(check_export, paths))
    except ExportFault as error:
        fail(f"nothing is imported: {error}")


def _import_alone(settings: Settings, paths: Iterable[Path], say: Say) -> ExportImported:
    """Import files where no agent runs; the agent's next start indexes the logs."""
    from actors.context.log.imported import ImportedLogs
    from actors.importer.export_file import ExportFault, read_batches
    from actors.importer.journal import ImportJournal
    from actors.importer.keeping import BATCH
    from actors.importer.off_record import off_record_of
    from domain.policy.channel_rules import ChannelRules
    from messages.base import RequestId
    from messages.past import ExportImported

    stored, done = 0, 0
    with ExitStack() as stack:
        stack.enter_context(lock_root(settings, "hold", ""))
        exports = _check(paths)
        rules = ChannelRules({key: table.rule for key, table in settings.channels.items()})
        is_off = off_record_of(exports, {}, settings.data_root, rules)
        total = sum(each.messages for each in exports)
        logs: dict[Window, ImportedLogs] = {}
        try:
            journal = ImportJournal(settings.data_root)
            journal.load()
            journal.note_exported(each.window for each in exports)
            for each in exports:
                window_logs = logs.setdefault(each.window, ImportedLogs(settings.data_root, each.window))
                for batch in read_batches(each, BATCH, is_off[each.window]):
                    stored += window_logs.keep(batch, "")[1]
                    done += len(batch)
                    say(f"{done:,} of {total:,} messages", done, total)
        except (OSError, ExportFault, ValueError) as error:
            fail(f"{error}; mend this and import the files again: no message is imported twice")
    return ExportImported(request_id=RequestId(""), files=len(exports), messages=total, kept=stored, windows=len(logs))


def _verbs() -> Mapping[str, Verb]:
    from actors.importer.part import VERBS

    return {**VERBS}


def _specs(_plan: Plan, _verb: str) -> Iterable[ActorSpec]:
    return ()


_IMPORT = VerbClient("import", _verbs, _specs, is_layer=False)
