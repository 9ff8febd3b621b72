"""Writer of a setup's decisions: agent.toml, with all else kept; the secrets file; a systemd unit."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from actors.linux.disk import RealDisk, put_whole
from actors.linux.private_folder import make_private
from actors.settings.toml_lines import key_lines
from domain.text.terminal_text import plain

Values = Mapping[str, object]
"""Dotted key -> value: text, numbers, truth values, and lists of text."""
_ASSIGNMENT = re.compile(r"^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=")
_MARK = "\ufeff"
"""Before the text, by some editors."""
HEAD = "# Written by `agent setup`, which can be run again; every setting stands in docs/agent.example.toml.\n"
ABOUT: Mapping[str, str] = {
    "discord.channels": (
        "The channels the bot reads, together with their threads. A category's id stands for its channels, those made "
        "later too."
    ),
    "discord.allowed_users": (
        "Who may talk to it and thereby run commands: these people, and those with one of these roles. "
        "Both empty: nobody."
    ),
    "model.name": (
        'The model as litellm names it, e.g. "gemini/gemini-2.5-flash" or "hosted_vllm/<name>"; '
        '"offline" answers by simple rules.'
    ),
    "model.api_base": ('Address of a server of your own, e.g. "http://127.0.0.1:8000/v1". Empty: the provider\'s.'),
    "reminders.file": (
        "The markdown file, which you may edit at any time; relative to the data root. Empty: no reminders."
    ),
}
"""Key -> comment above a key added by a setup; the example's words."""
UNIT = """\
# Written by `agent setup`. systemctl --user daemon-reload; systemctl --user enable --now remembrancer
[Unit]
Description=Remembrancer, an agent in Discord
StartLimitIntervalSec=10min
StartLimitBurst=10

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
WorkingDirectory={folder}
{environment}UMask=0077
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
    """A file cannot be written properly; the file is unchanged, and the text gives the remedy."""


def settings_text(before: str, values: Values, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """`before`, a file's text, with `values` in it; comments and everything else stay unchanged.

    An equal existing value stays as written. The comment from `names` is put behind a new value of the key.

    Raises:
        WriteError: the text cannot be edited so; names the keys to set by hand.
    """
    is_dos = "\r\n" in before
    text = before.removeprefix(_MARK).replace("\r\n", "\n")
    try:
        was = tomllib.loads(text)
        for key in _in_order(values):
            text = _with(text, key, values[key], names.get(key, ""))
        if tomllib.loads(text) == _merge_values(was, values):
            return text.replace("\n", "\r\n") if is_dos else text
    except (ValueError, RecursionError):
        pass
    lines = "; ".join(f"{key} = {_toml(value)}" for key, value in values.items())
    raise WriteError(f"this command cannot edit the form of this file: set by hand {lines}")


def secrets_text(before: str, secrets: Mapping[str, str]) -> str:
    """`before`, a secrets file's text, with `secrets` in it; other lines stay."""
    left = dict(secrets)
    lines = []
    for line in before.removeprefix(_MARK).split("\n"):
        match = _ASSIGNMENT.match(line.strip())
        if match is not None and match[1] in secrets:
            if match[1] in left:
                lines.append(_secret(match[1], left.pop(match[1])))
            continue
        lines.append(line)
    while lines and not lines[-1].strip():
        lines.pop()
    lines += [_secret(name, value) for name, value in left.items()]
    return "".join(f"{line}\n" for line in lines)


def unit_text(agent: Path, config: Path, environment: Mapping[str, str]) -> str:
    """A systemd unit for a single user.

    Args:
        agent: The program, absolute.
        config: The settings file, absolute.
        environment: Variables of this environment that the agent needs.

    Raises:
        WriteError: a path has a line break, which no unit can name.
    """
    for text in (str(agent), str(config), *environment.values()):
        if not text.isprintable():
            raise WriteError(f"{text!r}: a unit of systemd's can only name a path of printable letters")
    command = " ".join(_quote_word(word).replace("$", "$$") for word in (str(agent), "run", "--config", str(config)))
    lines = "".join(f"Environment={_quote_word(f'{name}={value}')}\n" for name, value in environment.items())
    return UNIT.format(command=command, folder=str(config.parent).replace("%", "%%"), environment=lines)


def read_plain(path: Path) -> str:
    """Text of a file with its line breaks unchanged; empty for a missing file.

    Raises:
        WriteError: the path is a link or no file, or cannot be read.
    """
    if path.is_symlink():
        raise WriteError(f"{path}: is a link; nothing is written through one, so name the file itself")
    if path.exists() and not path.is_file():
        raise WriteError(f"{path}: is not a file")
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise WriteError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def require_writable(path: Path) -> None:
    """Check for a folder where `write` can succeed, as far as possible without a file.

    Raises:
        WriteError: the folder cannot be written.
    """
    read_plain(path)
    folder = next(each for each in path.parents if each.exists())
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise WriteError(f"{path}: cannot be written: {folder} is no folder that you may write to")


def write(path: Path, text: str, *, private: bool) -> None:
    """Write `text` to the file at `path`, whole or not at all; a secret file is private from its first byte on.

    Raises:
        WriteError: the file cannot be written.
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


def _in_order(values: Values) -> list[str]:
    """Keys, table by table, each table's last key first, since each is put at the table's top."""
    tables = dict.fromkeys(key.rpartition(".")[0] for key in values)
    return [key for table in tables for key in reversed(list(values)) if key.rpartition(".")[0] == table]


def _with(text: str, key: str, value: object, names: str) -> str:
    table, _, name = key.rpartition(".")
    lines = text.removesuffix("\n").split("\n") if text else []
    numbers = key_lines(text) if text.strip() else {}
    path = (*table.split("."), name) if table else (name,)
    assignment = f"{name} = {_toml(value)}"
    behind = f"  # {' '.join(plain(names).split())}" if names else ""
    added = [*([f"# {ABOUT[key]}"] if key in ABOUT else []), assignment + behind]
    if path in numbers:
        at = numbers[path] - 1
        end = _end_of(lines, at)
        if _value_of("\n".join(lines[at : end + 1])) != value:
            lines[at : end + 1] = [assignment + (behind or _comment_of(lines[at : end + 1]))]
    elif table and (table,) in numbers:
        header = numbers[(table,)] - 1
        lines[header + 1 : header + 1] = added
    elif table:
        lines += [*([""] if lines and lines[-1].strip() else []), f"[{table}]", *added]
    else:
        lines[:0] = added
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


def _value_of(assignment: str) -> object:
    """Value of an assignment to a single-word key."""
    return next(iter(tomllib.loads(assignment).values()))


def _comment_of(lines: list[str]) -> str:
    """Comment behind a value, with the spaces before it; empty without a comment."""
    *above, last = lines
    for mark in (at for at, letter in enumerate(last) if letter == "#"):
        try:
            tomllib.loads("\n".join([*above, last[:mark]]))
        except tomllib.TOMLDecodeError:
            continue
        return last[len(last[:mark].rstrip()) :]
    return ""


def _merge_values(document: dict[str, Any], values: Values) -> dict[str, Any]:
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


def _quote_word(word: str) -> str:
    """A word of a command or an assignment, as systemd reads it."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"' if re.search(r"[\s\"'\\;]", text) else text
