"""Upload of files from a window's working directory: opened as a stranger's, searched for secrets, posted once."""

from __future__ import annotations

import asyncio
import io
import itertools
import logging
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError
from actors.discord.calls.text_ids import AttachedFile
from actors.discord.incoming.disk import Disk
from actors.discord.incoming.fair_limiter import FairLimiter
from actors.discord.outgoing.channel_messages import ChannelMessages, Draft
from actors.discord.outgoing.pictures import picture_name
from actors.discord.outgoing.redaction import Redaction
from actors.discord.timing import Timing
from actors.kernel import Host
from actors.linux.safe_open import read_beneath
from domain.text.characters import units
from domain.text.splitting import LIMIT, sendable
from domain.turn.attachments import safe_names
from messages.base import Address, ChannelId, MessageId, RequestId, Window
from messages.context import RuntimePosted
from messages.discord import DISCORD, AttachFile, FileAttached
from messages.socket import Refused

log = logging.getLogger(__name__)

USUAL_SENT_BYTES = 10 << 20
"""Largest upload that Discord takes in a server without paid boosts."""
_LARGE_AT_ONCE = 2
"""Messages with large files in memory at once, in servers that take larger uploads."""
MOST_WAITING = 16
"""Files of a window being posted or waiting; a file is held in memory only during its turn."""
_SPOILER = "SPOILER_"
"""Beginning of a file name that makes Discord hide the file."""
_SHOWN_PATH = 200
_PIECE = 1 << 16
_OVERLAP = 1 << 12
"""Longer than any disguise of a secret."""


class UnsendableError(Exception):
    """The file must not be posted; the text names the file and the rule."""


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """Files ready to be posted, with the words above them."""

    files: tuple[tuple[str, bytes, str], ...]
    """Name, bytes and description of each file."""
    caption: str

    @property
    def names(self) -> str:
        """Names of all files."""
        return ", ".join(name for name, _, _ in self.files)


