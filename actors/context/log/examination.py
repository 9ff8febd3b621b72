"""Examination of all logs, and repairs after a crash or a careless hand: seals and permissions.

No repair alters a record: a seal is appended behind a torn record, as the agent itself does at the next opening of the
log.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from actors.context.log.file import WindowLog
from actors.context.log.scan import newest_name
from actors.linux.regular_file import read_regular
from domain.log.parser import ParsedLog, parse
from domain.log.view import findings
from domain.log.window import LOG_ROOT, parse_log_path

OPEN_MODE = 0o600
CLOSED_MODE = 0o444
_OTHERS_WRITE = 0o022
_EXECUTABLE = 0o111


@dataclass(slots=True)
class Examined:
    """Result of a look at every log."""

    checked: int = 0
    """Logs checked, including logs with a read error among the problems."""
    problems: list[str] = field(default_factory=list)
    """Problems without a repair, each with file and line."""
    torn: list[Path] = field(default_factory=list)
    """Logs with an end torn by a crash."""
    misplaced: list[Path] = field(default_factory=list)
    """Files with wrong permissions."""


def examine(root: Path) -> Examined:
    """Look at every log below the data root."""
    result = Examined()
    for path in sorted((root / LOG_ROOT).rglob("*.md")):
        try:
            if not stat.S_ISREG(path.lstat().st_mode):  # a pipe would be waited for, and a link leads anywhere
                result.checked += 1
                result.problems.append(f"{path}: is not a regular file; remove it")
                continue
            if _is_mode_wrong(path):
                result.misplaced.append(path)
            log = _examine(root, path, result)
        except OSError as error:
            if isinstance(error, PermissionError) and path in result.misplaced:
                continue  # one trouble, which one repair mends
            result.problems.append(f"{path}: {error.strerror}")
            log = None
        result.checked += 1
        if log is not None:
            result.torn.append(path)
    return result


def _examine(root: Path, path: Path, result: Examined) -> ParsedLog | None:
    """Note the faults of a log; return the log if its end can be sealed."""
    data = read_regular(path)
    log = parse(data)
    try:
        window, name = parse_log_path(PurePosixPath(path.relative_to(root).as_posix()))
    except ValueError:
        result.problems += [f"{path}:{fault.line}: {fault.reason}" for fault in findings(log)]
        return None
    begins = f"# {window.surface.value} {window.id}\n".encode()
    is_cut = log.torn is not None and (log.header is not None or begins.startswith(data[: len(begins)]))
    is_empty = not data
    for fault in findings(log, window, name):
        of_end = log.torn is not None and fault.line == log.torn.line
        if not (is_empty or (is_cut and (of_end or log.header is None))):
            result.problems.append(f"{path}:{fault.line}: {fault.reason}")
    return log if is_cut or is_empty else None


def _is_mode_wrong(path: Path) -> bool:
    mode = stat.S_IMODE(path.lstat().st_mode)
    return not mode & stat.S_IRUSR or bool(mode & (_OTHERS_WRITE | _EXECUTABLE))


def seal(root: Path, logs: Iterable[Path]) -> None:
    """Seal the torn records of these logs; logs of closed windows become read-only again.

    Raises:
        OSError: a log cannot be sealed.
    """
    for path in logs:
        log, _ = WindowLog.open(root, PurePosixPath(path.relative_to(root).as_posix()))
        if newest_name(path.parent) == path.name:
            log.close()
        else:
            log.end_window()


def close_to_others(logs: Iterable[Path]) -> None:
    """Give these logs the agent's usual permissions.

    Raises:
        OSError: a log belongs to another user.
    """
    for path in logs:
        path.chmod(OPEN_MODE if newest_name(path.parent) == path.name else CLOSED_MODE, follow_symlinks=False)


def open_folders(root: Path) -> Iterator[Path]:
    """The agent's own folders that other users may change or their owner cannot use, and a root open to everybody."""
    if stat.S_IMODE(root.stat().st_mode) & stat.S_IRWXO:
        yield root
    logs = root / LOG_ROOT
    for folder in (root, logs, *logs.glob("*/"), *logs.glob("*/*/")):
        if folder.is_symlink() or not folder.is_dir():
            continue
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & _OTHERS_WRITE or mode & stat.S_IRWXU != stat.S_IRWXU:
            yield folder
