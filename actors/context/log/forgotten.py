"""Look for a forgotten message in a window's logs: Discord has its words still, and gives them again by other ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from actors.context.log.file import LogUnwritable
from actors.context.log.scan import all_log_names
from actors.linux.regular_file import read_regular
from domain.log.forgotten import forgotten_records
from domain.log.window import log_folder
from messages.base import Window


def is_forgotten(root: Path, window: Window, message_id: str) -> bool:
    """True if the logs of a window say that a message was forgotten: a person's, or the agent's.

    Args:
        root: The data root.
        window: Window of the logs, which may be another one's.
        message_id: Number of the message in Discord.

    Raises:
        LogUnwritable: a log cannot be read.
    """
    answers = set[bytes]()
    shown = re.compile(rb'\n<!-- (\{[^\n]*"message_ids":\[[^]\n]*"%b"[^\n]*\})' % message_id.encode("ascii"))
    for data in _read_logs(root, window, message_id):
        if message_id in forgotten_records(data).values():
            return True
        answers.update(each[1] for line in shown.finditer(data) for each in _EVENT.finditer(line[1]))
    return any(
        not answers.isdisjoint(map(str.encode, forgotten_records(data)))
        for answer in answers
        for data in _read_logs(root, window, answer.decode("ascii"))
    )


_EVENT = re.compile(rb'"event":"([0-9A-Za-z_-]{1,64})"')


def _read_logs(root: Path, window: Window, word: str) -> Iterator[bytes]:
    """Contents of the window's logs in which a word stands."""
    folder = root / log_folder(window)
    try:
        for name in all_log_names(folder):
            data = read_regular(folder / name)
            if word.encode("ascii") in data:
                yield data
    except FileNotFoundError:
        return
    except OSError as error:
        raise LogUnwritable(folder, f"cannot be read: {error.strerror}") from error