@dataclass(slots=True)
class _Turns:
    """Order of one window's files."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Sending:
    """Sender of files requested by commands, for each window one at a time; lives on the loop."""

    def __init__(
        self,
        *,
        host: Host,
        messages: ChannelMessages,
        redaction: Redaction,
        disk: Disk,
        timing: Timing,
    ) -> None:
        """Begin without requests.

        Args:
            host: Sends the result of a file to its requester.
            messages: Writes into channels.
            redaction: Makes captions fit to be shown, and knows secrets.
            disk: Folders of the files.
            timing: `send_timeout_s` bounds a request with all attempts, counted from the request.
        """
        self._host = host
        self._messages = messages
        self._redaction = redaction
        self._disk = disk
        self._large_turns = FairLimiter(_LARGE_AT_ONCE)
        self._timing = timing
        self.settled = 0
        """Requests completed, with success or failure."""
        self._under_way: dict[tuple[Address, RequestId], asyncio.Task[FileAttached | Refused]] = {}
        self._turns: dict[Window, _Turns] = {}

    def send(self, request: AttachFile) -> None:
        """Post a file; a request still under way is not begun again."""
        key = (request.reply_to, request.request_id)
        if key in self._under_way:
            self.settled += 1
            return
        task = self._under_way[key] = asyncio.get_running_loop().create_task(self._outcome(request))
        task.add_done_callback(lambda ended: self._finish(request, ended))

    def close(self) -> None:
        """Give up requests under way; their results stay unknown."""
        for task in self._under_way.values():
            task.cancel()

    def _finish(self, request: AttachFile, ended: asyncio.Task[FileAttached | Refused]) -> None:
        del self._under_way[request.reply_to, request.request_id]
        is_cut_off = ended.cancelled()
        cut_off = "the bot is closing its connection, so it is not known whether the file was posted"
        reply = _refusal(request, cut_off) if is_cut_off else ended.result()
        self._host.tell(request.reply_to, reply)
        if isinstance(reply, FileAttached):
            posted = RuntimePosted(
                window=request.window,
                by=DISCORD.kind,
                text=request.caption,
                message_ids=(reply.message_id,),
                file=reply.filename,
                is_off_record=self._messages.is_off_record(ChannelId(request.window.id)),
            )
            self._host.tell(request.window.address, posted)
        self.settled += 1

    async def _outcome(self, request: AttachFile) -> FileAttached | Refused:
        turns = self._turns.setdefault(request.window, _Turns())
        if turns.waiting >= MOST_WAITING:
            label = _file_label(request.path)
            return _refusal(request, f"{label}: {MOST_WAITING} files of this conversation wait already")
        turns.waiting += 1
        try:
            async with asyncio.timeout(self._timing.send_timeout_s), turns.lock:
                return await self._send_file(request)
        except TimeoutError:
            return _refusal(request, f"{_file_label(request.path)} could not be posted in time; it may still have been")
        finally:
            turns.waiting -= 1
            if not turns.waiting:
                del self._turns[request.window]

    async def _send_file(self, request: AttachFile) -> FileAttached | Refused:
        try:
            most_bytes = await self._find_limit(request.window)
            await self._messages.meet(request.window)  # The window logs the caption, unless memory is off there.
            async with self._large_turns.turn(request.window) if most_bytes > USUAL_SENT_BYTES else nullcontext():
                outgoing = await self._read_outgoing(request, most_bytes)
                message_id = await self._post(request, outgoing)
        except (UnsendableError, CallRefusedError, CallFailedError) as error:
            return _refusal(request, str(error))
        except Exception as error:
            log.exception("posting a file in channel %s failed", request.window.id)
            return _refusal(request, f"posting {_file_label(request.path)} went wrong with {type(error).__name__}")
        return FileAttached(
            request_id=request.request_id,
            message_id=message_id,
            filename=outgoing.names,
            size_bytes=sum(len(data) for _, data, _ in outgoing.files),
        )

    async def _find_limit(self, window: Window) -> int:
        """Most bytes of one message in the window's server.

        Raises:
            UnsendableError: the window is no channel.
        """
        if not window.id.isdecimal():
            raise UnsendableError(f"window {window.address.key}: must be a Discord channel")
        return max(USUAL_SENT_BYTES, await self._messages.file_limit(ChannelId(window.id)))

    async def _read_outgoing(self, request: AttachFile, most_bytes: int) -> _Outgoing:
        """Files of the request, read and judged outside the loop.

        Raises:
            UnsendableError: the files cannot be posted.
        """
        caption = self._redaction.present(sendable(request.caption)).strip()
        if units(caption) > LIMIT:
            raise UnsendableError(f"caption of {units(caption)} characters: at most {LIMIT} are allowed")
        names, contents = list[str](), list[bytes]()
        for path in (request.path, *request.further):
            name, data = await self._read_beside(request.window, path, most_bytes)
            names.append(name)
            contents.append(data)
            if sum(map(len, contents)) > most_bytes:
                raise UnsendableError(
                    f"the files have more than {most_bytes >> 20} MiB together: send them in several messages"
                )
        described = (self._redaction.present(sendable(each)).strip() for each in request.descriptions)
        files = zip(safe_names(names), contents, itertools.chain(described, itertools.repeat("")), strict=False)
        return _Outgoing(tuple(files), caption)

    async def _read_beside(self, window: Window, path: str, most_bytes: int) -> tuple[str, bytes]:
        """Display name and bytes of a file, read outside the loop.

        Raises:
            UnsendableError: the file cannot be posted.
        """
        try:
            return await self._disk.threads.run(
                window.address.key, self._disk.timeout_s, self._read, window, path, most_bytes
            )
        except TimeoutError as error:
            raise UnsendableError(f"{_file_label(path)} cannot be read: {error}") from error
        except FileNotFoundError as error:
            raise UnsendableError(f"{_file_label(path)}: there is no such file") from error
        except OSError as error:
            raise UnsendableError(f"the folder of {_file_label(path)} cannot be opened: {error.strerror}") from error
        except ValueError as error:
            raise UnsendableError(str(error)) from error

    def _read(self, window: Window, path: str, most_bytes: int) -> tuple[str, bytes]:
        """Name and bytes of a file, however hostile the folder; runs in a thread.

        Raises:
            ValueError: the file must not be posted.
            OSError: the folder cannot be opened.
        """
        folder, name = self._disk.locate_file(window, path)
        data = read_beneath(folder, name, most_bytes)
        if not data:
            raise ValueError(f"{_file_label(path)}: it is empty, and Discord takes no empty files")
        if any(map(self._redaction.holds_secret, itertools.chain((path,), _pieces(data)))):  # people see the name
            raise ValueError(f"{_file_label(path)}: it holds a secret of the agent's own")
        try:
            return picture_name(path, data), data
        except ValueError as error:
            raise ValueError(f"{_file_label(path)}: {error}") from error

    async def _post(self, request: AttachFile, outgoing: _Outgoing) -> MessageId:
        channel_id = ChannelId(request.window.id)
        draft = Draft(
            text=outgoing.caption or None,
            nonce=f"file-{request.request_id}"[:25],
            files=lambda: [
                _make_file(*file, hides=request.is_spoiler or file[0].startswith(_SPOILER)) for file in outgoing.files
            ],
        )
        return MessageId(str(await self._messages.send(f"posting a file in channel {channel_id}", channel_id, draft)))


def _make_file(name: str, data: bytes, description: str, *, hides: bool) -> AttachedFile:
    return AttachedFile(io.BytesIO(data), filename=name, description=description or None, spoiler=hides)


def _pieces(data: bytes) -> Iterator[str]:
    """Overlapping stretches of a file, so a search through the stretches lets other work run in between."""
    for start in range(0, len(data), _PIECE):
        yield data[start : start + _PIECE + _OVERLAP].decode("latin-1")


def _file_label(path: str) -> str:
    return f"file {path[:_SHOWN_PATH]!r}"


def _refusal(request: AttachFile, reason: str) -> Refused:
    return Refused(request_id=request.request_id, reason=reason)
