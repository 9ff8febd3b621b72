"""`agent reminders`: view the reminders' file; no reminder is sent and no file is changed."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import config_option, fail, json_option, load_settings

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from domain.reminder.document import Scan

NO_ID = "(no id yet)"
WEEK = timedelta(days=7)
TIMES = "ISO 8601; without an offset in Europe/London."
file_option = click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Reminders' file, if not the configured one."
)


@click.group()
def reminders() -> None:
    """Read the reminders' file, which stays unchanged; the agent need not run."""


@reminders.command("list")
@file_option
@config_option
@json_option
def list_them(file: Path | None, config_file: Path | None, as_json: bool) -> None:
    """Print every reminder with its next time, soonest first."""
    from actors.scheduler.listing import by_next
    from domain.reminder.text import shown_time

    scan, zone, now = _scan(_file(file, config_file)), _zone(), _now()
    rows = [
        {
            "id": entry.reminder.id,
            "msg": entry.reminder.message,
            "recur": entry.reminder.recurrence.value,
            "in": entry.reminder.window.address.key if entry.reminder.window is not None else None,
            "failed": entry.reminder.failed,
            "next_utc": _utc(due) if due is not None else None,
            "local": shown_time(due, zone) if due is not None else None,
            "number": entry.number,
            "line": entry.line,
        }
        for due, entry in by_next(scan, now, zone)
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    for row in rows:
        when = row["local"] or ("could not be said" if row["failed"] else "past: due at once")
        place = f"  (in {row['in']})" if row["in"] else ""
        click.echo(f"{when:24}  {row['recur']:8}  {row['id'] or NO_ID:18}  {row['msg']}{place}")
    if scan.faults:
        click.echo(f"{len(scan.faults)} lines look like reminders and are invalid: see `check`", err=True)


@reminders.command()
@file_option
@config_option
@json_option
def check(file: Path | None, config_file: Path | None, as_json: bool) -> None:
    """Print each invalid or failed reminder line with the reason; exit 1 if there are any.

    A file that is not UTF-8 is an error. Reminders in code, math, comments and quotes get a note, which is no error.
    """
    from domain.edit.encoding import encoding_flaw
    from domain.edit.lines import line_count
    from domain.reminder.document import hidden_reminders, scan
    from domain.text.terminal_text import plain

    path = _file(file, config_file)
    data = _read(path)
    flaw, hidden = encoding_flaw(data), hidden_reminders(data)
    look_ms = _look_ms(data)
    result = scan(data)
    faults = sorted((*result.faults, *result.repeated, *result.failed), key=lambda fault: fault.number)
    problems = [{"number": fault.number, "line": fault.text, "reason": fault.reason} for fault in faults]
    if as_json:
        notes = [{"number": fault.number, "line": fault.text, "reason": fault.reason} for fault in hidden]
        figures = {"lines": line_count(data) + 1, "look_ms": round(look_ms, 2)}
        answer = {"reminders": len(result.entries), "invalid": problems, "hidden": notes, "encoding": flaw, **figures}
        click.echo(json.dumps(answer))
    else:
        if flaw:
            click.echo(f"{path}: {flaw}", err=True)
        for fault in hidden:
            click.echo(f"note: {path}:{fault.number}: {fault.reason}\n    {plain(fault.text)}", err=True)
        for problem in problems:
            line = plain(str(problem["line"]))
            click.echo(f"{path}:{problem['number']}: {problem['reason']}\n    {line}", err=True)
        click.echo(f"{len(result.entries)} reminders, {len(problems)} invalid lines; a look takes {look_ms:.1f} ms")
    sys.exit(1 if problems or flaw else 0)


@reminders.command("next")
@file_option
@click.option("--from", "begin", help=f"First instant of the interval, else now. {TIMES}")
@click.option("--to", "end", help=f"Last instant of the interval, else a week later. {TIMES}")
@config_option
@json_option
def upcoming(file: Path | None, begin: str | None, end: str | None, config_file: Path | None, as_json: bool) -> None:
    """Print every firing from one instant to another, both included, in the order of time."""
    from domain.reminder.recurrence import firings
    from domain.reminder.text import shown_time

    scan, zone = _scan(_file(file, config_file)), _zone()
    start = _instant(begin, "--from", zone) if begin else _now()
    until = _instant(end, "--to", zone) if end else start + WEEK
    if until < start:
        fail(f"--to {end}: must not be before --from")
    due = sorted(
        (
            (moment, entry.reminder)
            for entry in scan.entries
            if not entry.reminder.failed
            for moment in firings(entry.reminder, start - timedelta(microseconds=1), until, zone)
        ),
        key=lambda pair: pair[0],
    )
    if as_json:
        rows = [
            {"id": r.id, "msg": r.message, "due_utc": _utc(moment), "local": _local(moment, zone)} for moment, r in due
        ]
        click.echo(json.dumps(rows))
        return
    for moment, reminder in due:
        click.echo(f"{shown_time(moment, zone)}  {_utc(moment)}  {reminder.id or NO_ID:18}  {reminder.message}")


def _look_ms(data: bytes) -> float:
    """Milliseconds of the scheduler's look at the file each minute; the median of five."""
    from actors.kernel import SystemClock
    from domain.reminder.due import Stretch

    clock, zone, now, took = SystemClock(), _zone(), _now(), []
    for _ in range(5):
        began = clock.monotonic()
        Stretch(now - timedelta(minutes=1), now, zone).find(data)
        took.append(clock.monotonic() - began)
    return sorted(took)[2] * 1000


def _file(file: Path | None, config_file: Path | None) -> Path:
    """The file to look into; ends the command without a configured file."""
    if file is not None:
        if not file.exists():
            fail(f"{file}: no such file")
        return file
    from actors.scheduler.config import reminders_path

    settings, _ = load_settings(config_file)
    path = reminders_path(settings.data_root, settings.reminders.file)
    if path is None:
        fail("reminders.file is empty, so there are no reminders; --file names a file")
    if not path.exists():
        click.echo(f"note: {path} is not there yet, so there are no reminders", err=True)
    return path


def _scan(path: Path) -> Scan:
    from domain.edit.encoding import encoding_flaw, is_wide
    from domain.reminder.document import scan

    data = _read(path)
    if is_wide(data):
        fail(f"{path}: {encoding_flaw(data)}")
    if flaw := encoding_flaw(data):
        click.echo(f"note: {path}: {flaw}", err=True)
    return scan(data)


def _read(path: Path) -> bytes:
    """Content of the file; ends the command if the file cannot be read."""
    from actors.edited_file.file import LIMIT_BYTES, EditedFile, reason_of

    try:
        look = EditedFile(path, path.parent).look()
    except OSError as error:
        fail(reason_of(error))
    if look is None:
        return b""
    if look.left_out_bytes:
        click.echo(f"note: {path}: only its first {LIMIT_BYTES // 2**20} MiB are read, as by the agent", err=True)
    return look.data


def _zone() -> ZoneInfo:
    from actors.scheduler.zone import ZoneMissingError, load_zone

    try:
        return load_zone()
    except ZoneMissingError as error:
        fail(str(error))


def _now() -> datetime:
    from actors.kernel import SystemClock

    return SystemClock().now()


def _instant(text: str, option: str, zone: ZoneInfo) -> datetime:
    from domain.reminder.recurrence import instant

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option} {text}: must be ISO 8601, such as 2026-03-29T00:00Z", 2)
    return instant(moment, zone) if moment.tzinfo is None else moment.astimezone(UTC)


def _utc(moment: datetime) -> str:
    return f"{moment.replace(tzinfo=None).isoformat(timespec='minutes')}Z"


def _local(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).isoformat(timespec="minutes")
