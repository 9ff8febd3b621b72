"""Files of DiscordChatExporter: read message by message, so a file of any size takes little memory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

import msgspec

from actors.linux.regular_file import open_regular
from domain.turn.discord.exported import ExportedMessage, ExportHead, ExportTail, exported_message, exported_window
from messages.base import Window
from messages.past import PastMessage

_CHUNK = 1 << 20
_MOST_HEAD = 1 << 20
"""Characters within which the messages must begin."""
_MOST_MESSAGE = 16 << 20
"""Most characters of a message."""
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
T = TypeVar("T")


class ExportFault(ValueError):  # noqa: N818 - names what is wrong, as the house's other faults
    """A file is no export; the text names file, place and rule."""


@dataclass(frozen=True, slots=True)
class Export:
    """A sound export, read to its end once."""

    path: Path
    window: Window
    parent_id: str
    """Channel of a thread, category of a channel; empty if unknown."""
    exported_s: float
    """Time of the export in seconds; 0 if unknown."""
    messages: int
    """All messages, notices of Discord's included."""


def check_export(path: Path) -> Export:
    """Read a whole file.

    Raises:
        ExportFault: the file is no export, or part of an export.
    """
    reader = _Reader(path)
    for _ in reader.messages():
        continue
    return Export(path, reader.window, reader.parent_id, reader.exported_s, reader.count)


def newest_first(exports: Iterable[Export]) -> list[Export]:
    """The same exports, the latest first: of a message in several exports the first words are kept."""
    return sorted(exports, key=lambda each: each.exported_s, reverse=True)


def read_batches(export: Export, size: int, is_left_out: Callable[[int], bool]) -> Iterator[tuple[PastMessage, ...]]:
    """Messages of an export, in batches of `size`.

    Args:
        export: A sound export.
        size: Most messages of a batch.
        is_left_out: True for the number of a message to leave out.

    Raises:
        ExportFault: the file has changed since the check.
    """
    messages = (each for each in _Reader(export.path).messages() if not is_left_out(int(each.message_id)))
    while batch := tuple(islice(messages, size)):
        yield batch


class _Reader:
    """A single pass through a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = ""
        self._at = 0
        self.window: Window
        self.parent_id = ""
        self.exported_s = 0.0
        self.count = 0

    def messages(self) -> Iterator[PastMessage]:
        """Messages of the file, from the first to the last."""
        try:
            with os.fdopen(open_regular(self._path), encoding="utf-8-sig") as file:
                self._read_head(file)
                while (message := self._next(file)) is not None:
                    place = f"messages[{self.count}]"
                    self.count += 1
                    try:
                        past_message = exported_message(self._convert(message, ExportedMessage, place))
                    except ExportFault:
                        raise
                    except ValueError as error:
                        raise self._fault(place, str(error)) from None
                    if past_message is not None:
                        yield past_message
                self._read_tail(file)
        except UnicodeDecodeError as error:
            raise self._fault(f"byte {error.start}", "must be UTF-8") from None
        except OSError as error:
            raise self._fault("the file", f"must be readable: {error.strerror}") from None

    def _read_head(self, file: TextIO) -> None:
        while (match := _MESSAGES.search(self._text)) is None:
            if not self._more(file) or len(self._text) > _MOST_HEAD:
                raise self._fault("the beginning", 'must have "messages": [ behind "guild" and "channel"')
        head = self._decode(self._text[: match.end()] + "]}", "the beginning")
        try:
            converted = self._convert(head, ExportHead, "the beginning")
            self.window, self.parent_id = exported_window(converted), converted.channel.category_id or ""
            self.exported_s = converted.exported_s
        except ExportFault:
            raise
        except ValueError as error:
            raise self._fault("the beginning", str(error)) from None
        self._at = match.end()

    def _next(self, file: TextIO) -> Any:
        """The next message; None after the last."""
        while True:
            at = _GAP.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing at all, too
            if at < len(self._text):
                if self._text[at] == "]":
                    self._at = at + 1
                    return None
                try:
                    message, self._at = _DECODER.raw_decode(self._text, at)
                except json.JSONDecodeError as error:
                    if len(self._text) - at > _MOST_MESSAGE or not self._more(file):
                        rule = f"must be JSON of at most {_MOST_MESSAGE:,} characters: {error.msg}"
                        raise self._fault(f"messages[{self.count}]", rule) from None
                    continue
                except (ValueError, RecursionError) as error:
                    raise self._fault(f"messages[{self.count}]", _unusable(error)) from None
                if self._at > _CHUNK:
                    self._text, self._at = self._text[self._at :], 0
                return message
            if not self._more(file):
                raise self._fault(f"messages[{self.count}]", "must follow, or the list must end: the file is cut short")

    def _read_tail(self, file: TextIO) -> None:
        while self._more(file):
            continue
        rest = self._text[self._at :].lstrip()
        tail = self._decode("{" + rest.removeprefix(","), "the end")
        stated = self._convert(tail, ExportTail, "the end").message_count
        if stated is not None and stated != self.count:
            raise self._fault("messageCount", f"must be {self.count:,}, the number of messages, and is {stated:,}")

    def _more(self, file: TextIO) -> bool:
        chunk = file.read(_CHUNK)
        self._text += chunk
        return bool(chunk)

    def _decode(self, text: str, place: str) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise self._fault(f"{place}, line {error.lineno}", f"must be JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise self._fault(place, _unusable(error)) from None

    def _convert(self, value: object, kind: type[T], place: str) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise self._fault(place, str(error)) from None

    def _fault(self, place: str, rule: str) -> ExportFault:
        return ExportFault(f"{self._path}: {place}: {rule}")


def _unusable(error: Exception) -> str:
    """Rule broken by JSON that Python cannot read: a number with too many digits, or too many brackets."""
    return f"must be JSON that can be read: {error}"
