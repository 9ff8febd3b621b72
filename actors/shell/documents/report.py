"""Report of the reader as the agent takes it: bounded, checked line by line, and made into an answer."""

from __future__ import annotations

import msgspec

from messages.base import RequestId, make_ready
from messages.shell import MOST_DOCUMENT_CHARS, DocumentRead, DocumentUnread

_MOST_BYTES = 32 << 20
_MOST_LINE = 1 << 20
_MOST_REMARKS = 8
_MOST_WORDS = 300


class _Line(msgspec.Struct, frozen=True, gc=False):
    """Line with some of the fields."""

    kind: str = ""
    about: str = ""
    text: str = ""
    remark: str = ""
    unread: str = ""
    end: bool = False


class ReaderReport:
    """Output of a child so far; the author of a document may have taken the child over."""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(_Line)
        self._rest = b""
        self._bytes = 0
        self._chars = 0
        self._texts: list[str] = []
        self._remarks: list[str] = []
        self._kind = self._about = self._unread = ""
        self._is_whole = False

    def take(self, piece: bytes) -> bool:
        """Take in output; False for more output than allowed."""
        self._bytes += len(piece)
        if self._bytes > _MOST_BYTES or len(self._rest) > _MOST_LINE:
            return False
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return all(map(self._take_line, lines))

    def answer(self, request_id: RequestId, cut_off: str) -> DocumentRead | DocumentUnread:
        """Answer for the asker.

        Args:
            request_id: Of the question.
            cut_off: Why the child may not have come to its end.
        """
        text = "".join(self._texts)
        if self._unread or not text.strip():
            reason = self._unread or (cut_off if not self._is_whole else "it has no text")
            return DocumentUnread(request_id=request_id, reason=reason)
        remarks = [*self._remarks, *(() if self._is_whole else (f"the text ends early: {cut_off}",))]
        return DocumentRead(
            request_id=request_id, kind=self._kind, about=self._about, text=text, remark="; ".join(remarks)
        )

    def _take_line(self, line: bytes) -> bool:
        try:
            part = self._decoder.decode(line)
        except msgspec.MsgspecError:  # no word of the reader's: a library's, say
            return True
        self._chars += len(part.text)
        if self._chars > MOST_DOCUMENT_CHARS:
            return False
        self._texts.append(part.text)
        if part.remark and len(self._remarks) < _MOST_REMARKS:
            self._remarks.append(part.remark[:_MOST_WORDS])
        self._kind = self._kind or part.kind[:_MOST_WORDS]
        self._about = self._about or part.about[:_MOST_WORDS]
        self._unread = self._unread or part.unread[:_MOST_WORDS]
        self._is_whole |= part.end
        return True


make_ready(__name__)
