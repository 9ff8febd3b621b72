"""Search for a forgotten message in a window's logs: Discord still has the words, and may deliver them again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from actors.context.log.file import LogUnwritable
from actors.context.log.scan import all_log_names
from actors.linux.regular_file import read_regular
from domain.log.forgotten import forgotten_with, lines_with
from domain.log.window import keeps_logs, log_folder
from messages.base import Window


def is_forgotten(root: Path | None, window: Window, message_id: str) -> bool:
    """True if the logs of a window say that a message was forgotten: a person's, or the agent's.

    Args:
        root: The data root; None to keep no log.
        window: Window of the logs, which may be another one's, or keep none.
        message_id: Number of the message in Discord.

    Raises:
        LogUnwritable: a log cannot be read.
    """
    is_number = message_id.isascii() and message_id.isdecimal()
    if root is None or not is_number or not keeps_logs(window.surface, window.id):
        return False
    word = b'"%b"' % message_id.encode("ascii")
    answers = set[str]()
    for data in _read_logs(root, window, word):
        if any(number == message_id for _, number in forgotten_with(data, word)):
            return True
        lines = (data[start : data.find(b"\n", start)] for start in lines_with(data, word))
        answers.update(each[1].decode("ascii") for line in lines if _IDS in line for each in _EVENT.finditer(line))
    return any(_is_answer_gone(root, window, answer) for answer in answers)


def _is_answer_gone(root: Path, window: Window, answer: str) -> bool:
    word = answer.encode("ascii")
    logs = _read_logs(root, window, word)
    return any(answer == event_id for data in logs for event_id, _ in forgotten_with(data, word))


_IDS = b'"message_ids":['
_EVENT = re.compile(rb'"event":"([0-9A-Za-z_-]{1,64})"')


def _read_logs(root: Path, window: Window, word: bytes) -> Iterator[bytes]:
    """Contents of the window's logs with a given word."""
    folder = root / log_folder(window)
    try:
        for name in all_log_names(folder):
            data = read_regular(folder / name)
            if word in data:
                yield data
    except FileNotFoundError:
        return
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be read: {error.strerror}") from error
