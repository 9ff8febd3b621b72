"""Attachment store, in memory and bounded."""

from __future__ import annotations

DEFAULT_LIMIT_BYTES = 256 * 1024 * 1024


class FileStore:
    """Store of files by id; when full the oldest are forgotten and answer as unknown."""

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        """Empty.

        Args:
            limit_bytes: Most bytes kept together.
        """
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._files: dict[int, bytes] = {}

    def put(self, file_id: int, data: bytes) -> None:
        """Keep `data` under `file_id`."""
        self._files[file_id] = data
        self._size_bytes += len(data)
        while self._size_bytes > self._limit_bytes and len(self._files) > 1:
            oldest = next(iter(self._files))
            self._size_bytes -= len(self._files.pop(oldest))

    def get(self, file_id: int) -> bytes | None:
        """Bytes of the file, or None if unknown or forgotten."""
        return self._files.get(file_id)
