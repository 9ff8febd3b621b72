"""Upload of files from a window's working directory: opened as a stranger's, searched for secrets, posted once."""

from __future__ import annotations

import asyncio
import io
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import discord

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError
from actors.discord.incoming.unpacking import WorkdirOf
from actors.discord.outgoing.channel_messages import ChannelMessages, Draft
from actors.discord.outgoing.redaction import Redaction
from actors.discord.timing import Timing
from actors.kernel import Host
from actors.linux.safe_open import open_beneath
from domain.text.splitting import LIMIT, sendable, units
from domain.turn.attachments import safe_names
from messages.base import Address, ChannelId, MessageId, RequestId
from messages.discord import AttachFile, FileAttached
from messages.socket import Refused

log = logging.getLogger(__name__)

LARGEST_SENT_BYTES = 10 << 20
"""What Discord takes of a bot where nobody paid for more."""
_SHOWN_PATH = 200
_PIECE = 1 << 16
_OVERLAP = 1 << 12
"""Longer than any disguise of a secret."""


class UnsendableError(Exception):
    """The file is not to be posted; the text names it and the rule."""


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """A file as it will be posted."""

    filename: str
    data: bytes
    caption: str


class Sending:
    """Sender of files that commands ask for; lives on the loop."""

    def __init__(
        self,
        *,
        host: Host,
        messages: ChannelMessages,
        redaction: Redaction,
        workdir_of: WorkdirOf | None,
        most_bytes: int,
        timing: Timing,
    ) -> None:
        """With nothing under way.

        Args:
            host: Tells whoever asked what became of their file.
            messages: Writes into channels.
            redaction: Makes captions fit to be shown, and knows secrets.
            workdir_of: Where files are looked for; None if nowhere.
            most_bytes: Larger files are refused, as are those above `LARGEST_SENT_BYTES`.
            timing: `send_timeout_s` bounds a request with all its attempts.
        """
        self._host = host
        self._messages = messages
        self._redaction = redaction
        self._workdir_of = workdir_of
        self._most_bytes = min(most_bytes, LARGEST_SENT_BYTES)
        self._timing = timing
        self.settled = 0
        """Requests that are done with, for good or ill."""
        self._under_way: dict[tuple[Address, RequestId], asyncio.Task[FileAttached | Refused]] = {}

    def send(self, request: AttachFile) -> None:
        """Post a file; a request that is still under way is not begun again."""
        key = (request.reply_to, request.request_id)
        if key in self._under_way:
            self.settled += 1
            return
        task = self._under_way[key] = asyncio.get_running_loop().create_task(self._outcome(request))
        task.add_done_callback(lambda ended: self._finish(request, ended))

    def close(self) -> None:
        """Give up what is under way; whether it is shown is not known then."""
        for task in self._under_way.values():
            task.cancel()

    def _finish(self, request: AttachFile, ended: asyncio.Task[FileAttached | Refused]) -> None:
        del self._under_way[request.reply_to, request.request_id]
        is_cut_off = ended.cancelled()
        cut_off = "the bot is closing its connection, so it is not known whether the file was posted"
        self._host.tell(request.reply_to, _refused(request, cut_off) if is_cut_off else ended.result())
        self.settled += 1

    async def _outcome(self, request: AttachFile) -> FileAttached | Refused:
        try:
            outgoing = await asyncio.to_thread(self._packed, request)
            async with asyncio.timeout(self._timing.send_timeout_s):
                message_id = await self._post(request, outgoing)
        except (UnsendableError, CallRefusedError, CallFailedError) as error:
            return _refused(request, str(error))
        except TimeoutError:
            return _refused(request, f"{_named(request)} could not be posted in time; it may still have been")
        except Exception as error:
            log.exception("posting a file in channel %s went wrong", request.window.id)
            return _refused(request, f"posting {_named(request)} went wrong with {type(error).__name__}")
        return FileAttached(
            request_id=request.request_id,
            message_id=message_id,
            filename=outgoing.filename,
            size_bytes=len(outgoing.data),
        )

    def _packed(self, request: AttachFile) -> _Outgoing:
        """The file, read and judged; runs beside the loop.

        Raises:
            UnsendableError: it cannot be posted.
        """
        caption = self._redaction.present(sendable(request.caption)).strip()
        if units(caption) > LIMIT:
            raise UnsendableError(f"caption of {units(caption)} characters: at most {LIMIT} are allowed")
        if not request.window.id.isdecimal():
            raise UnsendableError(f"window {request.window.address.key}: must be a Discord channel")
        data = _read(self._workdir(request), request.path, self._most_bytes)
        if not data:
            raise UnsendableError(f"{_named(request)}: it is empty, and Discord takes no empty files")
        if any(map(self._redaction.holds_secret, _pieces(data.decode("latin-1")))):
            raise UnsendableError(f"{_named(request)}: it holds a secret of the agent's own")
        (filename,) = safe_names([request.path])
        return _Outgoing(filename, data, caption)

    def _workdir(self, request: AttachFile) -> Path:
        if self._workdir_of is None:
            raise UnsendableError("there are no working directories here, so no file can be sent")
        try:
            return self._workdir_of(request.window)
        except ValueError as error:
            raise UnsendableError(str(error)) from error

    async def _post(self, request: AttachFile, outgoing: _Outgoing) -> MessageId:
        channel_id = ChannelId(request.window.id)
        draft = Draft(
            text=outgoing.caption or None,
            nonce=f"file-{request.request_id}"[:25],
            files=lambda: [discord.File(io.BytesIO(outgoing.data), filename=outgoing.filename)],
        )
        return MessageId(str(await self._messages.send(f"posting a file in channel {channel_id}", channel_id, draft)))


def _pieces(text: str) -> Iterator[str]:
    """Stretches of a text, each reaching into the next, so that looking through them lets others run in between."""
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE + _OVERLAP]


def _read(folder: Path, path: str, most_bytes: int) -> bytes:
    """All of a file, however hostile the folder.

    Raises:
        UnsendableError: it cannot be opened as a plain file of that folder, or is too large.
    """
    try:
        opened = open_beneath(folder, path, most_bytes)
    except ValueError as error:
        raise UnsendableError(str(error)) from error
    except OSError as error:
        raise UnsendableError(f"the working directory cannot be opened: {error.strerror}") from error
    with os.fdopen(opened, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise UnsendableError(f"file {path[:_SHOWN_PATH]!r}: it grew beyond {most_bytes} bytes")
    return data


def _named(request: AttachFile) -> str:
    return f"file {request.path[:_SHOWN_PATH]!r}"


def _refused(request: AttachFile, reason: str) -> Refused:
    return Refused(request_id=request.request_id, reason=reason)
