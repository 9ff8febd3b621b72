"""Writer of what a setup decided: agent.toml, of which all else is kept; the secrets file; a unit of systemd's."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actors.linux.disk import RealDisk, put_whole
from actors.linux.private_folder import make_private
from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.toml_lines import key_lines

Values = Mapping[str, object]
"""Dotted key -> value: text, numbers, truth values, and lists of text."""
_ASSIGNMENT = re.compile(r"^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=")
UNIT = """\
# Written by `agent setup`. systemctl --user daemon-reload; systemctl --user enable --now remembrancer
[Unit]
Description=Remembrancer, an agent in Discord
StartLimitIntervalSec=10min
StartLimitBurst=10

[Service]
Type=notify
NotifyAccess=main
ExecStart={agent} run --config {config}
WorkingDirectory={folder}
UMask=0077
TimeoutStartSec=2min
WatchdogSec=60
Restart=always
RestartSec=1
RestartPreventExitStatus=1 2
KillMode=mixed
TimeoutStopSec=30
OOMPolicy=continue
Delegate=yes

[Install]
WantedBy=default.target
"""


class WriteError(Exception):
    """A file cannot be written as it should be; nothing of it was changed, and the text says what to do."""


def settings_text(before: str, values: Values) -> str:
    """`before`, a file's text, with `values` in it; comments and everything else stay as they are.

    Raises:
        WriteError: it cannot be edited so; names the keys to set by hand.
    """
    text = before
    try:
        for key, value in values.items():
            text = _with(text, key, value)
        if tomllib.loads(text) == _merged(tomllib.loads(before), values):
            return text
    except (ValueError, RecursionError):
        pass
    lines = "; ".join(f"{key} = {_toml(value)}" for key, value in values.items())
    raise WriteError(f"the file's form is beyond this command: set by hand {lines}")


def secrets_text(before: str, secrets: Mapping[str, str]) -> str:
    """`before`, a secrets file's text, with `secrets` in it; other lines stay."""
    left = dict(secrets)
    lines = []
    for line in before.splitlines():
        found = _ASSIGNMENT.match(line.strip())
        if found is not None and found[1] in secrets:
            if found[1] in left:
                lines.append(_secret(found[1], left.pop(found[1])))
            continue
        lines.append(line)
    lines += [_secret(name, value) for name, value in left.items()]
    return "".join(f"{line}\n" for line in lines)


def unit_text(agent: Path, config: Path) -> str:
    """A unit of systemd's for one user."""
    return UNIT.format(agent=_quoted(agent), config=_quoted(config), folder=_quoted(config.parent))


def read_plain(path: Path) -> str:
    """The text of a file; empty if there is none.

    Raises:
        WriteError: it is a link, or cannot be read.
    """
    if path.is_symlink():
        raise WriteError(f"{path}: is a link; nothing is written through one, so name the file itself")
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise WriteError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def write(path: Path, text: str, *, private: bool) -> None:
    """Put `text` into the file at `path`, whole or not at all; a secret one is closed to others from its first byte on.

    Raises:
        WriteError: it cannot be written.
    """
    read_plain(path)
    try:
        make_private(path.parent)
        mode = path.stat().st_mode & 0o777 if path.exists() and not private else 0o600
        put_whole(RealDisk(), path, text.encode())  # as a file that only its owner may read
        if mode != 0o600:
            path.chmod(mode)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror}") from error


def require_loadable(text: str, path: Path, tables: Mapping[str, Any]) -> None:
    """See that the settings that are about to be written can be loaded.

    Raises:
        WriteError: they cannot; says why.
    """
    probe = path.with_name(f".{path.name}.probe")
    try:
        make_private(probe.parent)
        probe.write_text(text, "utf-8")
        load(probe, environ={}, folder=path.parent, tables=tables)
    except SettingsError as error:
        raise WriteError(str(error).replace(probe.name, path.name)) from error
    except OSError as error:
        raise WriteError(f"{path.parent}: cannot be written to: {error.strerror}") from error
    finally:
        probe.unlink(missing_ok=True)


def _with(text: str, key: str, value: object) -> str:
    table, _, name = key.rpartition(".")
    lines = text.splitlines()
    said = key_lines(text) if text.strip() else {}
    path = (*table.split("."), name) if table else (name,)
    assignment = f"{name} = {_toml(value)}"
    if path in said:
        at = said[path] - 1
        end = _end_of(lines, at)
        comment = ""
        lines[at : end + 1] = [f"{assignment}{comment}"]
    elif table and (table,) in said:
        header = said[(table,)] - 1
        lines.insert(header + 1, assignment)
    elif table:
        lines += [*([""] if lines and lines[-1].strip() else []), f"[{table}]", assignment]
    else:
        lines.insert(0, assignment)
    return "".join(f"{line}\n" for line in lines)


def _end_of(lines: list[str], at: int) -> int:
    """The last line of the value that begins on line `at`."""
    for end in range(at, len(lines)):
        try:
            tomllib.loads("\n".join(lines[at : end + 1]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    raise ValueError("a value without an end")


def _merged(document: dict[str, Any], values: Values) -> dict[str, Any]:
    merged = {key: dict(value) if isinstance(value, dict) else value for key, value in document.items()}
    for key, value in values.items():
        table, _, name = key.rpartition(".")
        (merged.setdefault(table, {}) if table else merged)[name] = value
    return merged


def _toml(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)  # of text, numbers and truth values TOML has JSON's form


def _secret(name: str, value: str) -> str:
    return f"{name}={value}" if re.fullmatch(r"[^\s\"'#]*", value) else f'{name}="{value}"'


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"' if re.search(r"[\s\"'\\;]", text) else text
