"""Output recorder: keeps the tail for the model, and the whole in a file if the tail is not all."""

from __future__ import annotations

from actors.shell.output_file import OutputFile
from actors.shell.workplace import Workplace
from domain.text.output_tail import MAX_BYTES, MAX_LINES, Excerpt, KeptOutput, OutputTail


class Recorder:
    """Output recorder in bounded memory for any input: the tail, and a little before the file."""

    def __init__(self, workplace: Workplace, name: str) -> None:
        self._tail = OutputTail()
        self._beginning = bytearray()
        self._file = OutputFile(workplace.output, name)
        self._is_spilling = False

    def take(self, piece: bytes) -> None:
        """The next bytes of output."""
        self._tail.feed(piece)
        if self._is_spilling:
            self._file.write(piece)
            return
        self._beginning += piece
        if self._tail.total_bytes > MAX_BYTES or self._tail.line_count > MAX_LINES:
            self._spill()

    def finish(self, *, may_keep: bool = True) -> tuple[Excerpt, KeptOutput]:
        """Excerpt for the model, and the state of the full output; a file exists only if the excerpt is truncated.

        Args:
            may_keep: False for a cancelled command, as no log would name the file.
        """
        excerpt = self._tail.excerpt()
        if not may_keep:
            self.close()
            return excerpt, KeptOutput(path="", lost_bytes=self._file.lost_bytes, fault=self._file.fault)
        if excerpt.truncated and not self._is_spilling:  # bytes that are no UTF-8 take more room when shown
            self._spill()
        path = self._file.path if excerpt.truncated else ""
        self._file.close(keep=excerpt.truncated)
        return excerpt, KeptOutput(path=path, lost_bytes=self._file.lost_bytes, fault=self._file.fault)

    def close(self) -> None:
        """Give up; after `finish`, no effect."""
        self._file.close(keep=False)

    def _spill(self) -> None:
        self._is_spilling = True
        self._file.write(bytes(self._beginning))
        self._beginning.clear()
