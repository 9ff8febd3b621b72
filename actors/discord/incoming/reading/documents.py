"""Reading of attached documents, requested from the shell: a child process with bounds reads each document."""

from __future__ import annotations

from functools import partial

import msgspec

from actors.discord.incoming.fair_limiter import FairLimiter
from actors.kernel import Host, ask_from_loop
from domain.turn.attachments import DOCUMENT_NAMES, clean_text
from messages.base import RequestId, Window
from messages.context import Attachment, FileKind
from messages.shell import MOST_DOCUMENT_BYTES, SHELL, DocumentRead, DocumentReply, DocumentUnread, ReadDocument
from messages.socket import Refused

ANSWER_S = 90.0
"""Longest wait for the shell's answer; the shell kills a reader earlier."""
MOST_READING_S = 90.0
"""Seconds for the documents of one message; after the deadline the rest are kept unread."""
_AT_ONCE = 2


class Documents:
    """Client for documents' texts; windows take turns, apart from other files' turns, and delay no other file."""

    def __init__(self, host: Host, most_s: float = MOST_READING_S) -> None:
        """Begin with no document under way.

        Args:
            host: Asks the shell.
            most_s: For the documents of one message.
        """
        self._host = host
        self._most_s = most_s
        self.turns = FairLimiter(_AT_ONCE)

    async def read(self, entry: Attachment, data: bytes, window: Window, spent_s: float) -> tuple[Attachment, str]:
        """Entry and text of a document; without a text the entry has the reason as a note.

        Args:
            entry: As judged so far.
            data: The whole file.
            window: In which the file was sent.
            spent_s: On other documents of the message.
        """
        if spent_s >= self._most_s:
            return _unread(entry, f"the others of this message took {spent_s:.0f} s"), ""
        if len(data) > MOST_DOCUMENT_BYTES:
            return _unread(entry, f"of documents at most {MOST_DOCUMENT_BYTES >> 20} MiB are read"), ""
        answer = await self._ask(data, window)
        if not isinstance(answer, DocumentRead):
            return _unread(entry, answer.reason), ""
        note = "; ".join(filter(None, (f"{answer.kind} {answer.about}".strip(), answer.remark)))
        return msgspec.structs.replace(entry, kind=FileKind.DOCUMENT, note=clean_text(note)), clean_text(answer.text)

    async def _ask(self, data: bytes, window: Window) -> DocumentReply | Refused:
        make = partial(ReadDocument, window=window, data=data)
        try:
            answer: DocumentReply | Refused = await ask_from_loop(self._host, SHELL, make, ANSWER_S)
        except TimeoutError:
            return DocumentUnread(request_id=RequestId(""), reason="its reader did not answer in time")
        return answer


def is_called_document(name: str) -> bool:
    """True if a file's name has the ending of a document."""
    return name.rpartition(".")[2].lower() in DOCUMENT_NAMES


def _unread(entry: Attachment, reason: str) -> Attachment:
    return msgspec.structs.replace(entry, kind=FileKind.FILE, note=f"its text is not shown: {reason}")
